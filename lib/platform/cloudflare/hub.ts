import type { Database } from '../../db/database.ts'
import type { LiveEvent } from '../../realtime/realtime.ts'
import { openSubscriber, type StreamEvent, type Subscriber } from '../../realtime/subscriber.ts'
import { openNeon } from './neon.ts'
import { parseCloudflareConfig } from './settings.ts'

interface DurableState {
  storage: { sql: { exec<Row>(query: string, ...values: (string | number)[]): { toArray(): Row[] } } }
}
interface StreamOwner {
  accountId: string
  userId: string
  signInId: string
}

const maxStoredEvents = 256
/** Open streams per person. One more closes the oldest. */
const maxStreamsPerUser = 5
// A client that has read nothing for this long counts as disconnected.
const maxUnreadMs = 300_000
// After this many failed sign-in checks in a row, all streams are closed.
const maxFailedChecks = 4

/** Hold one account's open streams and its last 256 events. A Durable Object, because all streams of an account must be in one place. */
export class EscalationHub {
  readonly #sql: DurableState['storage']['sql']
  readonly #database: Database
  readonly #heartbeatMs: number
  readonly #streams = new Map<Subscriber, StreamOwner>()
  #heartbeat: ReturnType<typeof setInterval> | undefined
  #isChecking = false
  #failedChecks = 0

  constructor(state: DurableState, env: Record<string, unknown>) {
    const { DATABASE_URL, NEON_HTTP_ENDPOINT, NEON_WS_PROXY, STREAM_HEARTBEAT_MS } = parseCloudflareConfig({ ...env })
    this.#database = openNeon({ url: DATABASE_URL, httpEndpoint: NEON_HTTP_ENDPOINT, wsProxy: NEON_WS_PROXY })
    this.#heartbeatMs = STREAM_HEARTBEAT_MS
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
        return new Response(this.#subscribe(owner, lastEventId, request.signal))
      }
      default:
        return Response.json({ subscribers: this.#streams.size })
    }
  }

  #publish(events: readonly LiveEvent[]): void {
    for (const { key, event, data } of events) {
      const text = JSON.stringify(data)
      const insert = 'insert into events (key, event, data) values (?, ?, ?) on conflict (key) do nothing returning id'
      const [row] = this.#sql.exec<{ id: number }>(insert, key, event, text).toArray()
      // A repeated publish: the first one arrived, but its answer was lost.
      if (!row) continue
      this.#sql.exec('delete from events where id <= ?', row.id - maxStoredEvents)
      for (const subscriber of this.#streams.keys()) subscriber.send({ id: row.id, event, data: text })
    }
  }

  #subscribe(owner: StreamOwner, lastEventId: string | null, signal: AbortSignal): ReadableStream<Uint8Array> {
    const { missed, ...gap } = this.#eventsAfter(lastEventId)
    const leave = () => this.#leave(subscriber)
    const subscriber = openSubscriber(missed, gap, leave)
    this.#replaceOldest(owner.userId)
    this.#streams.set(subscriber, owner)
    this.#heartbeat ??= setInterval(() => this.#sendHeartbeats(), this.#heartbeatMs)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    return subscriber.body
  }

  /**
   * Close the oldest stream of a user who has as many as allowed. Refusing the new one instead would lock out a client whose connection
   * broke unnoticed, because its old streams still count.
   */
  #replaceOldest(userId: string): void {
    const own = [...this.#streams].filter(([, owner]) => owner.userId === userId)
    for (const [subscriber] of own.slice(0, Math.max(0, own.length - maxStreamsPerUser + 1))) {
      subscriber.replace()
      this.#leave(subscriber)
    }
  }

  /** Return the stored events after `lastEventId`: none if it is missing or malformed, all if it is higher than the newest id. */
  #eventsAfter(lastEventId: string | null): { missed: StreamEvent[]; after: number; lostCount: number } {
    const [{ newest } = { newest: 0 }] = this.#sql.exec<{ newest: number }>('select coalesce(max(id), 0) as newest from events').toArray()
    if (!lastEventId || !/^\d{1,15}$/.test(lastEventId)) return { missed: [], after: newest, lostCount: 0 }
    const after = Number(lastEventId) <= newest ? Number(lastEventId) : 0
    const missed = this.#sql.exec<StreamEvent>('select id, event, data from events where id > ? order by id', after).toArray()
    return { missed, after, lostCount: Math.max(0, (missed[0]?.id ?? 0) - after - 1) }
  }

  #leave(subscriber: Subscriber): void {
    this.#streams.delete(subscriber)
    subscriber.close()
    if (this.#streams.size > 0) return
    clearInterval(this.#heartbeat)
    this.#heartbeat = undefined
  }

  #sendHeartbeats(): void {
    for (const subscriber of [...this.#streams.keys()])
      if (subscriber.sendHeartbeat() * this.#heartbeatMs >= maxUnreadMs) this.#leave(subscriber)
    void this.#closeEndedSignIns()
  }

  /** Close the streams of users who have lost access, with one query for all. Close every stream after several failed checks. */
  async #closeEndedSignIns(): Promise<void> {
    if (this.#isChecking || this.#streams.size === 0) return
    this.#isChecking = true
    const streams = [...this.#streams]
    const active = await this.#selectActiveSignIns(streams.map(([, owner]) => owner)).catch(() => undefined)
    this.#isChecking = false
    this.#failedChecks = active ? 0 : this.#failedChecks + 1
    if (!active && this.#failedChecks < maxFailedChecks) return
    for (const [subscriber, { signInId }] of streams) if (!active?.has(signInId)) this.#leave(subscriber)
  }

  async #selectActiveSignIns(owners: readonly StreamOwner[]): Promise<Set<string>> {
    const uniqueOwners = [...new Map(owners.map((owner) => [owner.signInId, owner])).values()]
    const users = `{${uniqueOwners.map(({ userId }) => userId).join(',')}}`
    const signIns = `{${uniqueOwners.map(({ signInId }) => signInId).join(',')}}`
    const sql = `select id from app.still_let_in($1, $2::uuid[], $3::uuid[], 'engineer', 'ai_sessions') id`
    const [result] = await this.#database.run([{ sql, parameters: [uniqueOwners[0]?.accountId, users, signIns] }], { readOnly: false })
    return new Set(result?.rows.map((row) => (row as { id: string }).id))
  }
}
