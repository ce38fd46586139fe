import type { ExecutionContext } from 'hono'
import { parseConfig } from '../lib/config.ts'
import { EscalationHub } from '../lib/realtime/hub.ts'
import { createServices, type Bindings as PlatformBindings } from '../lib/services.ts'
import { assembleApp, runEveryMinute } from './app.ts'

interface Bindings extends PlatformBindings {
  ASSETS: { fetch(request: Request): Promise<Response> }
}

function assemble(env: Bindings) {
  const log = (line: Record<string, unknown>) => console.log(JSON.stringify(line))
  redirectConsole(log)
  const services = createServices(parseConfig({ ...env }), log, env)
  return { app: assembleApp(services, (request) => env.ASSETS.fetch(request)), services }
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
