import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as assistant from './service.ts'

const feature = 'ai_authoring'

export const aiAssistantOperations = [
  operation({
    id: 'authoring.assistant.getQuota',
    route: 'GET /ai/quota',
    summary: 'Get the AI build quota',
    description:
      'Returns the number of AI builds of flows in this month, and the limit. A flow-builder conversation counts once, with its first draft. Refinements, the assistant and conversions do not count.',
    access: 'user',
    limit: 'read',
    feature,
    returns: schemas.AiQuota,
    handle: ({ ctx }) => assistant.getQuota(ctx),
  }),

  operation({
    id: 'authoring.assistant.suggest',
    route: 'POST /ai/assistant/suggest',
    summary: 'Suggest an edit of a flow',
    description:
      'Returns one edit as a JSON patch. The patch is applied to a copy: `result` is the edited flow, which can be saved as a draft. Nothing is stored. Returns 400 `flow_invalid` for a flow that could not be saved as a draft.',
    access: 'engineer',
    limit: 'ai',
    strictLimit: 'ai',
    feature,
    body: schemas.SuggestionRequest,
    transport: { maxDepth: 128 },
    success: 200,
    returns: schemas.Suggestion,
    errors: ['ai_budget_exhausted', 'ai_provider_error', 'flow_invalid'],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, body }) => assistant.suggest(ctx, body),
  }),
]
