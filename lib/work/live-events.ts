import { sql } from 'kysely'
import * as z from 'zod'
import { limitConcurrency } from '#async/limit-concurrency.ts'
import { jsonb } from '#db/expressions.ts'
import type { Enqueues, PlatformDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { type LiveEvent, liveEvents, type RealtimePort } from '#vendors/realtime/realtime.ts'
import { isUnswept } from './attempts.ts'
import { lockInTurn } from './lock-in-turn.ts'
import type { SweepOptions } from './sweep.ts'

/** An inserted event. */
export const StoredLiveEvent = z.object({
  account_id: z.string(),
  key: z.string(),
  event: z.enum(liveEvents),
  data: z.custom<LiveEvent['data']>(),
})
export type StoredLiveEvent = z.output<typeof StoredLiveEvent>

/**
 * Return the statement that inserts an event. On the platform connection too, the account is that of the
 * scope that was entered.
 */
export function insertLiveEvent(
  db: WriteDb | PlatformDb,
  event: LiveEvent['event'],
  data: LiveEvent['data'],
) {
  return (db as WriteDb)
    .insertInto('stream_events')
    .values({ event, data: jsonb<unknown>(data) })
    .returning(['account_id', 'id as key', 'event', 'data'])
    .$castTo<StoredLiveEvent>()
}

/** Insert and enqueue an event for the account's open streams, in the transaction of `db`. */
export async function enqueueLiveEvent(
  db: WriteDb | PlatformDb,
  event: LiveEvent['event'],
  data: LiveEvent['data'],
): Promise<void> {
  registerLiveEvent(db, await insertLiveEvent(db, event, data).executeTakeFirstOrThrow())
}

/** Register an event that the transaction of `db` has inserted. */
export function registerLiveEvent(db: Enqueues, { account_id, ...event }: StoredLiveEvent): void {
  db.outbox({ kind: 'live_event', accountId: account_id, event })
}

export const deleteLiveEvents = writeStatement(null, (accountId: string, events: readonly LiveEvent[]) => {
  const keys = `{${events.map(({ key }) => key).join(',')}}`
  return sql`delete from stream_events where account_id = ${accountId} and id = any (${keys}::uuid[])`
})

interface LiveContext {
  platform: PlatformDb
  realtime: RealtimePort
}

// Less than a stream's queue, so that a client that keeps reading receives all of them.
const publishedAtOnce = 16

/** Publish events to the account's open streams, and delete their rows once the hub has them. */
export async function publishLiveEvents(
  { platform, realtime }: LiveContext,
  accountId: string,
  events: readonly LiveEvent[],
): Promise<void> {
  for (let n = 0; n < events.length; n += publishedAtOnce) {
    const batch = events.slice(n, n + publishedAtOnce)
    await realtime.publish(accountId, batch)
    await deleteLiveEvents.run(platform, accountId, batch)
  }
}

export const deleteOldLiveEvents = writeStatement(
  null,
  () => sql`delete from stream_events where created_at < app.now() - interval '1 day'`,
)

const SweptEvents = z.object({ account_id: z.string(), events: z.custom<LiveEvent[]>() })

/** Mark events whose first publish failed as swept, and return them by account, oldest first. */
export const claimDueLiveEvents = writeStatement(SweptEvents, (limit: number) => {
  const isDue = sql`created_at <= app.now() - interval '5 seconds' and ${isUnswept}`
  return sql`
      with ${lockInTurn('stream_events', { isDue, orderBy: 'id', limit })},
      swept as (
        update stream_events e set swept_at = app.now() from due where e.account_id = due.account_id and e.id = due.id
        returning e.account_id, e.id, e.event, e.data)
      select account_id, jsonb_agg(jsonb_build_object('key', id, 'event', event, 'data', data) order by id) as events from swept group by account_id`
})

const sweptAtOnce = 500
const parallelAccounts = 2

/**
 * Publish events whose first publish failed until none is left or the time is over, and delete those older
 * than a day.
 */
export async function sweepLiveEvents(
  ctx: LiveContext,
  { budgetMs, now, slots }: SweepOptions,
): Promise<void> {
  const end = now() + budgetMs
  const accountSlots = limitConcurrency({ running: parallelAccounts })
  const publishSwept = ({ account_id, events }: z.output<typeof SweptEvents>) =>
    accountSlots(() => slots(() => publishLiveEvents(ctx, account_id, events))).catch(() => {})
  await deleteOldLiveEvents.run(ctx.platform)
  while (now() < end) {
    const waiting = await claimDueLiveEvents.all(ctx.platform, sweptAtOnce)
    if (waiting.length === 0) return
    await Promise.all(waiting.map(publishSwept))
  }
}
