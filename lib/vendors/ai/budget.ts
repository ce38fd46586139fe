import { selectAiBudget } from '#db/rows/ai-calls.ts'
import type { ReadDb } from '#db/scope.ts'
import { Problem } from '#problem.ts'

/**
 * Throw 429 when the AI budget of the month is used up. Operations that write before they ask the model call this first, so that a refused
 * request writes nothing. It reserves nothing: each call to the model makes the final check.
 */
export async function requireAiBudget({ db }: { db: ReadDb }): Promise<void> {
  const { is_exhausted } = await selectAiBudget.one(db)
  if (is_exhausted) throw await createBudgetProblem(db)
}

/** Create the 429 problem, with the time at which the next month of the budget starts. */
export async function createBudgetProblem(db: ReadDb): Promise<Problem> {
  const { resets_at, seconds } = await selectAiBudget.one(db)
  return new Problem('ai_budget_exhausted', undefined, { facts: { resets_at }, headers: { 'retry-after': String(seconds) } })
}
