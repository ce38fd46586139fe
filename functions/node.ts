import type { Services } from '../lib/http/app.ts'
import { mountJobs } from '../lib/http/job.ts'
import { type HttpServer, serveHttp } from '../lib/platform/node/server.ts'
import { createNodeServices, type NodeServicesOptions } from '../lib/platform/node/services.ts'
import { type NodeConfig, parseNodeConfig } from '../lib/platform/node/settings.ts'
import { serveFolder } from '../lib/platform/node/static-files.ts'
import { assembleApp, runEveryMinute } from './app.ts'
import { jobOperations } from './jobs/operations.ts'

export interface NodeService extends Pick<HttpServer, 'port' | 'fetch'> {
  services: Services
  /** Run the periodic work now. */
  runCron(): Promise<void>
  /** Finish what is open, within SHUTDOWN_TIMEOUT_MS, and stop. */
  close(): Promise<void>
}

/** Start the service in this process. */
export async function startNode(config: NodeConfig, options: NodeServicesOptions): Promise<NodeService> {
  const { services, close } = createNodeServices(config, options)
  const app = assembleApp(services, serveFolder(config.ASSETS_DIR))
  const keys = [config.QSTASH_CURRENT_SIGNING_KEY, config.QSTASH_NEXT_SIGNING_KEY].filter((key) => key !== undefined)
  if (config.QSTASH_TOKEN) mountJobs(app, jobOperations, services, keys)
  const server = await serveHttp(app, { port: config.PORT, host: config.HOST })
  return {
    port: server.port,
    fetch: server.fetch,
    services,
    runCron: () => runEveryMinute(services),
    async close() {
      await server.close(config.SHUTDOWN_TIMEOUT_MS)
      await close()
    },
  }
}

if (import.meta.main) {
  const log = (line: Record<string, unknown>) => console.log(JSON.stringify(line))
  const service = await startNode(parseNodeConfig(process.env), { log })
  log({ at: new Date().toISOString(), listening: service.port })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.close().then(() => process.exit(0)))
}
