import type { ExecutionContext } from 'hono'
import { mountJobs } from '../lib/http/job.ts'
import { EscalationHub } from '../lib/platform/cloudflare/hub.ts'
import { createCloudflareServices, type Bindings as PlatformBindings } from '../lib/platform/cloudflare/services.ts'
import { parseCloudflareConfig } from '../lib/platform/cloudflare/settings.ts'
import { assembleApp, runEveryMinute } from './app.ts'
import { jobOperations } from './jobs/operations.ts'

interface Bindings extends PlatformBindings {
  ASSETS: { fetch(request: Request): Promise<Response> }
}

function assemble(env: Bindings) {
  const log = (line: Record<string, unknown>) => console.log(JSON.stringify(line))
  redirectConsole(log)
  const config = parseCloudflareConfig({ ...env })
  const services = createCloudflareServices(config, log, env)
  const app = assembleApp(services, (request) => env.ASSETS.fetch(request))
  mountJobs(app, jobOperations, services, [config.QSTASH_CURRENT_SIGNING_KEY, config.QSTASH_NEXT_SIGNING_KEY])
  return { app, services }
}

/** Log only the name of the vendor's client that prints a warning or an error: its text may contain personal data that it sent. */
function redirectConsole(log: (line: Record<string, unknown>) => void): void {
  for (const level of ['warn', 'error'] as const) {
    console[level] = (first: unknown) =>
      log({ at: new Date().toISOString(), level, client: /^\[([\w ]{1,40})\]/.exec(String(first))?.[1] ?? 'unnamed' })
  }
}

export { EscalationHub }

// The settings of an isolate never change, so it assembles the app once.
let assembled: ReturnType<typeof assemble> | undefined

export default {
  fetch(request: Request, env: Bindings, execution: ExecutionContext) {
    assembled ??= assemble(env)
    return assembled.app.fetch(request, env, execution)
  },
  async scheduled(_controller: unknown, env: Bindings) {
    assembled ??= assemble(env)
    await runEveryMinute(assembled.services)
  },
}
