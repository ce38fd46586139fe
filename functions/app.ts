import type { Hono } from 'hono'
import { createApp, type Env, type Services } from '../lib/http/app.ts'
import { mountHealth } from '../lib/http/health.ts'
import { jobContext, mountJobs } from '../lib/http/job.ts'
import { mountOperations } from '../lib/http/request.ts'
import { jobOperations } from './jobs/operations.ts'
import { deleteExpiredRows, sweep } from './jobs/service.ts'
import { runDueSchedules } from './maintenance/runs/service.ts'
import { operations } from './operations.ts'

/** Reads a file that is deployed beside the code: the OpenAPI document and its page. */
export type FetchStaticFile = (request: Request) => Promise<Response>

/** Assembles the Hono app from its services. Knows no platform; each entry passes what its platform provides. */
export function assembleApp(services: Services, fetchStaticFile: FetchStaticFile): Hono<Env> {
  const app = createApp(services)
  mountHealth(app, services)
  // Links in older beta mails lead here; the page itself is the frontend's.
  app.all('/register', (c) => c.redirect(`${services.ports.config.FRONTEND_URL}/register${new URL(c.req.url).search}`, 303))
  app.get('/docs', (c) => c.redirect('/docs/', 308))
  // A static file, because the document is larger than the rest of the bundle.
  app.on('GET', ['/openapi.json', '/docs/*'], async (c) => {
    const file = await fetchStaticFile(c.req.raw)
    const headers = new Headers(file.headers)
    // createApp sets this header on every answer.
    headers.delete('cache-control')
    return c.newResponse(file.body, { status: file.status as 200, headers })
  })
  mountOperations(app, operations, services)
  mountJobs(app, jobOperations, services)
  return app
}

/** Run the periodic work, once a minute. A part that fails does not stop the others; the first failure is thrown at the end. */
export async function runEveryMinute(services: Services): Promise<void> {
  const ctx = jobContext(services)
  const failures: unknown[] = []
  for (const work of [sweep, runDueSchedules, deleteExpiredRows]) await work(ctx).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
