import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { type Clock, timestamp } from './clock.ts'
import { deskPage } from './desk-page.ts'
import { FaultInput, type Faults } from './faults.ts'
import { createRecords, type DeskLists, deskServices, type Records } from './records.ts'

export interface DeskHooks {
  /** Moves everything beside the queue (Postgres, cron) to the new offset. */
  move?: (offsetMs: number) => Promise<void>
  /** Behind POST /desk/demo/escalation, which is 404 without it. */
  escalate?: ((input: unknown) => Promise<unknown>) | undefined
  /** The queue, which stands still while the clock moves and then delivers what became due. */
  queue?: { hold(): () => void; settled(): Promise<void> }
}

export interface Desk {
  records: Records
  /** `/` and `/desk/…` */
  routes: Hono
  /** Fills in what is made after the desk. */
  connect(hooks: DeskHooks): void
}

const MoveInput = z.strictObject({
  advance_seconds: z
    .number()
    .positive()
    .max(10 * 366 * 86_400),
})

const settleMs = 15_000

/** What was sent through the stand-ins, and the levers for faults and time. */
export function createDesk({ clock, faults }: { clock: Clock; faults: Faults }): Desk {
  const records = createRecords(clock)
  const hooks: DeskHooks = {}
  const routes = new Hono()
  routes.use('*', fromThisMachine)
  overview(routes, { clock, faults, records, hooks })
  faultRoutes(routes, faults)
  clockRoutes(routes, clock, hooks)
  routes.post('/desk/demo/escalation', async (c) => {
    if (!hooks.escalate) return c.json({ error: 'No demo escalation here.' }, 404)
    return c.json((await hooks.escalate(await readJson(c))) ?? {}, 201)
  })
  serviceRoutes(routes, records)
  routes.onError((error, c) => {
    if (error instanceof z.ZodError) return c.json({ error: 'The request is not valid.', issues: error.issues }, 422)
    return c.json({ error: error.message }, 500)
  })
  return { records, routes, connect: (more) => void Object.assign(hooks, more) }
}

/** No page of another site may pull these levers, not even by a name that it made lead here. */
async function fromThisMachine(c: Context, next: () => Promise<void>): Promise<Response | undefined> {
  const ours = ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(c.req.url).hostname)
  if (!ours || c.req.header('sec-fetch-site') === 'cross-site') return c.json({ error: 'The desk answers this machine alone.' }, 403)
  await next()
  return undefined
}

function overview(routes: Hono, desk: { clock: Clock; faults: Faults; records: Records; hooks: DeskHooks }): void {
  routes.get('/', (c) => {
    const state = {
      clock: clockState(desk.clock),
      faults: desk.faults.list(),
      demo: desk.hooks.escalate !== undefined,
      ...(Object.fromEntries(deskServices.map((service) => [service, desk.records.list(service)])) as DeskLists),
    }
    c.header('vary', 'Accept')
    if (c.req.header('accept')?.includes('application/json')) return c.json(state)
    const nonce = randomUUID()
    // A mail's pictures and trackers stay unloaded: its frame inherits this policy.
    const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'; frame-ancestors 'none'`
    return c.html(deskPage(state, nonce), 200, { 'content-security-policy': policy })
  })
}

function faultRoutes(routes: Hono, faults: Faults): void {
  routes.get('/desk/faults', (c) => c.json(faults.list()))
  routes.post('/desk/faults', async (c) => c.json(faults.set(FaultInput.parse(await readJson(c))), 201))
  routes.delete('/desk/faults', (c) => {
    faults.clear()
    return c.body(null, 204)
  })
}

function clockRoutes(routes: Hono, clock: Clock, hooks: DeskHooks): void {
  routes.get('/desk/clock', (c) => c.json(clockState(clock)))
  routes.post('/desk/clock', async (c) => {
    const { advance_seconds } = MoveInput.parse(await readJson(c))
    await moveClock(clock, hooks, clock.offsetMs() + Math.round(advance_seconds * 1000))
    return c.json(clockState(clock))
  })
  routes.delete('/desk/clock', async (c) => {
    await moveClock(clock, hooks, 0)
    return c.json(clockState(clock))
  })
}

async function moveClock(clock: Clock, hooks: DeskHooks, offsetMs: number): Promise<void> {
  // What is under way belongs to the time before: an attempt that ended after the leap would count its delay from there.
  await quiet(hooks)
  // Nothing may be delivered while the queue's time and Postgres' differ.
  const release = hooks.queue?.hold()
  clock.set(offsetMs)
  try {
    await hooks.move?.(offsetMs)
  } finally {
    release?.()
  }
  await quiet(hooks)
}

async function quiet({ queue }: DeskHooks): Promise<void> {
  if (queue) await Promise.race([queue.settled(), sleep(settleMs, undefined, { ref: false })])
}

function serviceRoutes(routes: Hono, records: Records): void {
  const unknown = (c: Context) => c.json({ error: `No such service: ${c.req.param('service')}` }, 404)
  routes.get('/desk/:service', (c) => {
    const service = deskServices.find((name) => name === c.req.param('service'))
    return service ? c.json(records.list(service)) : unknown(c)
  })
  routes.delete('/desk/:service', (c) => {
    const service = deskServices.find((name) => name === c.req.param('service'))
    if (!service) return unknown(c)
    records.empty(service)
    return c.body(null, 204)
  })
}

function clockState(clock: Clock): { now: string; offset_seconds: number } {
  return { now: timestamp(clock.now()), offset_seconds: clock.offsetMs() / 1000 }
}

/** The body as JSON; a broken one is left to the schema to refuse. */
async function readJson(c: Context): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text())
  } catch {
    return undefined
  }
}
