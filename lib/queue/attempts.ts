import { type RawBuilder, sql } from 'kysely'
import type { PlatformDb } from '../db/scope.ts'
import type { Sent } from '../net/sent.ts'
import type { QueuePort } from './queue.ts'

// Rows that must leave the house: claimed attempt by attempt, tried again later, and found by a sweep when their message was lost.

/** An attempt that was claimed. */
export interface Attempt {
  id: string
  attempts: number
  max_attempts: number
}

// Seconds until the next attempt, after the first, second and third failure.
const backoff = [30, 120, 600]

/** Seconds until a claimed row is tried again after this, or null when it is not: it arrived, never will, or this was the last attempt. */
export function nextDelay({ attempts, max_attempts }: Attempt, sent: Sent): number | null {
  if (sent.ok || sent.gone || attempts >= max_attempts) return null
  return Math.max(backoff[attempts - 1] ?? 600, sent.retryAfterSeconds ?? 0)
}

export const neverReported = 'The last attempt never reported back'

/** The statements of one table of such rows. `fresh` is the state before the first attempt, `done` the one after the last that worked. */
export function attemptsOf(table: string, { fresh, done, doneAt }: { fresh: string; done: string; doneAt: string }) {
  const rows = sql.table(table)
  const open = sql`state in (${sql.lit(fresh)}, 'retrying')`
  const free = sql`(leased_until is null or leased_until <= app.now())`
  return {
    /** Takes attempt `attempt` for a minute: no row when another worker has it or it is past that attempt. */
    claim: <Row>(id: string, attempt: number): RawBuilder<Row> => sql`
      update ${rows} set attempts = attempts + 1, leased_until = app.now() + interval '60 seconds'
       where id = ${id} and attempts = ${attempt} - 1 and ${open} and ${free} returning *`,
    /** Writes how an attempt ended; no row when it has moved on without it. */
    record: (
      { id, attempts }: Attempt,
      sent: Sent,
      retrySeconds: number | null,
      more: RawBuilder<unknown> = sql``,
    ): RawBuilder<{ id: string }> => sql`
      update ${rows}
         set state = ${sent.ok ? done : retrySeconds === null ? 'failed' : 'retrying'}, leased_until = null, last_status_code = ${sent.status},
             next_attempt_at = ${retrySeconds === null ? sql`null` : sql`app.now() + make_interval(secs => ${retrySeconds})`},
             last_error = ${sent.ok ? null : sent.error}, ${sql.ref(doneAt)} = ${sent.ok ? sql`app.now()` : sql`null`} ${more}
       where id = ${id} and attempts = ${attempts} and ${open} returning id`,
    /** Of rows that a worker took for their last attempt and never reported of. */
    abandoned: sql`${open} and attempts >= max_attempts and leased_until <= app.now()`,
    /** What is due, unleased and was therefore lost by the queue; the oldest first. */
    async selectDue(db: PlatformDb, limit: number): Promise<{ id: string; attempts: number }[]> {
      const due = await sql<{ id: string; attempts: number }>`
        select id, attempts from ${rows}
         where ${open} and next_attempt_at <= app.now() - interval '5 seconds' and attempts < max_attempts and ${free}
         order by next_attempt_at limit ${limit}`.execute(db)
      return due.rows
    },
  }
}

type Due = { id: string; attempts: number }

/** Publishes what is due once more, or tries the oldest 20 here when the queue is away too. */
export async function republish(
  queue: QueuePort,
  due: readonly Due[],
  messageOf: (id: string, attempt: number) => { path: `/jobs/${string}`; body: Record<string, string | number> },
  tryHere: (id: string, attempt: number) => Promise<void>,
): Promise<void> {
  // Without an id of its own: the queue may remember the first message, the one that was lost.
  const messages = due.map(({ id, attempts }) => messageOf(id, attempts + 1)).map(({ path, body }) => ({ path, body }))
  const published = await queue.publish(messages).then(
    () => true,
    () => false,
  )
  if (published) return
  for (const { id, attempts } of due.slice(0, 20)) await tryHere(id, attempts + 1)
}
