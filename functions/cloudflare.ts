import type { ExecutionContext } from 'hono'
import { mountJobs } from '#http/job.ts'
import { createConsoleLog } from '#log.ts'
import { recordWith } from '#metrics.ts'
import { EscalationHub } from '#platform/cloudflare/hub.ts'
import { createCloudflareServices, type Bindings as PlatformBindings } from '#platform/cloudflare/services.ts'
import { parseCloudflareConfig } from '#platform/cloudflare/settings.ts'
import { runInTrace, type Tracer } from '#trace.ts'
import { assembleApp, runEveryMinute } from './app.ts'
import { jobOperations } from './jobs/operations.ts'

interface Bindings extends PlatformBindings {
  ASSETS: { fetch(request: Request): Promise<Response> }
}

function assemble(env: Bindings) {
  const log = createConsoleLog()
  const config = parseCloudflareConfig({ ...env })
  const services = createCloudflareServices(config, log, env)
  const app = assembleApp(services, (request) => env.ASSETS.fetch(request))
  mountJobs(app, jobOperations, services, [config.QSTASH_CURRENT_SIGNING_KEY, config.QSTASH_NEXT_SIGNING_KEY])
  return { app, services }
}

export { EscalationHub }

// The settings of an isolate never change, so it assembles the app once.
let assembled: ReturnType<typeof assemble> | undefined

/**
 * Answer a request, then send its spans once its effects have ended. A timer would not run between two
 * requests.
 */
async function fetchAndFlush(
  tracer: Tracer,
  execution: ExecutionContext,
  answer: (observed: ExecutionContext) => Response | Promise<Response>,
): Promise<Response> {
  const effects: Promise<unknown>[] = []
  const waitUntil = (effect: Promise<unknown>) => {
    effects.push(effect)
    execution.waitUntil(effect)
  }
  const { props } = execution
  const response = await answer({
    props,
    waitUntil,
    passThroughOnException: () => execution.passThroughOnException(),
  })
  execution.waitUntil(Promise.allSettled(effects).then(() => tracer.flush()))
  return response
}

export default {
  fetch(request: Request, env: Bindings, execution: ExecutionContext) {
    assembled ??= assemble(env)
    const { app, services } = assembled
    const { tracer } = services
    return tracer
      ? fetchAndFlush(tracer, execution, (observed) => app.fetch(request, env, observed))
      : app.fetch(request, env, execution)
  },
  async scheduled(_controller: unknown, env: Bindings) {
    assembled ??= assemble(env)
    const { services } = assembled
    await recordWith(services.metrics, () => runInTrace(null, () => runEveryMinute(services))).finally(() =>
      services.tracer?.flush(),
    )
  },
}
