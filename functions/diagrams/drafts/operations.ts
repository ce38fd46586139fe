import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as drafts from './service.ts'

export const diagramDraftOperations = [
  operation({
    id: 'diagrams.drafts.generate',
    route: 'POST /network-diagrams/generate',
    summary: 'Draft a diagram from a description',
    description:
      'Returns a proposal and stores nothing; save the proposal with a POST or PUT. A merge keeps every node and edge of the diagram in place and adds the new nodes below, without overlaps. A diagram that already has the maximum number of nodes returns 409 `limit_reached`.',
    access: 'engineer',
    limit: 'ai',
    strictLimit: 'ai',
    feature: 'network_diagrams',
    body: schemas.DiagramGenerate,
    success: 200,
    returns: schemas.DiagramDraft,
    errors: ['ai_budget_exhausted', 'ai_provider_error', 'not_found'],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, body }) => drafts.generate(ctx, body),
  }),
]
