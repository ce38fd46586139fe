import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { readStatement, writeStatement } from '#db/statement.ts'

/**
 * How a call to the model ended. A call that never reported its end stays `running`, with the cost that was
 * reserved for it.
 */
export type AiCallOutcome =
  | 'running'
  | 'answered'
  | 'unusable'
  | 'truncated'
  | 'declined'
  | 'timed_out'
  | 'limited'
  | 'rejected'
  | 'failed'

export interface StartedAiCall {
  prompt: string
  version: number
  model: string
  /** Micro-dollars that count until the call reports its cost. */
  reserved: number
  /** Micro-dollars that all unpaid accounts together may spend per day. */
  unpaidLimit: number
}

export interface FinishedAiCall {
  outcome: AiCallOutcome
  input: number
  cached: number
  output: number
  reasoning: number
  /** Micro-dollars. */
  cost: number
  isEstimated: boolean
  requestId: string | null
}

const Budget = z.object({
  is_exhausted: z.boolean(),
  is_unpaid_exhausted: z.boolean(),
  unpaid_resets_at: z.string(),
  resets_at: z.string(),
  seconds: z.int(),
})

const selectBudgetSql = (unpaidLimit: number) => sql`
  select app.is_ai_budget_used(app.account_id()) as is_exhausted, app.is_unpaid_ai_used(${unpaidLimit}) as is_unpaid_exhausted,
         app.iso(app.utc_day(app.now()) + interval '1 day') as unpaid_resets_at, m.resets_at, ceil(extract(epoch from m.resets_at - app.now()))::integer as seconds
    from accounts a cross join lateral (select app.quota_period(a, 1) as resets_at) m where a.id = app.account_id()`

/**
 * Select whether the AI budget of the month, or the one that unpaid accounts share today, is used up, and
 * when the next ones start.
 */
export const selectAiBudget = readStatement(Budget, selectBudgetSql)

/** Reserve the cost of a call and insert its row. Return null if a budget is used up. */
export const startAiCall = writeStatement(
  z.object({ id: z.string().nullable() }),
  ({ prompt, version, model, reserved, unpaidLimit }: StartedAiCall) =>
    sql`select ${callFunction('app.start_ai_call', {
      p_prompt: prompt,
      p_model: model,
      p_reserved: reserved,
      p_unpaid_limit: unpaidLimit,
      p_prompt_version: version,
    })} as id`,
)

/** Store how a call ended, and replace the reserved cost by the real one. */
export const finishAiCall = writeStatement(
  null,
  (id: string, { outcome, input, cached, output, reasoning, cost, isEstimated, requestId }: FinishedAiCall) =>
    sql`select from ${callFunction('app.finish_ai_call', {
      p_id: id,
      p_outcome: outcome,
      p_input: input,
      p_cached: cached,
      p_output: output,
      p_reasoning: reasoning,
      p_cost: cost,
      p_estimated: isEstimated,
      p_request_id: requestId,
    })}`,
)
