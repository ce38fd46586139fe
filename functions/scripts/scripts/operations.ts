import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as scripts from './service.ts'

const places =
  'A placeholder inside a quoted string, a comment or a here-document, or where a command is named, is 422 with its line: no quoting is safe there.'

export const scriptOperations = [
  operation({
    id: 'scripts.list',
    method: 'get',
    path: '/script-templates',
    summary: 'Script templates I see, by name',
    access: 'user',
    limit: 'read',
    paged: true,
    query: schemas.ScriptQuery,
    success: 200,
    returns: z.array(schemas.ScriptItem),
    handle: ({ ctx, query }) => scripts.list(ctx, query),
  }),

  operation({
    id: 'scripts.create',
    method: 'post',
    path: '/script-templates',
    summary: 'Create a script template for my team',
    description: places,
    access: 'engineer',
    limit: 'write',
    body: schemas.ScriptCreate,
    success: 201,
    returns: schemas.ScriptTemplate,
    handle: ({ ctx, body }) => scripts.create(ctx, body),
  }),

  operation({
    id: 'scripts.listCategories',
    method: 'get',
    path: '/script-templates/categories',
    summary: 'Categories of scripts, by name, with how many I see in each',
    access: 'user',
    limit: 'read',
    paged: true,
    success: 200,
    returns: z.array(schemas.ScriptCategory),
    handle: ({ ctx, query }) => scripts.listCategories(ctx, query),
  }),

  operation({
    id: 'scripts.createCategory',
    method: 'post',
    path: '/script-templates/categories',
    summary: 'Create a category of scripts',
    description: 'A name that is there already, whatever its case, is 409 `name_taken`.',
    access: 'team_admin',
    limit: 'write',
    body: schemas.ScriptCategoryCreate,
    success: 201,
    returns: schemas.ScriptCategory,
    errors: ['conflict'],
    handle: ({ ctx, body }) => scripts.createCategory(ctx, body.name),
  }),

  operation({
    id: 'scripts.get',
    method: 'get',
    path: '/script-templates/{template_id}',
    summary: 'One script template',
    access: 'user',
    limit: 'read',
    params: schemas.TemplateId,
    success: 200,
    returns: schemas.ScriptTemplate,
    handle: ({ ctx, params }) => scripts.get(ctx, params.template_id),
  }),

  operation({
    id: 'scripts.update',
    method: 'put',
    path: '/script-templates/{template_id}',
    summary: 'Change a script template',
    description: places,
    access: 'engineer',
    limit: 'write',
    params: schemas.TemplateId,
    body: schemas.ScriptUpdate,
    success: 200,
    returns: schemas.ScriptTemplate,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => scripts.update(ctx, params.template_id, body),
  }),

  operation({
    id: 'scripts.delete',
    method: 'delete',
    path: '/script-templates/{template_id}',
    summary: 'Delete a script template',
    access: 'engineer',
    limit: 'write',
    params: schemas.TemplateId,
    success: 204,
    handle: ({ ctx, params }) => scripts.remove(ctx, params.template_id),
  }),

  operation({
    id: 'scripts.render',
    method: 'post',
    path: '/script-templates/{template_id}/generate',
    summary: 'Fill a script template in',
    description:
      'Every value becomes a whole literal of the language, so that none can end its string or start a command. What is missing or wrong is 422, each by its name.',
    access: 'engineer',
    limit: 'write',
    params: schemas.TemplateId,
    body: schemas.Generate,
    // A kept answer would hold a password in the clear.
    idempotent: false,
    success: 200,
    returns: schemas.Generated,
    handle: ({ ctx, params, body }) => scripts.generate(ctx, params.template_id, body.parameters),
  }),

  operation({
    id: 'scripts.share',
    method: 'post',
    path: '/script-templates/{template_id}/share',
    summary: 'Share a script with the account, or keep it to its team',
    access: 'team_admin',
    limit: 'write',
    params: schemas.TemplateId,
    body: schemas.ScriptShare,
    success: 200,
    returns: schemas.ScriptTemplate,
    handle: ({ ctx, params, body }) => scripts.share(ctx, params.template_id, body.is_shared),
  }),
]
