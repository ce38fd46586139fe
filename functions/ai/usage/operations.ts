import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as usage from './service.ts'

export const aiUsageOperations = [
  operation({
    id: 'ai.usage.get',
    route: 'GET /ai/usage',
    summary: 'Get the AI usage of this month',
    description:
      'Totals of the calls to the model by day, prompt and person, and the budget of the account. Account admins and team admins see every person, others themselves. When the budget is used up, operations that ask the model answer 429 `ai_budget_exhausted` until `resets_at`.',
    access: 'user',
    limit: 'read',
    returns: schemas.AiUsage,
    handle: ({ ctx }) => usage.get(ctx),
  }),
]
