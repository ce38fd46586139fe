import { selectAiBudget } from '#db/rows/ai-calls.ts'
import type { ReadDb } from '#db/scope.ts'
import { Problem } from '#problem.ts'

export interface BudgetContext {
  db: ReadDb
  config: { AI_UNPAID_DAILY_BUDGET: number }
}

/**
 * Throw 429 when the AI budget of the month is used up, or the one that unpaid accounts share. Operations
 * that write before they ask the model call this first, so that a refused request writes nothing. It reserves
 * nothing: each call to the model makes the final check.
 */
export async function requireAiBudget(ctx: BudgetContext): Promise<void> {
  const { is_exhausted, is_unpaid_exhausted } = await selectAiBudget.one(ctx.db, toUnpaidLimit(ctx))
  if (is_exhausted || is_unpaid_exhausted) throw await createBudgetProblem(ctx)
}

/** Return what all unpaid accounts together may spend per day, in micro-dollars. */
export function toUnpaidLimit({ config }: Pick<BudgetContext, 'config'>): number {
  return Math.round(config.AI_UNPAID_DAILY_BUDGET * 1_000_000)
}

/**
 * Create the 429 problem, with the time at which the next month of the budget starts, or the next day of the
 * one that unpaid accounts share.
 */
export async function createBudgetProblem(ctx: BudgetContext): Promise<Problem> {
  const { resets_at, seconds, is_exhausted, is_unpaid_exhausted, unpaid_resets_at } =
    await selectAiBudget.one(ctx.db, toUnpaidLimit(ctx))
  if (is_unpaid_exhausted && !is_exhausted)
    return new Problem(
      'ai_budget_exhausted',
      'Today’s AI budget of all accounts without a paid plan is used up; try again tomorrow, or choose a plan',
      {
        facts: { resets_at: unpaid_resets_at, is_shared: true },
      },
    )
  return new Problem('ai_budget_exhausted', undefined, {
    facts: { resets_at },
    headers: { 'retry-after': String(seconds) },
  })
}
