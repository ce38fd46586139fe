import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as assistant from './service.ts'

const feature = 'ai_authoring'

export const aiAssistantOperations = [
  operation({
    id: 'authoring.assistant.getQuota',
    method: 'get',
    path: '/ai/quota',
    summary: 'How many AI builds of flows are used and left this month',
    description: 'A flow-builder conversation counts once, with its first draft. Refining it, the assistant and conversions do not count.',
    access: 'user',
    limit: 'read',
    feature,
    success: 200,
    returns: schemas.AiQuota,
    handle: ({ ctx }) => assistant.quota(ctx),
  }),

  operation({
    id: 'authoring.assistant.suggest',
    method: 'post',
    path: '/ai/assistant/suggest',
    summary: 'One proposed edit of the flow in the editor, as a JSON patch',
    description:
      'The patch is tried on a copy: `result` is the flow with it, which may be saved as a draft. Nothing is stored. A flow that could not be saved as a draft as it is: 400 `flow_invalid`.',
    access: 'engineer',
    limit: 'ai',
    feature,
    body: schemas.Suggest,
    maxDepth: 128,
    success: 200,
    returns: schemas.Suggestion,
    errors: ['bad_request', 'ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, body }) => assistant.suggest(ctx, body),
  }),
]
