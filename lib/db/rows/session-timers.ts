import { type RawBuilder, sql } from 'kysely'
import type { StepTimer } from '#rules/flows/step-timer.ts'

const dueAt = (timer: StepTimer) =>
  'minutes' in timer
    ? sql`app.now() + make_interval(mins => ${timer.minutes})`
    : sql`app.next_time_of_day(${timer.until}::time, (select u.timezone from users u where u.account_id = s.account_id and u.id = s.user_id))`

const toUntil = (timer: StepTimer) => ('until' in timer ? timer.until : null)

/**
 * Return a common table expression, with a comma before it, that starts the timer of the step at which
 * sessions arrive. `source` has the columns of `sessions`. The expression is empty without a timer.
 */
export function startTimers(source: string, timer: StepTimer | null): RawBuilder<unknown> {
  if (!timer) return sql``
  return sql`,
    started_timers as (
      insert into session_timers (session_id, step_id, seq, due_at, until)
      select s.id, s.current_step_id, s.answered, ${dueAt(timer)}, ${toUntil(timer)}::time from ${sql.table(source)} s
      on conflict (account_id, session_id)
        do update set step_id = excluded.step_id, seq = excluded.seq, due_at = excluded.due_at, until = excluded.until, state = 'waiting')`
}
