import type { ExecutionContext } from 'hono'
import { parseConfig } from '../lib/config.ts'
import { createApp } from '../lib/http/app.ts'
import { mountHealth } from '../lib/http/health.ts'
import { jobContext, mountJobs } from '../lib/http/job.ts'
import { mountOperations } from '../lib/http/request.ts'
import { EscalationHub } from '../lib/realtime/hub.ts'
import { createServices, type Bindings as PlatformBindings } from '../lib/services.ts'
import { jobOperations } from './jobs/operations.ts'
import { sweep, tidy } from './jobs/service.ts'
import { tick as runSchedules } from './maintenance-runs/service.ts'
import { operations } from './operations.ts'

interface Bindings extends PlatformBindings {
  ASSETS: { fetch(request: Request): Promise<Response> }
}

function assemble(env: Bindings) {
  const log = (line: Record<string, unknown>) => console.log(JSON.stringify(line))
  tameClients(log)
  const services = createServices(parseConfig({ ...env }), log, env)
  const app = createApp(services)
  mountHealth(app, services)
  // Where the beta signup leads; a browser that followed it here goes on to the page.
  app.all('/register', (c) => c.redirect(`${services.ports.config.FRONTEND_URL}/register${new URL(c.req.url).search}`, 303))
  app.get('/docs', (c) => c.redirect('/docs/', 308))
  // Beside the bundle, not in it: the document is larger than all the rest.
  app.on('GET', ['/openapi.json', '/docs/*'], async (c) => {
    const asset = await env.ASSETS.fetch(c.req.raw)
    const headers = new Headers(asset.headers)
    // Ours hold for every answer.
    headers.delete('cache-control')
    return c.newResponse(asset.body, { status: asset.status as 200, headers })
  })
  mountOperations(app, operations, services)
  mountJobs(app, jobOperations, services)
  return { app, services }
}

/** Vendors' clients write free text about what they sent to the console: it becomes a line that says who spoke, and no more. */
function tameClients(log: (line: Record<string, unknown>) => void): void {
  for (const level of ['warn', 'error'] as const) {
    console[level] = (first: unknown) =>
      log({ at: new Date().toISOString(), level, client: /^\[([\w ]{1,40})\]/.exec(String(first))?.[1] ?? 'unnamed' })
  }
}

export { EscalationHub }

// One assembly for the life of the isolate: settings do not change under it.
let assembled: ReturnType<typeof assemble> | undefined

export default {
  fetch(request: Request, env: Bindings, execution: ExecutionContext) {
    assembled ??= assemble(env)
    return assembled.app.fetch(request, env, execution)
  },
  async scheduled(_controller: unknown, env: Bindings) {
    assembled ??= assemble(env)
    const ctx = jobContext(assembled.services)
    const failures: unknown[] = []
    // One that fails keeps none of the others waiting.
    for (const work of [sweep, runSchedules, tidy]) await work(ctx).catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  },
}
