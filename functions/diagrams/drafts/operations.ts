import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as drafts from './service.ts'

export const diagramDraftOperations = [
  operation({
    id: 'diagrams.drafts.generate',
    method: 'post',
    path: '/network-diagrams/generate',
    summary: 'Draw a network that is described in words, anew or into a diagram',
    description:
      'Answers a proposal and stores nothing: save it with a PUT. A merge keeps every node and edge of the diagram where it is and places the new ones below, none on another.',
    access: 'engineer',
    limit: 'ai',
    feature: 'network_diagrams',
    body: schemas.DiagramGenerate,
    success: 200,
    returns: schemas.DiagramDraft,
    errors: ['not_found', 'conflict', 'ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, body }) => drafts.generate(ctx, body),
  }),
]
