import type { Hono } from 'hono'
import { settleInTurn } from '#async/settle-all.ts'
import { createApp, type Env, type Services } from '#http/app.ts'
import { mountHealth } from '#http/health.ts'
import { runJob } from '#http/job.ts'
import { createKeyMemory } from '#http/key-memory.ts'
import { mountRecordKeys } from '#http/record-keys.ts'
import { mountOperations } from '#http/request.ts'
import { redirect, respond } from '#http/respond.ts'
import { mountMcp } from './mcp/mount.ts'
import { mountOAuth } from './oauth/mount.ts'
import { routeGroups } from './routes.ts'
import { mountScim } from './scim/mount.ts'
import { mountStaffPage } from './staff/mount.ts'

/** A function that returns a file deployed beside the code: the OpenAPI document and its page. */
export type FetchStaticFile = (request: Request) => Promise<Response>

// The page loads its own files and calls this service. Scalar writes its styles, icons and fonts into the
// page.
const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// A file whose name has a hash of its content never changes. A browser asks each time whether another one has
// changed.
const hashedName = /-[\da-f]{12}\.\w+$/

/**
 * Assemble the Hono app from its services. Each platform's entry point passes what depends on the platform.
 */
export function assembleApp(services: Services, fetchStaticFile: FetchStaticFile): Hono<Env> {
  const app = createApp(services)
  logMissingProviders(services)
  mountHealth(app, services)
  // Older beta e-mails contain links to this path. The frontend serves the page.
  app.all('/register', (c) =>
    redirect(c, `${services.ports.config.FRONTEND_URL}/register${new URL(c.req.url).search}`, 303),
  )
  app.get('/', (c) => redirect(c, '/docs/', 303))
  app.get('/docs', (c) => redirect(c, '/docs/', 308))
  // Static files, because the OpenAPI document is larger than the rest of the bundle.
  app.on('GET', ['/openapi.json', '/docs/*'], async (c) => {
    const file = await fetchStaticFile(c.req.raw)
    const { vary = '', ...headers } = Object.fromEntries(file.headers)
    Object.assign(c.get('headers'), headers, {
      'cache-control':
        file.status >= 400
          ? 'no-store'
          : hashedName.test(c.req.path)
            ? 'public, max-age=31536000, immutable'
            : 'no-cache',
      vary: vary ? `Origin, ${vary}` : 'Origin',
      ...(c.req.path.startsWith('/docs/') ? { 'content-security-policy': docsPolicy } : {}),
    })
    return respond(c, file.body, file.status)
  })
  const keys = createKeyMemory()
  mountOperations(app, routeGroups, services, keys)
  mountMcp(app, routeGroups, services, keys)
  mountOAuth(app, services)
  mountScim(app, services, keys)
  mountRecordKeys(app, services)
  mountStaffPage(app, services)
  services.dispatch = (request, env, execution) => app.fetch(request, env, execution)
  return app
}

/** Log what the service does without, so that an operator need not learn it from a failure. */
function logMissingProviders({ ports: { ai, mail }, log }: Services): void {
  const warn = (message: string) => log({ at: new Date().toISOString(), level: 'warn', message })
  if (!mail.isConfigured)
    warn(
      'No mail provider is set (RESEND_API_KEY, or SMTP_URL on Node): no e-mail is sent, and operations that need one answer 503.',
    )
  if (!ai.isConfigured) warn('No AI provider is set (OPENAI_API_KEY): operations that need one answer 503.')
}

/**
 * Run the periodic work. The cron trigger calls this each minute. If a part fails, run the others, then throw
 * the first failure.
 */
export async function runEveryMinute(services: Services): Promise<void> {
  const [{ cleanUpWork, sweep }, { runDueSchedules }] = await Promise.all([
    import('./jobs/service.ts'),
    import('./maintenance/runs/service.ts'),
  ])
  const works = Object.entries({ sweep, runDueSchedules, ...cleanUpWork })
  await settleInTurn(works, ([name, work]) => runJob(services, `cron.${name}`, work))
}

/** Run the sweep of stored work alone. */
export async function sweepNow(services: Services): Promise<void> {
  const { sweep } = await import('./jobs/service.ts')
  await runJob(services, 'cron.sweep', sweep)
}
