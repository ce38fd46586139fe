import * as z from 'zod'
import { ScriptTemplate, TemplateId } from '#functions/scripts/scripts/schemas.ts'
import { operation } from '#http/operation.ts'
import { Comparison, ComparisonQuery } from '#rules/versions/schema.ts'
import * as schemas from './schemas.ts'
import * as versions from './service.ts'

export const scriptVersionOperations = [
  operation({
    id: 'scripts.versions.list',
    method: 'get',
    path: '/script-templates/{template_id}/versions',
    summary: 'List the versions of a script template',
    description: 'Newest first. The newest 100 earlier versions are kept.',
    access: 'user',
    limit: 'read',
    params: TemplateId,
    paged: true,
    success: 200,
    returns: z.array(schemas.ScriptVersionItem),
    handle: ({ ctx, params, query }) => versions.list(ctx, params.template_id, query),
  }),

  operation({
    id: 'scripts.versions.get',
    method: 'get',
    path: '/script-templates/{template_id}/versions/{version}',
    summary: 'Get a version of a script template',
    access: 'user',
    limit: 'read',
    params: schemas.VersionId,
    success: 200,
    returns: schemas.ScriptVersion,
    handle: ({ ctx, params }) => versions.get(ctx, params.template_id, params.version),
  }),

  operation({
    id: 'scripts.versions.compare',
    method: 'get',
    path: '/script-templates/{template_id}/versions/{version}/diff',
    summary: 'Compare two versions of a script template',
    access: 'user',
    limit: 'read',
    params: schemas.VersionId,
    query: ComparisonQuery,
    success: 200,
    returns: Comparison,
    produces: ['application/json', 'text/html'],
    handle: ({ ctx, params, query }) => versions.compare(ctx, params.template_id, params.version, query),
  }),

  operation({
    id: 'scripts.versions.restore',
    method: 'post',
    path: '/script-templates/{template_id}/versions/{version}/restore',
    summary: 'Restore an old version',
    description: 'Saves the content of the old version as the newest version.',
    access: 'engineer',
    limit: 'write',
    params: schemas.VersionId,
    success: 200,
    returns: ScriptTemplate,
    errors: ['stale_version'],
    handle: ({ ctx, params }) => versions.restore(ctx, params.template_id, params.version),
  }),
]
