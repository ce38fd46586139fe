import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { pageStyle } from '#http/page-style.ts'
import type { Clock } from '#local/clock.ts'
import { FaultInput, type Faults } from '#local/vendors/faults.ts'
import type { Qstash } from '#local/vendors/qstash/qstash.ts'
import { createRecords, type RecordLists, type Records, recordedServices } from '#local/vendors/records.ts'
import { parseJson } from '#rules/text/json.ts'
import { renderChatPreview } from './chat.ts'
import { createLogLines, type LogLines } from './log-lines.ts'
import { sendSourceFile } from './source-files.ts'
import {
  type DashboardSources,
  type DashboardState,
  type DemoUser,
  readClock,
  readTrace,
  summarize,
} from './state.ts'
import type { CurrentCode } from './totp-codes.ts'

export interface DashboardHooks {
  /** Move PostgreSQL's clock and run cron. The queue follows the shared clock by itself. */
  moveClock?: (offsetMs: number) => Promise<void>
  /** List the current codes of authenticator apps, for GET /desk/totp. */
  listTotpCodes?: () => Promise<CurrentCode[]>
  /** Handle POST /desk/demo/escalation, which is 404 without this hook. */
  createEscalation?: ((input: unknown) => Promise<unknown>) | undefined
  /** Count the jobs in PostgreSQL. Undefined when all jobs are messages of the queue emulator. */
  countJobs?: (() => Promise<{ scheduled: number; delivering: number } | undefined>) | undefined
  /** Origin of the service. */
  api?: string | undefined
  /** The users that the page signs in with one click. */
  users?: readonly DemoUser[] | undefined
  /** Paused while the clock moves. Then it delivers the messages that have become due. */
  queue?: Pick<Qstash, 'pauseDeliveries' | 'waitUntilSettled'>
}

export interface Dashboard {
  records: Records
  /** The lines that the service has logged. */
  logs: LogLines
  /** `/` and `/desk/…` */
  routes: Hono
  /** Add hooks that are created after the dashboard. */
  addHooks(hooks: DashboardHooks): void
}

const AdvanceInput = z.strictObject({
  advance_seconds: z
    .number()
    .positive()
    .max(10 * 366 * 86_400),
})

const maxSettleMs = 15_000

/**
 * Create the local dashboard: it shows what the local emulators received, sets faults and moves the clock.
 */
export function createDashboard({ clock, faults }: { clock: Clock; faults: Faults }): Dashboard {
  const sources = { clock, faults, records: createRecords(clock), logs: createLogLines() }
  const { records, logs } = sources
  const hooks: DashboardHooks = {}
  const routes = new Hono()
  routes.use('*', requireThisMachine)
  addPageRoutes(routes, sources, hooks)
  addFaultRoutes(routes, faults)
  addClockRoutes(routes, clock, hooks)
  routes.get('/desk/totp', async (c) => c.json((await hooks.listTotpCodes?.()) ?? []))
  routes.post('/desk/demo/escalation', async (c) => {
    if (!hooks.createEscalation) return c.json({ error: 'The demo escalation is not available here.' }, 404)
    return c.json((await hooks.createEscalation(await readJson(c))) ?? {}, 201)
  })
  addRecordRoutes(routes, records)
  routes.onError((error, c) => {
    if (error instanceof z.ZodError)
      return c.json({ error: 'The request is not valid.', issues: error.issues }, 422)
    return c.json({ error: error.message }, 500)
  })
  return { records, logs, routes, addHooks: (added) => void Object.assign(hooks, added) }
}

/** Refuse requests from pages of other sites, also those that reach this server by DNS rebinding. */
export async function requireThisMachine(
  c: Context,
  next: () => Promise<void>,
): Promise<Response | undefined> {
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(c.req.url).hostname)
  if (!isLoopback || c.req.header('sec-fetch-site') === 'cross-site')
    return c.json({ error: 'The local dashboard only accepts requests from this machine.' }, 403)
  await next()
  return undefined
}

// The frame of an e-mail inherits this policy, so remote images and trackers are not loaded.
export const framePolicy =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'"

function addPageRoutes(routes: Hono, sources: DashboardSources, hooks: DashboardHooks): void {
  const { clock, faults, records, logs } = sources
  routes.get('/', async (c) => {
    c.header('vary', 'Accept')
    if (c.req.header('accept')?.includes('application/json')) {
      const lists = Object.fromEntries(
        recordedServices.map((service) => [service, records.list(service)]),
      ) as RecordLists
      return c.json({ clock: readClock(clock), faults: faults.list(), ...lists })
    }
    const policy = `default-src 'none'; img-src data:; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self' ${hooks.api ?? ''}; frame-src 'self'; frame-ancestors 'none'`
    return c.html(await readFile(join(import.meta.dirname, 'page/index.html'), 'utf8'), 200, {
      'content-security-policy': policy,
    })
  })
  routes.get('/desk/style.css', (c) => c.body(pageStyle, 200, { 'content-type': 'text/css' }))
  routes.get('/desk/source/*', sendSourceFile)
  routes.get('/desk/state', async (c) => {
    const { api = '', users = [], createEscalation, countJobs } = hooks
    const summary = summarize(sources)
    const queue = { ...summary.queue, ...(await countJobs?.()) }
    return c.json({
      ...summary,
      queue,
      api,
      users,
      demo: createEscalation !== undefined,
    } satisfies DashboardState)
  })
  routes.get('/desk/traces/:id', (c) => c.json(readTrace(sources, c.req.param('id'))))
  routes.get('/desk/logs', (c) => c.json(logs.list(c.req.query('trace_id'))))
  routes.delete('/desk/logs', (c) => {
    logs.clear()
    return c.body(null, 204)
  })
  routes.get('/desk/chat/:id/preview', (c) => {
    const message = records.list('chat').find(({ id }) => id === c.req.param('id'))
    if (!message) return c.json({ error: 'No such message.' }, 404)
    return c.html(renderChatPreview(message), 200, { 'content-security-policy': framePolicy })
  })
}

function addFaultRoutes(routes: Hono, faults: Faults): void {
  routes.get('/desk/faults', (c) => c.json(faults.list()))
  routes.post('/desk/faults', async (c) => c.json(faults.set(FaultInput.parse(await readJson(c))), 201))
  routes.delete('/desk/faults', (c) => {
    faults.clear()
    return c.body(null, 204)
  })
}

function addClockRoutes(routes: Hono, clock: Clock, hooks: DashboardHooks): void {
  routes.get('/desk/clock', (c) => c.json(readClock(clock)))
  routes.post('/desk/clock', async (c) => {
    const { advance_seconds } = AdvanceInput.parse(await readJson(c))
    await moveClock(clock, hooks, clock.offsetMs() + Math.round(advance_seconds * 1000))
    return c.json(readClock(clock))
  })
  routes.delete('/desk/clock', async (c) => {
    await moveClock(clock, hooks, 0)
    return c.json(readClock(clock))
  })
}

async function moveClock(clock: Clock, hooks: DashboardHooks, offsetMs: number): Promise<void> {
  // Attempts in flight must end first. Otherwise they would compute their retry delay from the new time.
  await waitForQueue(hooks)
  // Nothing may be delivered while the queue and PostgreSQL show different times.
  const resume = hooks.queue?.pauseDeliveries()
  clock.setOffset(offsetMs)
  try {
    await hooks.moveClock?.(offsetMs)
  } finally {
    resume?.()
  }
  await waitForQueue(hooks)
}

async function waitForQueue({ queue }: DashboardHooks): Promise<void> {
  if (queue) await Promise.race([queue.waitUntilSettled(), sleep(maxSettleMs, undefined, { ref: false })])
}

function addRecordRoutes(routes: Hono, records: Records): void {
  const notFound = (c: Context) => c.json({ error: `No such service: ${c.req.param('service')}` }, 404)
  routes.get('/desk/:service', (c) => {
    const service = recordedServices.find((name) => name === c.req.param('service'))
    if (!service) return notFound(c)
    // A browser gets the page.
    return c.req.header('accept')?.includes('text/html')
      ? c.redirect(`/#${service}`)
      : c.json(records.list(service))
  })
  routes.delete('/desk/:service', (c) => {
    const service = recordedServices.find((name) => name === c.req.param('service'))
    if (!service) return notFound(c)
    records.clear(service)
    return c.body(null, 204)
  })
}

/** Read the body as JSON. A malformed body becomes undefined, which the schemas refuse. */
async function readJson(c: Context): Promise<unknown> {
  return parseJson(await c.req.text())
}
