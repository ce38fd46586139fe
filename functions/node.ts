import { setTimeout } from 'node:timers/promises'
import { ownerVariables } from '#config.ts'
import { describe, type Services } from '#http/app.ts'
import { mountJobs, runJob, runJobMessage } from '#http/job.ts'
import { mountMetrics } from '#http/metrics-endpoint.ts'
import { loadOperations } from '#http/routes.ts'
import { createConsoleLog } from '#log.ts'
import { createLineWriter } from '#platform/node/line-writer.ts'
import { formatPretty } from '#platform/node/pretty-line.ts'
import { type HttpServer, serveHttp } from '#platform/node/server.ts'
import { createNodeServices, type NodeServicesOptions } from '#platform/node/services.ts'
import { type NodeConfig, parseNodeConfig } from '#platform/node/settings.ts'
import { serveFolder } from '#platform/node/static-files.ts'
import { createMetricsWriter } from '#platform/node/write-metrics.ts'
import { defaultSweepOptions } from '#work/sweep.ts'
import { assembleApp, runEveryMinute, sweepNow } from './app.ts'
import { jobOperations } from './jobs/operations.ts'
import { routeGroups } from './routes.ts'

export interface NodeService extends Pick<HttpServer, 'port' | 'fetch' | 'finishEffects'> {
  services: Services
  /** Count the open escalation streams of an account in this process. */
  countStreams(accountId: string): number
  /** Run the periodic work now. */
  runCron(): Promise<void>
  /** Finish what is open, within SHUTDOWN_TIMEOUT_MS, and stop. */
  close(): Promise<void>
}

/** Start the service in this process. */
export async function startNode(config: NodeConfig, options: NodeServicesOptions): Promise<NodeService> {
  const { services, realtime, queue, metrics, waitUntilReady, checkConnections, onRedisReturn, close } =
    createNodeServices(config, options)
  await checkConnections().catch(async (error: unknown) => {
    await close()
    throw error
  })
  const app = assembleApp(services, serveFolder(config.ASSETS_DIR))
  const keys = [config.QSTASH_CURRENT_SIGNING_KEY, config.QSTASH_NEXT_SIGNING_KEY].filter(
    (key) => key !== undefined,
  )
  if (config.QSTASH_TOKEN) mountJobs(app, jobOperations, services, keys)
  if (config.METRICS_TOKEN)
    mountMetrics(app, config.METRICS_TOKEN, createMetricsWriter({ services, registry: metrics, realtime }))
  // Now rather than by the first requests: unlike a Worker, this process starts rarely.
  await Promise.all([loadOperations(routeGroups), waitUntilReady()])
  onRedisReturn(() => void publishMissedEvents(services))
  const server = await serveHttp(app, { port: config.PORT, host: config.HOST })
  const runCron = () => runEveryMinute(services)
  // Not awaited: the service also starts, and answers, while PostgreSQL is away.
  void queue.start({
    run: (path, body) => runJobMessage(services, jobOperations, path, body),
    cron: runCron,
    sweep: () => sweepNow(services),
  })
  return {
    port: server.port,
    fetch: server.fetch,
    finishEffects: server.finishEffects,
    services,
    countStreams: realtime.countStreams,
    runCron,
    async close() {
      const timeoutMs = config.SHUTDOWN_TIMEOUT_MS
      // The streams would never end by themselves. Their clients reconnect to another process.
      await realtime.close()
      await Promise.all([server.close(timeoutMs), queue.stop(timeoutMs)])
      await close()
    },
  }
}

/**
 * Sweep the live events that could not be published while Redis was away, instead of in the next minute. The
 * sweep leaves out those of the last 5 s, so repeat it after that time.
 */
async function publishMissedEvents(services: Services): Promise<void> {
  const { sweepLiveEvents } = await import('#work/live-events.ts')
  const sweep = () =>
    runJob(services, 'live_events', (ctx) => sweepLiveEvents(ctx, defaultSweepOptions())).catch(() => {})
  await sweep()
  await setTimeout(5000, undefined, { ref: false })
  await sweep()
}

/** Serve in production mode, with the settings of the environment. */
async function serve(): Promise<void> {
  const config = parseNodeConfig(process.env)
  const isOwner = process.env.DATABASE_OWNER_URL || process.env.OWNER_PASSWORD
  for (const name of ownerVariables) delete process.env[name]
  const log = createConsoleLog(createLineWriter(), config.LOG_FORMAT === 'pretty' ? formatPretty : undefined)
  const write = (line: Record<string, unknown>) => log({ at: new Date().toISOString(), ...line })
  if (isOwner)
    write({
      level: 'warn',
      message:
        'The service has dropped DATABASE_OWNER_URL and OWNER_PASSWORD, which it does not need: move them to .env.owner, which only the commands of the operator load.',
    })
  const service = await startNode(config, { log })
  write({ listening: `http://${config.HOST}:${service.port}`, in_process: service.services.inProcess })
  let isStopping = false
  const stop = async (signal: string) => {
    if (isStopping) return
    isStopping = true
    write({ stopping: signal })
    await service.close().catch((error: unknown) => write({ error: describe(error) }))
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal))
}

if (import.meta.main)
  serve().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  })
