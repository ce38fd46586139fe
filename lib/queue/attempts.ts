import { type RawBuilder, sql } from 'kysely'
import type { PlatformDb } from '../db/scope.ts'
import type { SendResult } from '../net/send-result.ts'
import type { QueuePort } from './queue.ts'

// Rows that must be sent: each attempt is claimed, failed ones are repeated, and a sweep finds rows whose message was lost.

/** A claimed attempt. */
export interface Attempt {
  id: string
  attempts: number
  max_attempts: number
}

// Seconds until the next attempt, after the first, second and third failure.
const backoff = [30, 120, 600]

/** Return the seconds until the next attempt. Return null after success, after a final failure, or after the last attempt. */
export function secondsUntilRetry({ attempts, max_attempts }: Attempt, result: SendResult): number | null {
  if (result.ok || result.gone || attempts >= max_attempts) return null
  return Math.max(backoff[attempts - 1] ?? 600, result.retryAfterSeconds ?? 0)
}

export const abandonedAttemptError = 'The last attempt did not finish'

/** Build the statements for one table. `fresh` is the state before the first attempt, `done` the state after a successful one. */
export function attemptStatements(table: string, { fresh, done, doneAt }: { fresh: string; done: string; doneAt: string }) {
  const rows = sql.table(table)
  const open = sql`state in (${sql.lit(fresh)}, 'retrying')`
  const free = sql`(leased_until is null or leased_until <= app.now())`
  return {
    /** Claim an attempt for one minute. Return no row when another worker has it or the attempt is over. */
    claim: <Row>(id: string, attempt: number): RawBuilder<Row> => sql`
      update ${rows} set attempts = attempts + 1, leased_until = app.now() + interval '60 seconds'
       where id = ${id} and attempts = ${attempt} - 1 and ${open} and ${free} returning *`,
    /** Record the result of an attempt. Return no row when another attempt has been claimed since. */
    record: (
      { id, attempts }: Attempt,
      result: SendResult,
      retrySeconds: number | null,
      more: RawBuilder<unknown> = sql``,
    ): RawBuilder<{ id: string }> => sql`
      update ${rows}
         set state = ${result.ok ? done : retrySeconds === null ? 'failed' : 'retrying'}, leased_until = null, last_status_code = ${result.status},
             next_attempt_at = ${retrySeconds === null ? sql`null` : sql`app.now() + make_interval(secs => ${retrySeconds})`},
             last_error = ${result.ok ? null : result.error}, ${sql.ref(doneAt)} = ${result.ok ? sql`app.now()` : sql`null`} ${more}
       where id = ${id} and attempts = ${attempts} and ${open} returning id`,
    /** Condition for rows whose last attempt was claimed and never recorded. */
    abandoned: sql`${open} and attempts >= max_attempts and leased_until <= app.now()`,
    /** Select rows that are due and not claimed, oldest first: their message was lost. */
    async selectDue(db: PlatformDb, limit: number): Promise<{ id: string; attempts: number }[]> {
      const due = await sql<{ id: string; attempts: number }>`
        select id, attempts from ${rows}
         where ${open} and next_attempt_at <= app.now() - interval '5 seconds' and attempts < max_attempts and ${free}
         order by next_attempt_at limit ${limit}`.execute(db)
      return due.rows
    },
  }
}

type DueRow = { id: string; attempts: number }

/** Publish due rows again. When the queue does not answer, send the oldest 20 here. */
export async function republishDue(
  queue: QueuePort,
  due: readonly DueRow[],
  messageOf: (id: string, attempt: number) => { path: `/jobs/${string}`; body: Record<string, string | number> },
  tryHere: (id: string, attempt: number) => Promise<void>,
): Promise<void> {
  // Without a deduplication id: the queue may still remember the id of the lost message.
  const messages = due.map(({ id, attempts }) => messageOf(id, attempts + 1)).map(({ path, body }) => ({ path, body }))
  const published = await queue.publish(messages).then(
    () => true,
    () => false,
  )
  if (published) return
  for (const { id, attempts } of due.slice(0, 20)) await tryHere(id, attempts + 1)
}
