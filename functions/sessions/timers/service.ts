import type { WriteDb } from '#db/scope.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { collectVariables } from '#rules/flows/run-view.ts'
import { renderStep } from '#rules/flows/step-view.ts'
import { enqueueEvent } from '#work/events.ts'
import { type AccountSweepContext, type SweepBudget, sweepAccounts } from '#work/sweep-accounts.ts'
import * as queries from './queries.ts'

/**
 * Remind the users of sessions whose timer is due. One transaction takes some timers of an account and stores
 * the notifications, so each timer reminds once. Nobody is reminded of a step that was answered or of a
 * session that has ended.
 */
export async function remindDue(ctx: AccountSweepContext, budget: SweepBudget): Promise<void> {
  await sweepAccounts(ctx, await queries.selectAccountsWithDue.all(ctx.platform), budget, remindInAccount)
}

/** Take some due timers of an account. Return whether there may be more. */
async function remindInAccount(db: WriteDb): Promise<boolean> {
  await queries.stopOutdated.run(db)
  const taken = await queries.takeDue.all(db)
  for (const { session_id } of taken) await remind(db, session_id)
  return taken.length === queries.timersAtOnce
}

async function remind(db: WriteDb, sessionId: string): Promise<void> {
  const session = await sessions.find(db, sessionId)
  const step = runWithin(createBudget(), () =>
    renderStep(session.tree_structure, session.current_step_id ?? '', collectVariables(session)),
  )
  await enqueueEvent(db, {
    key: 'session.timer_due',
    actorId: null,
    causedById: session.user_id,
    teamId: session.team_id,
    sessionId,
    flowName: session.name,
    stepTitle: step?.title ?? '',
    userId: session.user_id,
  })
}
