import { type Context, Hono } from 'hono'
import type { Clock } from './clock.ts'
import type { Faults } from './faults.ts'
import { createEngine, type Engine } from './qstash-engine.ts'
import { BadPublish, type Message, present, readMessage } from './qstash-message.ts'
import { createSchedules, type Schedule, type Schedules } from './qstash-schedules.ts'
import type { Records } from './records.ts'

export interface QstashOptions {
  clock: Clock
  faults: Faults
  records: Records
  token: string
  currentSigningKey: string
  nextSigningKey: string
}

export interface Qstash extends Pick<Engine, 'tick' | 'idle' | 'settled' | 'hold' | 'close'> {
  app: Hono
}

interface BatchItem {
  destination: string
  headers?: Record<string, string>
  body?: string
  queue?: string
}

/** QStash's HTTP API over its engine, to be mounted under any prefix. */
export function createQstash(options: QstashOptions): Qstash {
  const schedules = createSchedules(options.clock)
  const engine = createEngine({ ...options, schedules, signingKey: options.currentSigningKey })
  const app = new Hono()
  app.use('*', async (c, next) => {
    if (c.req.header('authorization') !== `Bearer ${options.token}`) return c.json({ error: 'unauthorized: invalid token' }, 401)
    return next()
  })
  app.onError((error, c) => {
    if (error instanceof BadPublish) return c.json({ error: error.message }, 400)
    throw error
  })
  publishing(app, engine, options.clock)
  messages(app, engine)
  deadLetters(app, engine)
  scheduling(app, schedules, engine)
  app.get('/v2/keys', (c) => c.json({ current: options.currentSigningKey, next: options.nextSigningKey }))
  app.all('*', (c) => c.json({ error: 'not found' }, 404))
  return { app, tick: engine.tick, idle: engine.idle, settled: engine.settled, hold: engine.hold, close: engine.close }
}

function publishing(app: Hono, engine: Engine, clock: Clock): void {
  const accept = (destination: string, headers: Record<string, string>, body: string, queueName?: string) => {
    const message = { ...readMessage(destination, headers, body, clock.now()), ...present({ queueName }) }
    const taken = engine.take(message)
    return { messageId: taken.message.messageId, url: taken.message.url, ...(taken.deduplicated ? { deduplicated: true } : {}) }
  }
  app.post('/v2/publish/*', async (c) => {
    const answer = accept(destinationAfter(c, '/v2/publish/'), c.req.header(), await c.req.text())
    return c.json(answer, answer.deduplicated ? 202 : 201)
  })
  app.post('/v2/enqueue/:queue/*', async (c) => {
    const queue = c.req.param('queue')
    const answer = accept(destinationAfter(c, `/v2/enqueue/${encodeURI(queue)}/`), c.req.header(), await c.req.text(), queue)
    return c.json(answer, answer.deduplicated ? 202 : 201)
  })
  app.post('/v2/batch', async (c) => {
    const items = readBatch(await c.req.text())
    // All are read before any is taken: one bad item refuses the batch.
    for (const item of items) readMessage(item.destination, lowerCase(item.headers), item.body ?? '', clock.now())
    return c.json(items.map((item) => accept(item.destination, lowerCase(item.headers), item.body ?? '', item.queue)))
  })
}

function messages(app: Hono, engine: Engine): void {
  app.get('/v2/messages/:id', (c) => {
    const message = engine.pending().find(({ messageId }) => messageId === c.req.param('id'))
    return message ? c.json(shownMessage(message)) : c.json({ error: `message ${c.req.param('id')} not found` }, 404)
  })
  app.delete('/v2/messages/:id', (c) => {
    if (!engine.cancel(c.req.param('id'))) return c.json({ error: `message ${c.req.param('id')} not found` }, 404)
    return c.json({ cancelled: 1 })
  })
  app.delete('/v2/messages', (c) => {
    const ids = c.req.queries('messageIds') ?? engine.pending().map(({ messageId }) => messageId)
    return c.json({ cancelled: ids.filter((id) => engine.cancel(id)).length })
  })
}

function deadLetters(app: Hono, engine: Engine): void {
  app.get('/v2/dlq', (c) => c.json({ messages: [...engine.dead.values()].map((letter) => ({ ...letter, ...shownMessage(letter) })) }))
  app.get('/v2/dlq/:id', (c) => {
    const letter = engine.dead.get(c.req.param('id'))
    return letter ? c.json({ ...letter, ...shownMessage(letter) }) : c.json({ error: 'dlq message not found' }, 404)
  })
  app.delete('/v2/dlq/:id', (c) =>
    engine.dead.delete(c.req.param('id')) ? c.body(null, 200) : c.json({ error: 'dlq message not found' }, 404),
  )
}

function scheduling(app: Hono, schedules: Schedules, engine: Engine): void {
  const missing = (c: Context) => c.json({ error: `schedule ${c.req.param('id')} not found` }, 404)
  app.post('/v2/schedules/*', async (c) => {
    const schedule = schedules.put(destinationAfter(c, '/v2/schedules/'), c.req.header(), await c.req.text())
    engine.tick()
    return c.json({ scheduleId: schedule.scheduleId }, 201)
  })
  app.get('/v2/schedules', (c) => c.json(schedules.list().map(shownSchedule)))
  app.get('/v2/schedules/:id', (c) => {
    const schedule = schedules.get(c.req.param('id'))
    return schedule ? c.json(shownSchedule(schedule)) : missing(c)
  })
  app.delete('/v2/schedules/:id', (c) => (schedules.remove(c.req.param('id')) ? c.body(null, 200) : missing(c)))
  app.patch('/v2/schedules/:id/:verb{pause|resume}', (c) => {
    if (!schedules.pause(c.req.param('id'), c.req.param('verb') === 'pause')) return missing(c)
    engine.tick()
    return c.body(null, 200)
  })
}

/** The rest of the raw URL: the client puts the destination there unencoded, its query with it. */
function destinationAfter(c: Context, marker: string): string {
  const at = c.req.url.indexOf(marker)
  return c.req.url.slice(at + marker.length)
}

function readBatch(text: string): BatchItem[] {
  const isItem = (item: unknown): item is BatchItem =>
    typeof item === 'object' && item !== null && 'destination' in item && typeof item.destination === 'string'
  try {
    const items: unknown = JSON.parse(text)
    if (Array.isArray(items) && items.every(isItem)) return items
  } catch {
    // Answered below.
  }
  throw new BadPublish('failed to parse batch request')
}

function lowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function shownMessage(message: Message) {
  const { timeoutMs: _, headers, deduplicationId: __, ...rest } = message
  return { ...rest, header: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])) }
}

function shownSchedule(schedule: Schedule) {
  const { headers, next, ...rest } = schedule
  const retries = Number(headers['upstash-retries'] ?? 3)
  return { ...rest, retries, method: headers['upstash-method'] ?? 'POST', nextScheduleTime: next }
}
