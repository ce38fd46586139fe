import * as z from 'zod'
import { Diagram, DiagramId } from '#functions/diagrams/diagrams/schemas.ts'
import { operation } from '#http/operation.ts'
import { Comparison, ComparisonQuery } from '#rules/versions/schema.ts'
import * as schemas from './schemas.ts'
import * as versions from './service.ts'

const feature = 'network_diagrams'

export const diagramVersionOperations = [
  operation({
    id: 'diagrams.versions.list',
    method: 'get',
    path: '/network-diagrams/{diagram_id}/versions',
    summary: 'List the versions of a network diagram',
    description: 'Newest first. The newest 100 earlier versions are kept.',
    access: 'user',
    feature,
    limit: 'read',
    params: DiagramId,
    paged: true,
    success: 200,
    returns: z.array(schemas.DiagramVersionItem),
    handle: ({ ctx, params, query }) => versions.list(ctx, params.diagram_id, query),
  }),

  operation({
    id: 'diagrams.versions.get',
    method: 'get',
    path: '/network-diagrams/{diagram_id}/versions/{version}',
    summary: 'Get a version of a network diagram',
    access: 'user',
    feature,
    limit: 'read',
    params: schemas.VersionId,
    success: 200,
    returns: schemas.DiagramVersion,
    handle: ({ ctx, params }) => versions.get(ctx, params.diagram_id, params.version),
  }),

  operation({
    id: 'diagrams.versions.compare',
    method: 'get',
    path: '/network-diagrams/{diagram_id}/versions/{version}/diff',
    summary: 'Compare two versions of a network diagram',
    access: 'user',
    feature,
    limit: 'read',
    params: schemas.VersionId,
    query: ComparisonQuery,
    success: 200,
    returns: Comparison,
    produces: ['application/json', 'text/html'],
    handle: ({ ctx, params, query }) => versions.compare(ctx, params.diagram_id, params.version, query),
  }),

  operation({
    id: 'diagrams.versions.restore',
    method: 'post',
    path: '/network-diagrams/{diagram_id}/versions/{version}/restore',
    summary: 'Restore an old version',
    description: 'Saves the content of the old version as the newest version.',
    access: 'engineer',
    feature,
    limit: 'write',
    params: schemas.VersionId,
    success: 200,
    returns: Diagram,
    errors: ['limit_reached', 'stale_version'],
    handle: ({ ctx, params }) => versions.restore(ctx, params.diagram_id, params.version),
  }),
]
