import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import { type Clock, toTimestamp } from './clock.ts'
import { renderDashboard } from './dashboard-page.ts'
import { FaultInput, type Faults } from './faults.ts'
import type { Qstash } from './qstash.ts'
import { createRecords, type RecordLists, type Records, recordedServices } from './records.ts'
import type { CurrentCode } from './totp-codes.ts'

export interface DashboardHooks {
  /** Move PostgreSQL's clock and run cron. The queue follows the shared clock by itself. */
  moveClock?: (offsetMs: number) => Promise<void>
  /** List the current codes of authenticator apps, for GET /desk/totp. */
  listTotpCodes?: () => Promise<CurrentCode[]>
  /** Handle POST /desk/demo/escalation, which is 404 without this hook. */
  createEscalation?: ((input: unknown) => Promise<unknown>) | undefined
  /** Paused while the clock moves. Then it delivers the messages that have become due. */
  queue?: Pick<Qstash, 'pauseDeliveries' | 'waitUntilSettled'>
}

export interface Dashboard {
  records: Records
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

/** Create the local dashboard: it shows what the local emulators received, sets faults and moves the clock. */
export function createDashboard({ clock, faults }: { clock: Clock; faults: Faults }): Dashboard {
  const records = createRecords(clock)
  const hooks: DashboardHooks = {}
  const routes = new Hono()
  routes.use('*', requireThisMachine)
  addOverviewRoute(routes, { clock, faults, records, hooks })
  addFaultRoutes(routes, faults)
  addClockRoutes(routes, clock, hooks)
  routes.get('/desk/totp', async (c) => c.json((await hooks.listTotpCodes?.()) ?? []))
  routes.post('/desk/demo/escalation', async (c) => {
    if (!hooks.createEscalation) return c.json({ error: 'The demo escalation is not available here.' }, 404)
    return c.json((await hooks.createEscalation(await readJson(c))) ?? {}, 201)
  })
  addRecordRoutes(routes, records)
  routes.onError((error, c) => {
    if (error instanceof z.ZodError) return c.json({ error: 'The request is not valid.', issues: error.issues }, 422)
    return c.json({ error: error.message }, 500)
  })
  return { records, routes, addHooks: (added) => void Object.assign(hooks, added) }
}

/** Refuse requests from pages of other sites, also those that reach this server by DNS rebinding. */
export async function requireThisMachine(c: Context, next: () => Promise<void>): Promise<Response | undefined> {
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(c.req.url).hostname)
  if (!isLoopback || c.req.header('sec-fetch-site') === 'cross-site')
    return c.json({ error: 'The local dashboard only accepts requests from this machine.' }, 403)
  await next()
  return undefined
}

function addOverviewRoute(routes: Hono, dashboard: { clock: Clock; faults: Faults; records: Records; hooks: DashboardHooks }): void {
  routes.get('/', async (c) => {
    const state = {
      clock: clockState(dashboard.clock),
      faults: dashboard.faults.list(),
      demo: dashboard.hooks.createEscalation !== undefined,
      totp: (await dashboard.hooks.listTotpCodes?.()) ?? [],
      ...(Object.fromEntries(recordedServices.map((service) => [service, dashboard.records.list(service)])) as RecordLists),
    }
    c.header('vary', 'Accept')
    if (c.req.header('accept')?.includes('application/json')) return c.json(state)
    const nonce = randomUUID()
    // The frame of an e-mail inherits this policy, so remote images and trackers are not loaded.
    const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'; frame-ancestors 'none'`
    return c.html(renderDashboard(state, nonce), 200, { 'content-security-policy': policy })
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
  routes.get('/desk/clock', (c) => c.json(clockState(clock)))
  routes.post('/desk/clock', async (c) => {
    const { advance_seconds } = AdvanceInput.parse(await readJson(c))
    await moveClock(clock, hooks, clock.offsetMs() + Math.round(advance_seconds * 1000))
    return c.json(clockState(clock))
  })
  routes.delete('/desk/clock', async (c) => {
    await moveClock(clock, hooks, 0)
    return c.json(clockState(clock))
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
    return service ? c.json(records.list(service)) : notFound(c)
  })
  routes.delete('/desk/:service', (c) => {
    const service = recordedServices.find((name) => name === c.req.param('service'))
    if (!service) return notFound(c)
    records.clear(service)
    return c.body(null, 204)
  })
}

function clockState(clock: Clock): { now: string; offset_seconds: number } {
  return { now: toTimestamp(clock.now()), offset_seconds: clock.offsetMs() / 1000 }
}

/** Read the body as JSON. A malformed body becomes undefined, which the schemas refuse. */
async function readJson(c: Context): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text())
  } catch {
    return undefined
  }
}
