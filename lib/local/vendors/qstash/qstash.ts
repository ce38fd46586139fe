import { type Context, Hono } from 'hono'
import type { Clock } from '#local/clock.ts'
import type { Faults } from '#local/vendors/faults.ts'
import type { Records } from '#local/vendors/records.ts'
import { createEngine, type Engine } from './qstash-engine.ts'
import { InvalidPublishError, type Message, omitUndefined, parseMessage } from './qstash-message.ts'
import { createSchedules, type Schedule, type Schedules } from './qstash-schedules.ts'

export interface QstashOptions {
  clock: Clock
  faults: Faults
  records: Records
  /** Wait for messages that earlier requests still publish. */
  finishEffects?: (() => Promise<void>) | undefined
  token: string
  currentSigningKey: string
  nextSigningKey: string
}

export interface Qstash
  extends Pick<
    Engine,
    'startDueDeliveries' | 'waitUntilIdle' | 'waitUntilSettled' | 'pauseDeliveries' | 'close'
  > {
  app: Hono
}

interface BatchItem {
  destination: string
  headers?: Record<string, string>
  body?: string
  queue?: string
}

/** Create QStash's HTTP API and its engine. The API can be mounted under any prefix. */
export function createQstash(options: QstashOptions): Qstash {
  const schedules = createSchedules(options.clock)
  const engine = createEngine({ ...options, schedules, signingKey: options.currentSigningKey })
  const app = new Hono()
  app.use('*', async (c, next) => {
    if (c.req.header('authorization') !== `Bearer ${options.token}`)
      return c.json({ error: 'unauthorized: invalid token' }, 401)
    return next()
  })
  app.onError((error, c) => {
    if (error instanceof InvalidPublishError) return c.json({ error: error.message }, 400)
    throw error
  })
  addPublishRoutes(app, engine, options.clock)
  addMessageRoutes(app, engine)
  addDeadLetterRoutes(app, engine)
  addScheduleRoutes(app, schedules, engine)
  app.get('/v2/keys', (c) => c.json({ current: options.currentSigningKey, next: options.nextSigningKey }))
  app.all('*', (c) => c.json({ error: 'not found' }, 404))
  const { startDueDeliveries, waitUntilIdle, waitUntilSettled, pauseDeliveries, close } = engine
  return { app, startDueDeliveries, waitUntilIdle, waitUntilSettled, pauseDeliveries, close }
}

function addPublishRoutes(app: Hono, engine: Engine, clock: Clock): void {
  const publish = (
    destination: string,
    headers: Record<string, string>,
    body: string,
    queueName?: string,
  ) => {
    const message = {
      ...parseMessage(destination, headers, body, clock.now()),
      ...omitUndefined({ queueName }),
    }
    const accepted = engine.accept(message)
    const { messageId, url } = accepted.message
    return { messageId, url, deduplicated: accepted.deduplicated ? true : undefined }
  }
  app.post('/v2/publish/*', async (c) => {
    const response = publish(readDestination(c, '/v2/publish/'), c.req.header(), await c.req.text())
    return c.json(response, response.deduplicated ? 202 : 201)
  })
  app.post('/v2/enqueue/:queue/*', async (c) => {
    const queue = c.req.param('queue')
    const response = publish(
      readDestination(c, `/v2/enqueue/${encodeURI(queue)}/`),
      c.req.header(),
      await c.req.text(),
      queue,
    )
    return c.json(response, response.deduplicated ? 202 : 201)
  })
  app.post('/v2/batch', async (c) => {
    const items = parseBatch(await c.req.text())
    // All items are parsed before any is accepted, because one invalid item refuses the whole batch.
    for (const item of items)
      parseMessage(item.destination, lowerCaseNames(item.headers), item.body ?? '', clock.now())
    return c.json(
      items.map((item) =>
        publish(item.destination, lowerCaseNames(item.headers), item.body ?? '', item.queue),
      ),
    )
  })
}

function addMessageRoutes(app: Hono, engine: Engine): void {
  app.get('/v2/messages/:id', (c) => {
    const message = engine.listPending().find(({ messageId }) => messageId === c.req.param('id'))
    return message
      ? c.json(toMessageBody(message))
      : c.json({ error: `message ${c.req.param('id')} not found` }, 404)
  })
  app.delete('/v2/messages/:id', (c) => {
    if (!engine.cancel(c.req.param('id')))
      return c.json({ error: `message ${c.req.param('id')} not found` }, 404)
    return c.json({ cancelled: 1 })
  })
  app.delete('/v2/messages', (c) => {
    const ids = c.req.queries('messageIds') ?? engine.listPending().map(({ messageId }) => messageId)
    return c.json({ cancelled: ids.filter((id) => engine.cancel(id)).length })
  })
}

function addDeadLetterRoutes(app: Hono, engine: Engine): void {
  app.get('/v2/dlq', (c) =>
    c.json({
      messages: [...engine.deadLetters.values()].map((deadLetter) => ({
        ...deadLetter,
        ...toMessageBody(deadLetter),
      })),
    }),
  )
  app.get('/v2/dlq/:id', (c) => {
    const deadLetter = engine.deadLetters.get(c.req.param('id'))
    return deadLetter
      ? c.json({ ...deadLetter, ...toMessageBody(deadLetter) })
      : c.json({ error: 'dlq message not found' }, 404)
  })
  app.delete('/v2/dlq/:id', (c) =>
    engine.deadLetters.delete(c.req.param('id'))
      ? c.body(null, 200)
      : c.json({ error: 'dlq message not found' }, 404),
  )
}

function addScheduleRoutes(app: Hono, schedules: Schedules, engine: Engine): void {
  const notFound = (c: Context) => c.json({ error: `schedule ${c.req.param('id')} not found` }, 404)
  app.post('/v2/schedules/*', async (c) => {
    const schedule = schedules.put(readDestination(c, '/v2/schedules/'), c.req.header(), await c.req.text())
    engine.startDueDeliveries()
    return c.json({ scheduleId: schedule.scheduleId }, 201)
  })
  app.get('/v2/schedules', (c) => c.json(schedules.list().map(toScheduleBody)))
  app.get('/v2/schedules/:id', (c) => {
    const schedule = schedules.get(c.req.param('id'))
    return schedule ? c.json(toScheduleBody(schedule)) : notFound(c)
  })
  app.delete('/v2/schedules/:id', (c) =>
    schedules.remove(c.req.param('id')) ? c.body(null, 200) : notFound(c),
  )
  app.patch('/v2/schedules/:id/:verb{pause|resume}', (c) => {
    if (!schedules.pause(c.req.param('id'), c.req.param('verb') === 'pause')) return notFound(c)
    engine.startDueDeliveries()
    return c.body(null, 200)
  })
}

/**
 * Read the destination from the raw URL after `marker`. The client does not encode it, so it includes its own
 * query.
 */
function readDestination(c: Context, marker: string): string {
  const index = c.req.url.indexOf(marker)
  return c.req.url.slice(index + marker.length)
}

function parseBatch(text: string): BatchItem[] {
  const isItem = (item: unknown): item is BatchItem =>
    typeof item === 'object' && item !== null && 'destination' in item && typeof item.destination === 'string'
  try {
    const items: unknown = JSON.parse(text)
    if (Array.isArray(items) && items.every(isItem)) return items
  } catch {
    // Malformed JSON is refused like any other invalid batch.
  }
  throw new InvalidPublishError('failed to parse batch request')
}

function lowerCaseNames(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function toMessageBody(message: Message) {
  const { timeoutMs: _, headers, deduplicationId: __, ...rest } = message
  return {
    ...rest,
    header: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  }
}

function toScheduleBody(schedule: Schedule) {
  const { headers, nextAt, ...rest } = schedule
  const retries = Number(headers['upstash-retries'] ?? 3)
  return { ...rest, retries, method: headers['upstash-method'] ?? 'POST', nextScheduleTime: nextAt }
}
