import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as scripts from './service.ts'

const placeholderRule =
  'A placeholder in a quoted string, a comment, a here-document or a command name returns 422 with the line number, because no quoting is safe there.'

export const scriptOperations = [
  operation({
    id: 'scripts.list',
    route: 'GET /script-templates',
    summary: 'List script templates',
    description: 'Lists the templates that I can see, sorted by name.',
    access: 'user',
    limit: 'read',
    paged: true,
    query: schemas.ScriptQuery,
    returns: z.array(schemas.ScriptItem),
    handle: ({ ctx, query }) => scripts.list(ctx, query),
  }),

  operation({
    id: 'scripts.create',
    route: 'POST /script-templates',
    summary: 'Create a script template for my team',
    description: placeholderRule,
    access: 'engineer',
    limit: 'write',
    body: schemas.ScriptCreate,
    returns: schemas.ScriptTemplate,
    handle: ({ ctx, body }) => scripts.create(ctx, body),
  }),

  operation({
    id: 'scripts.listCategories',
    route: 'GET /script-templates/categories',
    summary: 'List script categories',
    description: 'Sorted by name. `count` counts the scripts that I can see.',
    access: 'user',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.ScriptCategory),
    handle: ({ ctx, query }) => scripts.listCategories(ctx, query),
  }),

  operation({
    id: 'scripts.createCategory',
    route: 'POST /script-templates/categories',
    summary: 'Create a script category',
    description: 'Names are unique in the account, ignoring case: a duplicate returns 409 `name_taken`.',
    access: 'team_admin',
    limit: 'write',
    body: schemas.ScriptCategoryCreate,
    returns: schemas.ScriptCategory,
    errors: ['name_taken'],
    handle: ({ ctx, body }) => scripts.createCategory(ctx, body.name),
  }),

  operation({
    id: 'scripts.get',
    route: 'GET /script-templates/{template_id}',
    summary: 'Get a script template',
    description: 'The script with its parameters, its risk and the warnings about its text.',
    access: 'user',
    limit: 'read',
    params: schemas.TemplateId,
    returns: schemas.ScriptTemplate,
    handle: ({ ctx, params }) => scripts.get(ctx, params.template_id),
  }),

  operation({
    id: 'scripts.update',
    route: 'PUT /script-templates/{template_id}',
    summary: 'Update a script template',
    description: placeholderRule,
    access: 'engineer',
    limit: 'write',
    params: schemas.TemplateId,
    body: schemas.ScriptUpdate,
    returns: schemas.ScriptTemplate,
    errors: ['stale_version'],
    handle: ({ ctx, params, body }) => scripts.update(ctx, params.template_id, body),
  }),

  operation({
    id: 'scripts.delete',
    route: 'DELETE /script-templates/{template_id}',
    summary: 'Delete a script template',
    description: 'Flows that name the script stay as they are, and say that it is gone.',
    access: 'engineer',
    limit: 'write',
    params: schemas.TemplateId,
    handle: ({ ctx, params }) => scripts.remove(ctx, params.template_id),
  }),

  operation({
    id: 'scripts.render',
    route: 'POST /script-templates/{template_id}/generate',
    summary: 'Render a script template',
    description:
      'Every value becomes a complete literal of the language, so it cannot end its string or start a command. Missing, invalid and unknown values return 422, with one error per value. A script of medium or high risk returns 409 `approval_required` until exactly this script is approved in its session.',
    access: 'engineer',
    limit: 'write',
    params: schemas.TemplateId,
    body: schemas.RenderRequest,
    // A stored response would contain passwords in plain text.
    idempotent: false,
    success: 200,
    returns: schemas.RenderResult,
    errors: ['approval_required', 'wrong_state'],
    handle: ({ ctx, params, body }) => scripts.generate(ctx, params.template_id, body),
  }),

  operation({
    id: 'scripts.share',
    route: 'POST /script-templates/{template_id}/share',
    summary: 'Share or unshare a script template',
    description:
      'The whole account can see a shared template. Only its creator, its team and account admins can see an unshared one.',
    access: 'team_admin',
    limit: 'write',
    params: schemas.TemplateId,
    body: schemas.ScriptShare,
    success: 200,
    returns: schemas.ScriptTemplate,
    handle: ({ ctx, params, body }) => scripts.share(ctx, params.template_id, body.is_shared),
  }),
]
