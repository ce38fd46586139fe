import { requireConnection } from '#db/require-connection.ts'
import { type AccountStreams, createAccountStreams } from '#vendors/realtime/account-streams.ts'
import { createSignInCheck, type StreamOwner } from '#vendors/realtime/active-sign-ins.ts'
import type { LiveEvent, StreamListener, TransientEvent } from '#vendors/realtime/realtime.ts'
import {
  maxStoredEvents,
  maxStoredKeys,
  parseEventId,
  startAfter,
  startWithNewEvents,
} from '#vendors/realtime/stored-events.ts'
import type { StreamEvent, StreamStart } from '#vendors/realtime/subscriber.ts'
import { type AccountSockets, createAccountSockets, type HubSocket, type SocketState } from './hub-sockets.ts'
import { openNeon } from './neon.ts'
import { createSocketResponse } from './realtime.ts'
import { parseCloudflareConfig } from './settings.ts'

interface DurableState extends SocketState {
  storage: SocketState['storage'] & {
    deleteAll(): Promise<void>
    sql: { exec<Row>(query: string, ...values: (string | number)[]): { toArray(): Row[] } }
  }
}

declare const WebSocketPair: new () => { 0: unknown; 1: HubSocket }

/**
 * Hold one account's open streams and sockets, and its last 256 events. A Durable Object, because they must
 * all be in one place. While only sockets are open, the object hibernates: everything that it needs
 * afterwards is in SQLite or attached to a socket.
 */
export class EscalationHub {
  readonly #storage: DurableState['storage']
  readonly #sql: DurableState['storage']['sql']
  readonly #streams: AccountStreams
  readonly #sockets: AccountSockets

  constructor(state: DurableState, env: Record<string, unknown>) {
    const config = parseCloudflareConfig({ ...env })
    const { DATABASE_URL, NEON_HTTP_ENDPOINT, NEON_WS_PROXY, STREAM_HEARTBEAT_MS } = config
    const neon = { url: DATABASE_URL, httpEndpoint: NEON_HTTP_ENDPOINT, wsProxy: NEON_WS_PROXY }
    const database = requireConnection(openNeon(neon), 'DATABASE_URL', config)
    const settings = { heartbeatMs: STREAM_HEARTBEAT_MS, selectActiveSignIns: createSignInCheck(database) }
    this.#storage = state.storage
    this.#sql = state.storage.sql
    this.#sockets = createAccountSockets(state, {
      ...settings,
      readEventsAfter: (id) => this.#startAfter(String(id)),
      listOtherConnections: (userId) => this.#streams.listConnections(userId),
    })
    this.#streams = createAccountStreams({ ...settings, listOtherConnections: this.#sockets.listConnections })
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/erase') return this.#erase()
    this.#sql.exec(
      'create table if not exists events (id integer primary key autoincrement, key text not null unique, event text not null, data text not null)',
    )
    switch (pathname) {
      case '/publish':
        this.#publish((await request.json()) as LiveEvent[])
        // Not awaited: the publisher waits for the events to be stored, not for the check of the sign-ins
        // before they are sent.
        void this.#sockets.sendNewEvents()
        return new Response(null, { status: 204 })
      case '/broadcast': {
        const events = (await request.json()) as TransientEvent[]
        for (const event of events) this.#streams.broadcast(event)
        void this.#sockets.broadcast(events)
        return new Response(null, { status: 204 })
      }
      case '/subscribe': {
        const { lastEventId, ...listener } = (await request.json()) as StreamOwner &
          Omit<StreamListener, 'signal'>
        await this.#streams.findClosed(listener.userId)
        return new Response(this.#streams.open(listener, this.#startAfter(lastEventId), request.signal))
      }
      case '/socket': {
        const { lastEventId = null, ...owner } = Object.fromEntries(searchParams) as Partial<
          Record<string, string>
        >
        await this.#streams.findClosed(owner.userId ?? '')
        const { 0: client, 1: socket } = new WebSocketPair()
        await this.#sockets.open(socket, owner as unknown as StreamOwner, this.#startAfter(lastEventId))
        return createSocketResponse(client)
      }
      case '/forget':
        // The next event has a higher id than all before, because the column is `autoincrement`.
        this.#sql.exec('delete from events')
        await Promise.all([this.#streams.checkSignIns(), this.#sockets.checkSignIns()])
        return new Response(null, { status: 204 })
      default:
        return Response.json({ subscribers: this.#streams.count() + this.#sockets.count() })
    }
  }

  webSocketMessage(socket: HubSocket): void {
    this.#sockets.refuseMessage(socket)
  }

  /**
   * Answer the close of a client. The runtime does not:
   * https://developers.cloudflare.com/durable-objects/api/base/#websocketclose
   */
  webSocketClose(socket: HubSocket): void {
    socket.close(1000)
  }

  async alarm(): Promise<void> {
    await this.#sockets.checkSignIns()
  }

  /**
   * Free the object, which is billed until it stores nothing. Only for an account that no longer exists: the
   * ids start again afterwards. It deletes the alarm too:
   * https://developers.cloudflare.com/changelog/2026-02-24-deleteall-deletes-alarms
   */
  async #erase(): Promise<Response> {
    await Promise.all([this.#streams.checkSignIns(), this.#sockets.checkSignIns()])
    if (this.#streams.count() + this.#sockets.count() > 0) return new Response(null, { status: 409 })
    await this.#storage.deleteAll()
    return new Response(null, { status: 204 })
  }

  #publish(events: readonly LiveEvent[]): void {
    for (const { key, event, data } of events) {
      const text = JSON.stringify(data)
      // `on conflict do nothing` would use up an id, and the next client that reconnects would count it as a
      // lost event.
      const insert =
        'insert into events (key, event, data) select ?, ?, ? where not exists (select 1 from events where key = ?) returning id'
      const [row] = this.#sql.exec<{ id: number }>(insert, key, event, text, key).toArray()
      // A repeated publish: the first one arrived, but its answer was lost.
      if (!row) continue
      // The key of a dropped event stays, so that a late repetition is still recognised.
      this.#sql.exec(`update events set event = '', data = '' where id = ?`, row.id - maxStoredEvents)
      this.#sql.exec('delete from events where id <= ?', row.id - maxStoredKeys)
      this.#streams.send({ id: row.id, event, data: text })
    }
  }

  /**
   * Return the stored events after `lastEventId`: none if it is missing or malformed, all if it is higher
   * than the newest id.
   */
  #startAfter(lastEventId: string | null): StreamStart {
    const [{ newest } = { newest: 0 }] = this.#sql
      .exec<{ newest: number }>('select coalesce(max(id), 0) as newest from events')
      .toArray()
    const received = parseEventId(lastEventId)
    if (received === undefined) return startWithNewEvents(newest)
    const after = received <= newest ? received : 0
    const stored = 'select id, event, data from events where id > ? order by id'
    const missed = this.#sql.exec<StreamEvent>(stored, Math.max(after, newest - maxStoredEvents)).toArray()
    return startAfter(after, missed, { firstId: 1, newestId: newest })
  }
}
