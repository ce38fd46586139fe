import { type RawBuilder, sql } from 'kysely'
import type { PlatformDb } from '../db/scope.ts'
import type { SendResult } from '../net/send-result.ts'
import type { QueuePort } from './queue.ts'

// The attempts to deliver a row: each is claimed, a failed one is repeated, and a sweep finds rows whose message was lost.

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

/** Build the statements for one table. `initial` is the state before the first attempt, `done` the state after a successful one, `doneAt` the column with its time. */
export function attemptStatements(table: string, { initial, done, doneAt }: { initial: string; done: string; doneAt: string }) {
  const tableRef = sql.table(table)
  const isOpen = sql`state in (${sql.lit(initial)}, 'retrying')`
  const isUnclaimed = sql`(leased_until is null or leased_until <= app.now())`
  return {
    /** Claim an attempt for one minute. Return no row when another worker has it or the attempt is over. */
    claim: <Row>(id: string, attempt: number): RawBuilder<Row> => sql`
      update ${tableRef} set attempts = attempts + 1, leased_until = app.now() + interval '60 seconds'
       where id = ${id} and attempts = ${attempt} - 1 and ${isOpen} and ${isUnclaimed} returning *`,
    /** Record the result of an attempt. Return no row when another attempt has been claimed since. */
    record: (
      { id, attempts }: Attempt,
      result: SendResult,
      retrySeconds: number | null,
      extraAssignments: RawBuilder<unknown> = sql``,
    ): RawBuilder<{ id: string }> => sql`
      update ${tableRef}
         set state = ${result.ok ? done : retrySeconds === null ? 'failed' : 'retrying'}, leased_until = null, last_status_code = ${result.status},
             next_attempt_at = ${retrySeconds === null ? sql`null` : sql`app.now() + make_interval(secs => ${retrySeconds})`},
             last_error = ${result.ok ? null : result.error}, ${sql.ref(doneAt)} = ${result.ok ? sql`app.now()` : sql`null`} ${extraAssignments}
       where id = ${id} and attempts = ${attempts} and ${isOpen} returning id`,
    /** Condition for rows whose last attempt was claimed and never recorded. */
    abandoned: sql`${isOpen} and attempts >= max_attempts and leased_until <= app.now()`,
    /** Select rows that are due and not claimed, oldest first: their message was lost. */
    async selectDue(db: PlatformDb, limit: number): Promise<{ id: string; attempts: number }[]> {
      const due = await sql<{ id: string; attempts: number }>`
        select id, attempts from ${tableRef}
         where ${isOpen} and next_attempt_at <= app.now() - interval '5 seconds' and attempts < max_attempts and ${isUnclaimed}
         order by next_attempt_at limit ${limit}`.execute(db)
      return due.rows
    },
  }
}

type DueRow = { id: string; attempts: number }

/** Publish due rows again. When the queue does not answer, attempt the oldest 20 in this process. */
export async function republishDue(
  queue: QueuePort,
  due: readonly DueRow[],
  toMessage: (id: string, attempt: number) => { path: `/jobs/${string}`; body: Record<string, string | number> },
  attemptHere: (id: string, attempt: number) => Promise<void>,
): Promise<void> {
  // Without a deduplication id: the queue may still remember the id of the lost message.
  const messages = due.map(({ id, attempts }) => toMessage(id, attempts + 1)).map(({ path, body }) => ({ path, body }))
  const published = await queue.publish(messages).then(
    () => true,
    () => false,
  )
  if (published) return
  for (const { id, attempts } of due.slice(0, 20)) await attemptHere(id, attempts + 1)
}
