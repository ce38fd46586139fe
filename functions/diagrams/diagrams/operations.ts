import * as z from 'zod'
import { operation, stream } from '#http/operation.ts'
import { jobSteps } from '#rules/budget.ts'
import * as schemas from './schemas.ts'
import * as diagrams from './service.ts'

const feature = 'network_diagrams'
const maxBody = 4 * 1024 * 1024

export const diagramOperations = [
  operation({
    id: 'diagrams.list',
    route: 'GET /network-diagrams',
    summary: 'List network diagrams',
    description: 'Lists the diagrams that I can see, last saved first.',
    access: 'user',
    feature,
    limit: 'read',
    paged: true,
    query: schemas.DiagramQuery,
    returns: z.array(schemas.DiagramItem),
    handle: ({ ctx, query }) => diagrams.list(ctx, query),
  }),

  operation({
    id: 'diagrams.create',
    route: 'POST /network-diagrams',
    summary: 'Create a network diagram for my team',
    description: 'Returns 422 for a user without a team.',
    access: 'engineer',
    feature,
    limit: 'write',
    body: schemas.DiagramCreate,
    maxBody,
    returns: schemas.Diagram,
    errors: ['limit_reached'],
    handle: ({ ctx, body }) => diagrams.create(ctx, body),
  }),

  operation({
    id: 'diagrams.listClients',
    route: 'GET /network-diagrams/clients',
    summary: 'List the clients that have diagrams',
    description: 'Sorted by name.',
    access: 'user',
    feature,
    limit: 'read',
    paged: true,
    returns: z.array(schemas.DiagramClient),
    handle: ({ ctx, query }) => diagrams.listClients(ctx, query),
  }),

  operation({
    id: 'diagrams.import',
    route: 'POST /network-diagrams/import',
    summary: 'Import a network diagram',
    description:
      'Imports an exported JSON file, a page of a draw.io file, plain or compressed, or a mermaid flowchart. Groups of a draw.io file and subgraphs become nodes, and what is in them has them as `parent_id`. A flowchart gets positions. A draw.io file that this service exported gives the same nodes and edges, with what was changed in draw.io. Skipped parts are listed.',
    access: 'engineer',
    feature,
    limit: '10/minute',
    body: schemas.DiagramImport,
    maxBody,
    maxSteps: jobSteps,
    returns: schemas.DiagramImportResult,
    errors: ['limit_reached'],
    handle: ({ ctx, body }) => diagrams.importDiagram(ctx, body),
  }),

  operation({
    id: 'diagrams.get',
    route: 'GET /network-diagrams/{diagram_id}',
    summary: 'Get a network diagram',
    description: 'The nodes, the edges and the newest version’s number.',
    access: 'user',
    feature,
    limit: 'read',
    params: schemas.DiagramId,
    returns: schemas.Diagram,
    handle: ({ ctx, params }) => diagrams.get(ctx, params.diagram_id),
  }),

  operation({
    id: 'diagrams.update',
    route: 'PUT /network-diagrams/{diagram_id}',
    summary: 'Update a network diagram',
    description: 'Changes the given fields. A change of nodes or edges adds a version.',
    access: 'engineer',
    feature,
    limit: 'write',
    params: schemas.DiagramId,
    body: schemas.DiagramUpdate,
    maxBody,
    returns: schemas.Diagram,
    errors: ['limit_reached', 'stale_version'],
    handle: ({ ctx, params, body }) => diagrams.update(ctx, params.diagram_id, body),
  }),

  operation({
    id: 'diagrams.archive',
    route: 'POST /network-diagrams/{diagram_id}/archive',
    summary: 'Archive or restore a network diagram',
    description: 'An archived diagram is left out of lists. It can be restored.',
    access: 'engineer',
    feature,
    limit: 'write',
    params: schemas.DiagramId,
    body: schemas.DiagramArchive,
    success: 200,
    returns: schemas.Diagram,
    handle: ({ ctx, params, body }) => diagrams.archive(ctx, params.diagram_id, body.archived),
  }),

  operation({
    id: 'diagrams.duplicate',
    route: 'POST /network-diagrams/{diagram_id}/duplicate',
    summary: 'Duplicate a network diagram for my team',
    description: 'The copy begins with a version of its own and belongs to my team.',
    access: 'engineer',
    feature,
    limit: 'write',
    params: schemas.DiagramId,
    returns: schemas.Diagram,
    errors: ['limit_reached'],
    handle: ({ ctx, params }) => diagrams.duplicate(ctx, params.diagram_id),
  }),

  stream({
    id: 'diagrams.export',
    route: 'GET /network-diagrams/{diagram_id}/export',
    summary: 'Export a network diagram',
    description:
      'Returns a JSON file or a draw.io file, which can be imported, an SVG or PNG image, or a mermaid flowchart. What takes too much work is left out, with a mark.',
    access: 'user',
    feature,
    limit: 'read',
    params: schemas.DiagramId,
    query: schemas.DiagramExport,
    // Drawing the pixels of an image.
    maxSteps: jobSteps,
    produces: [
      'application/json',
      'image/svg+xml',
      'image/png',
      'application/vnd.jgraph.mxfile',
      'text/vnd.mermaid',
    ],
    returns: schemas.DiagramFile,
    handle: ({ ctx, params, query }) => diagrams.exportDiagram(ctx, params.diagram_id, query.format),
  }),
]
