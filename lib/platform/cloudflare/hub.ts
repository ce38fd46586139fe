import { type AccountStreams, createAccountStreams } from '../../realtime/account-streams.ts'
import { createSignInCheck, type StreamOwner } from '../../realtime/active-sign-ins.ts'
import type { LiveEvent } from '../../realtime/realtime.ts'
import { maxStoredEvents, parseEventId, startAfter, startWithNewEvents } from '../../realtime/stored-events.ts'
import type { StreamEvent, StreamStart } from '../../realtime/subscriber.ts'
import { openNeon } from './neon.ts'
import { parseCloudflareConfig } from './settings.ts'

interface DurableState {
  storage: { sql: { exec<Row>(query: string, ...values: (string | number)[]): { toArray(): Row[] } } }
}

/** Hold one account's open streams and its last 256 events. A Durable Object, because all streams of an account must be in one place. */
export class EscalationHub {
  readonly #sql: DurableState['storage']['sql']
  readonly #streams: AccountStreams

  constructor(state: DurableState, env: Record<string, unknown>) {
    const { DATABASE_URL, NEON_HTTP_ENDPOINT, NEON_WS_PROXY, STREAM_HEARTBEAT_MS } = parseCloudflareConfig({ ...env })
    const database = openNeon({ url: DATABASE_URL, httpEndpoint: NEON_HTTP_ENDPOINT, wsProxy: NEON_WS_PROXY })
    this.#streams = createAccountStreams({ heartbeatMs: STREAM_HEARTBEAT_MS, selectActiveSignIns: createSignInCheck(database) })
    this.#sql = state.storage.sql
    this.#sql.exec(
      'create table if not exists events (id integer primary key autoincrement, key text not null unique, event text not null, data text not null)',
    )
  }

  async fetch(request: Request): Promise<Response> {
    switch (new URL(request.url).pathname) {
      case '/publish':
        this.#publish((await request.json()) as LiveEvent[])
        return new Response(null, { status: 204 })
      case '/subscribe': {
        const { lastEventId, ...owner } = (await request.json()) as StreamOwner & { lastEventId: string | null }
        return new Response(this.#streams.open(owner, this.#startAfter(lastEventId), request.signal))
      }
      default:
        return Response.json({ subscribers: this.#streams.count() })
    }
  }

  #publish(events: readonly LiveEvent[]): void {
    for (const { key, event, data } of events) {
      const text = JSON.stringify(data)
      // `on conflict do nothing` would use up an id, and the next client that reconnects would count it as a lost event.
      const insert =
        'insert into events (key, event, data) select ?, ?, ? where not exists (select 1 from events where key = ?) returning id'
      const [row] = this.#sql.exec<{ id: number }>(insert, key, event, text, key).toArray()
      // A repeated publish: the first one arrived, but its answer was lost.
      if (!row) continue
      this.#sql.exec('delete from events where id <= ?', row.id - maxStoredEvents)
      this.#streams.send({ id: row.id, event, data: text })
    }
  }

  /** Return the stored events after `lastEventId`: none if it is missing or malformed, all if it is higher than the newest id. */
  #startAfter(lastEventId: string | null): StreamStart {
    const [{ newest } = { newest: 0 }] = this.#sql.exec<{ newest: number }>('select coalesce(max(id), 0) as newest from events').toArray()
    const received = parseEventId(lastEventId)
    if (received === undefined) return startWithNewEvents(newest)
    const after = received <= newest ? received : 0
    const missed = this.#sql.exec<StreamEvent>('select id, event, data from events where id > ? order by id', after).toArray()
    return startAfter(after, missed, { firstId: 1, newestId: newest })
  }
}
