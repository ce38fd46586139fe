import { settleInTurn } from '#async/settle-all.ts'
import * as handoffs from '#functions/ai/handoffs/service.ts'
import type { JobContext } from '#http/job.ts'
import type { SweepBudget } from '#work/sweep-accounts.ts'
import * as queries from './queries.ts'

/**
 * Escalate again what somebody had who can no longer work. The database marks these cases, whichever way they
 * have left. A case that fails is due again after a minute and does not stop the others.
 */
export async function returnDue(
  { platform, openAccountScope }: Pick<JobContext, 'platform' | 'openAccountScope'>,
  { budgetMs, now }: SweepBudget,
): Promise<void> {
  const end = now() + budgetMs
  for (let count = queries.casesAtOnce; count === queries.casesAtOnce && now() < end; ) {
    const due = await queries.takeDue.all(platform)
    await settleInTurn(due, async ({ account_id, user_id, id }) => {
      const { db } = openAccountScope(account_id, user_id)
      if (!(await handoffs.returnToQueue(db, user_id, id))) await queries.cancelReturn(db, id)
    })
    count = due.length
  }
}
