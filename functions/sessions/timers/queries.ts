import { sql } from 'kysely'
import * as z from 'zod'
import { readStatement, writeStatement } from '#db/statement.ts'

const isDue = sql`t.state = 'waiting' and t.due_at <= app.now()`
const isAtStep = sql`s.state = 'in_progress' and s.current_step_id = t.step_id and s.answered = t.seq`

/** Select the accounts with due timers, the account that has waited longest first. */
export const selectAccountsWithDue = readStatement(
  z.object({ account_id: z.string() }),
  () =>
    sql`select t.account_id from session_timers t where ${isDue} group by t.account_id order by min(t.due_at), t.account_id limit 500`,
)

/** How many timers one transaction takes. */
export const timersAtOnce = 100

/**
 * Take due timers of the account whose sessions still wait at their steps. The lock of the session comes
 * first, as it does for an answer: a session that is being changed is left to the next sweep.
 */
export const takeDue = writeStatement(
  z.object({ session_id: z.string() }),
  () => sql`
    with waiting as (
      select s.id from session_timers t join sessions s on s.account_id = t.account_id and s.id = t.session_id
       where t.account_id = app.account_id() and ${isDue} and ${isAtStep}
       order by t.due_at limit ${timersAtOnce} for no key update of s skip locked)
    update session_timers t set state = 'sent' from waiting w
     where t.account_id = app.account_id() and t.session_id = w.id and ${isDue} returning t.session_id`,
)

/** Stop due timers of the account whose sessions have moved or ended. */
export const stopOutdated = writeStatement(
  null,
  () => sql`
    update session_timers t set state = 'stopped'
     where t.account_id = app.account_id() and ${isDue}
       and not exists (select from sessions s where s.account_id = t.account_id and s.id = t.session_id and ${isAtStep})`,
)
