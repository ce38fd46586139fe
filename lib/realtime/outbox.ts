import { sql } from 'kysely'
import type { PlatformDb, WriteDb } from '../db/scope.ts'
import type { LiveEvent, RealtimePort } from './realtime.ts'

/**
 * Write an event for the account's open streams in the transaction of `db`. The caller publishes it after the commit; otherwise the sweep
 * does.
 */
export async function insertLiveEvent(
  db: Pick<WriteDb, 'getExecutor'>,
  event: LiveEvent['event'],
  data: LiveEvent['data'],
): Promise<LiveEvent> {
  const { rows } = await sql<LiveEvent>`
    insert into stream_events (event, data) values (${event}, ${JSON.stringify(data)}::jsonb) returning id as key, event, data`.execute(
    db as WriteDb,
  )
  return rows[0] as LiveEvent
}

interface LiveOutboxContext {
  db: Pick<WriteDb, 'getExecutor'> | PlatformDb
  realtime: RealtimePort
}

// Less than a stream's queue, so that a client that keeps reading receives all of them.
const publishBatchSize = 16

/** Publish events to the account's open streams, and delete their rows once the hub has them. */
export async function publishLiveEvents(
  { db, realtime }: LiveOutboxContext,
  accountId: string,
  events: readonly LiveEvent[],
): Promise<void> {
  for (let n = 0; n < events.length; n += publishBatchSize) {
    const batch = events.slice(n, n + publishBatchSize)
    await realtime.publish(accountId, batch)
    const keys = `{${batch.map(({ key }) => key).join(',')}}`
    await sql`delete from stream_events where account_id = ${accountId} and id = any (${keys}::uuid[])`.execute(db as WriteDb)
  }
}

const sweepLimit = 500
// A Worker may hold six open connections.
const maxParallelAccounts = 4

/** Publish events whose first publish failed, and delete those older than a day. The cron trigger calls this each minute. */
export async function sweepLiveEvents({ platform, realtime }: { platform: PlatformDb; realtime: RealtimePort }): Promise<void> {
  await sql`delete from stream_events where created_at < app.now() - interval '1 day'`.execute(platform)
  const { rows } = await sql<{ account_id: string; events: LiveEvent[] }>`
    select account_id, jsonb_agg(jsonb_build_object('key', id, 'event', event, 'data', data) order by id) as events
      from (select * from stream_events where created_at <= app.now() - interval '5 seconds' order by created_at, id limit ${sweepLimit}) waiting
     group by account_id`.execute(platform)
  for (let n = 0; n < rows.length; n += maxParallelAccounts) {
    const accounts = rows.slice(n, n + maxParallelAccounts)
    await Promise.all(
      accounts.map(({ account_id, events }) => publishLiveEvents({ db: platform, realtime }, account_id, events).catch(() => {})),
    )
  }
}
