import { sql } from 'kysely'
import type { PlatformDb, WriteDb } from '../db/scope.ts'
import type { LiveEvent, RealtimePort } from './realtime.ts'

/**
 * Writes an event for the account's open streams in the transaction of `db`. Publish it after the commit; what is not published, for whatever
 * reason, is found by the sweep.
 */
export async function queueLive(db: Pick<WriteDb, 'getExecutor'>, event: LiveEvent['event'], data: LiveEvent['data']): Promise<LiveEvent> {
  const { rows } = await sql<LiveEvent>`
    insert into stream_events (event, data) values (${event}, ${JSON.stringify(data)}::jsonb) returning id as key, event, data`.execute(
    db as WriteDb,
  )
  return rows[0] as LiveEvent
}

interface Publishing {
  db: Pick<WriteDb, 'getExecutor'> | PlatformDb
  realtime: RealtimePort
}

// Fewer than a stream's queue holds: one that reads on gets them all.
const together = 16

/** Tells the account's open streams; their rows go when the hub has them. */
export async function publishLive({ db, realtime }: Publishing, accountId: string, events: readonly LiveEvent[]): Promise<void> {
  for (let n = 0; n < events.length; n += together) {
    const some = events.slice(n, n + together)
    await realtime.publish(accountId, some)
    const keys = `{${some.map(({ key }) => key).join(',')}}`
    await sql`delete from stream_events where account_id = ${accountId} and id = any (${keys}::uuid[])`.execute(db as WriteDb)
  }
}

const slice = 500
// Below the six connections that a request may hold.
const atOnce = 4

/** Every minute: what was not published. After a day nobody waits for it any more. */
export async function sweepLive({ platform, realtime }: { platform: PlatformDb; realtime: RealtimePort }): Promise<void> {
  await sql`delete from stream_events where created_at < app.now() - interval '1 day'`.execute(platform)
  const { rows } = await sql<{ account_id: string; events: LiveEvent[] }>`
    select account_id, jsonb_agg(jsonb_build_object('key', id, 'event', event, 'data', data) order by id) as events
      from (select * from stream_events where created_at <= app.now() - interval '5 seconds' order by created_at, id limit ${slice}) waiting
     group by account_id`.execute(platform)
  for (let n = 0; n < rows.length; n += atOnce) {
    const some = rows.slice(n, n + atOnce)
    await Promise.all(some.map(({ account_id, events }) => publishLive({ db: platform, realtime }, account_id, events).catch(() => {})))
  }
}
