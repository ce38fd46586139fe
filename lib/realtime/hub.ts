import { parseConfig } from '../config.ts'
import { openWire, type Wire } from '../db/client.ts'
import type { LiveEvent } from './realtime.ts'
import { type Numbered, openSubscriber, type Subscriber } from './subscriber.ts'

interface State {
  storage: { sql: { exec<Row>(query: string, ...values: (string | number)[]): { toArray(): Row[] } } }
}
interface Listening {
  accountId: string
  userId: string
  signInId: string
}

const kept = 256
// How long a client may be behind until it counts as gone.
const patienceMs = 300_000
// Heartbeats in a row that could not ask who is still signed in, until nobody is taken to be.
const blindness = 4

/** One account's open streams and the last events they were told: a Durable Object, since all its streams must meet in one place. */
export class EscalationHub {
  readonly #sql: State['storage']['sql']
  readonly #wire: Wire
  readonly #heartbeatMs: number
  readonly #open = new Map<Subscriber, Listening>()
  #clock: ReturnType<typeof setInterval> | undefined
  #asking = false
  #blind = 0

  constructor(state: State, env: Record<string, unknown>) {
    const { DATABASE_URL, NEON_HTTP_ENDPOINT, NEON_WS_PROXY, STREAM_HEARTBEAT_MS } = parseConfig({ ...env })
    this.#wire = openWire({ url: DATABASE_URL, httpEndpoint: NEON_HTTP_ENDPOINT, wsProxy: NEON_WS_PROXY })
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
        const { lastEventId, ...listening } = (await request.json()) as Listening & { lastEventId: string | null }
        return new Response(this.#subscribe(listening, lastEventId, request.signal))
      }
      default:
        return Response.json({ subscribers: this.#open.size })
    }
  }

  #publish(events: readonly LiveEvent[]): void {
    for (const { key, event, data } of events) {
      const text = JSON.stringify(data)
      const insert = 'insert into events (key, event, data) values (?, ?, ?) on conflict (key) do nothing returning id'
      const [row] = this.#sql.exec<{ id: number }>(insert, key, event, text).toArray()
      // It came already: whoever published it before did not hear that it had arrived.
      if (!row) continue
      this.#sql.exec('delete from events where id <= ?', row.id - kept)
      for (const subscriber of this.#open.keys()) subscriber.send({ id: row.id, event, data: text })
    }
  }

  #subscribe(listening: Listening, lastEventId: string | null, signal: AbortSignal): ReadableStream<Uint8Array> {
    const { missed, ...gap } = this.#since(lastEventId)
    const leave = () => this.#leave(subscriber)
    const subscriber = openSubscriber(missed, gap, leave)
    this.#open.set(subscriber, listening)
    this.#clock ??= setInterval(() => this.#beat(), this.#heartbeatMs)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    return subscriber.body
  }

  /** What came after an event. An id that none of ours can be gets all that is kept. */
  #since(lastEventId: string | null): { missed: Numbered[]; after: number; forgotten: number } {
    const [{ newest } = { newest: 0 }] = this.#sql.exec<{ newest: number }>('select coalesce(max(id), 0) as newest from events').toArray()
    if (!lastEventId || !/^\d{1,15}$/.test(lastEventId)) return { missed: [], after: newest, forgotten: 0 }
    const after = Number(lastEventId) <= newest ? Number(lastEventId) : 0
    const missed = this.#sql.exec<Numbered>('select id, event, data from events where id > ? order by id', after).toArray()
    return { missed, after, forgotten: Math.max(0, (missed[0]?.id ?? 0) - after - 1) }
  }

  #leave(subscriber: Subscriber): void {
    this.#open.delete(subscriber)
    subscriber.end()
    if (this.#open.size > 0) return
    clearInterval(this.#clock)
    this.#clock = undefined
  }

  #beat(): void {
    for (const subscriber of [...this.#open.keys()]) if (subscriber.beat() * this.#heartbeatMs >= patienceMs) this.#leave(subscriber)
    void this.#dismiss()
  }

  /** Ends the streams of those who may not listen any more: one question to the database, whoever they are and however many. */
  async #dismiss(): Promise<void> {
    if (this.#asking || this.#open.size === 0) return
    this.#asking = true
    const asked = [...this.#open]
    const letIn = await this.#stillLetIn(asked.map(([, listening]) => listening)).catch(() => undefined)
    this.#asking = false
    this.#blind = letIn ? 0 : this.#blind + 1
    if (!letIn && this.#blind < blindness) return
    for (const [subscriber, { signInId }] of asked) if (!letIn?.has(signInId)) this.#leave(subscriber)
  }

  async #stillLetIn(listening: readonly Listening[]): Promise<Set<string>> {
    const people = [...new Map(listening.map((one) => [one.signInId, one])).values()]
    const users = `{${people.map(({ userId }) => userId).join(',')}}`
    const signIns = `{${people.map(({ signInId }) => signInId).join(',')}}`
    const sql = `select id from app.still_let_in($1, $2::uuid[], $3::uuid[], 'engineer', 'ai_sessions') id`
    const [result] = await this.#wire.run([{ sql, parameters: [people[0]?.accountId, users, signIns] }], { readOnly: false })
    return new Set(result?.rows.map((row) => (row as { id: string }).id))
  }
}
