import type { Hono } from 'hono'
import { withTimeout } from '../net/send-result.ts'
import type { Env, Services } from './app.ts'
import { respondJson } from './respond.ts'

/** `in_process`: this process keeps in its own memory what the dependency would store, so it must be the only process. */
type Checks = Record<string, 'ok' | 'failed' | 'in_process'>

const pingTimeoutMs = 1500

/**
 * Add `/health`, which only shows that the service runs, and `/ready`, which asks every dependency in parallel. One that does not answer
 * within 1.5 s fails. Nothing it asks costs money.
 */
export function mountHealth(app: Hono<Env>, services: Services): void {
  const { VERSION, READY_CACHE_MS } = services.ports.config
  const pings = listPings(services)
  const check = cacheResult(() => runPings(pings), READY_CACHE_MS)
  app.get('/health', (c) => respondJson(c, JSON.stringify({ status: 'ok', version: VERSION }), 200))
  app.get('/ready', async (c) => {
    const checks = await check()
    const failed = Object.keys(checks).filter((name) => checks[name] === 'failed')
    if (failed.length === 0) return respondJson(c, JSON.stringify({ status: 'ok', checks }), 200)
    const detail = `Not responding: ${failed.join(', ')}`
    return respondJson(c, JSON.stringify({ status: 'unavailable', detail, checks }), 503)
  })
}

function listPings({ ports, limiter, runtime, platform, inProcess }: Services): Record<string, (() => Promise<unknown>) | 'in_process'> {
  const pings = {
    database: () =>
      Promise.all([runtime, platform].map((database) => database.run([{ sql: 'select 1', parameters: [] }], { readOnly: true }))),
    redis: () => limiter.ping(),
    queue: () => ports.queue.ping(),
    mail: () => ports.mail.ping(),
    ai: () => ports.ai.ping(),
    hub: () => ports.realtime.ping(),
    objects: () => ports.uploads.pingObjects(),
    images: () => ports.uploads.pingDecoder(),
  }
  return { ...pings, ...Object.fromEntries(inProcess.map((name) => [name, 'in_process' as const])) }
}

async function runPings(pings: ReturnType<typeof listPings>): Promise<Checks> {
  const checks = Object.entries(pings).map(async ([name, ping]) => {
    if (ping === 'in_process') return [name, ping] as const
    const isAnswered = await withTimeout(pingTimeoutMs, ping()).then(
      () => true,
      () => false,
    )
    return [name, isAnswered ? 'ok' : 'failed'] as const
  })
  return Object.fromEntries(await Promise.all(checks))
}

// Longer than a check takes. A check whose client has disconnected may never end.
const maxCheckMs = 2000

/**
 * Return a function that repeats its result for `cacheMs`, so that `/ready` cannot be used to call the vendors often. Only values are
 * shared: in workerd a request must not await the promise of another request.
 */
export function cacheResult<T>(work: () => Promise<T>, cacheMs: number, now: () => number = Date.now): () => Promise<T> {
  let cached: { value: T; until: number } | undefined
  let workingUntil = 0
  return async () => {
    while (cacheMs > 0 && now() < workingUntil) await new Promise((resolve) => setTimeout(resolve, 50))
    if (cached && now() < cached.until) return cached.value
    workingUntil = now() + maxCheckMs
    const value = await work()
    cached = { value, until: now() + cacheMs }
    workingUntil = 0
    return value
  }
}
