import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, type RemoteProxyConnectionString } from 'miniflare'
import { root } from '#local/root.ts'
import type { HubNamespace } from '#platform/cloudflare/realtime.ts'
import type { RunningService } from './running-service.ts'

/** The same as in wrangler.toml. */
export const compatibility = {
  date: '2026-11-01',
  flags: [
    'nodejs_als',
    'enable_request_signal',
    'request_signal_passthrough',
    'global_fetch_strictly_public',
  ],
}

export interface RunningWorker extends RunningService {
  /** Send a GET request and return the response's status. */
  fetchStatus(path: string): Promise<number>
}

interface WorkerSettings {
  port: number
  settings: Record<string, string>
  /** URL of the emulator of the Images binding. */
  images?: URL
  /** Folder for the data of R2 and of the Durable Objects, a temporary one by default. */
  dataDir?: string | undefined
  /** Whether the Worker has the hub of the escalation stream, true by default. */
  hub?: boolean | undefined
  /** Port for Chrome DevTools; no inspector by default. */
  inspectorPort?: number | undefined
  onLog(line: string): void
}

/** Folder of the static files that are deployed with the Worker. */
export const builtAssets = join(root, 'dist/assets')

/** List the modules that `bundleWorker` wrote, the Worker first. */
export function listBuiltModules() {
  const folder = join(root, 'dist/worker')
  const names = readdirSync(folder)
  const scripts = names.filter((name) => name.endsWith('.js') && name !== 'cloudflare.js')
  return [
    ...['cloudflare.js', ...scripts].map((name) => ({ type: 'ESModule' as const, path: join(folder, name) })),
    ...names
      .filter((name) => name.endsWith('.wasm'))
      .map((name) => ({ type: 'CompiledWasm' as const, path: join(folder, name) })),
  ]
}

/** Start the built Worker in workerd, on the loopback interface. */
export async function startWorker({
  port,
  settings,
  images,
  dataDir,
  hub = true,
  inspectorPort,
  onLog,
}: WorkerSettings): Promise<RunningWorker> {
  // Miniflare's type is opaque, but any URL of a service with the binding's protocol works.
  const binding = images && {
    binding: 'IMAGES',
    remoteProxyConnectionString: images as RemoteProxyConnectionString,
  }
  const shared = {
    compatibilityDate: compatibility.date,
    compatibilityFlags: compatibility.flags,
    modulesRoot: join(root, 'dist/worker'),
  }
  const service = {
    ...shared,
    name: 'service',
    modules: listBuiltModules(),
    bindings: settings,
    r2Buckets: ['UPLOADS'],
    analyticsEngineDatasets: { METRICS: { dataset: 'support_flow' } },
    ...(hub ? { durableObjects: { ESCALATION_HUB: { className: 'EscalationHub', useSQLite: true } } } : {}),
    ...(binding ? { images: binding } : {}),
    serviceBindings: { ASSETS: 'assets' },
    // A direct socket avoids Miniflare's three proxies, which take longer than the Worker itself.
    unsafeDirectSockets: [{ host: '127.0.0.1', port }],
    stripCfConnectingIp: false,
  }
  // The assets are a service of their own. As in production, the Worker receives every request first and
  // fetches assets itself.
  const assets = {
    ...shared,
    name: 'assets',
    modules: true,
    script: 'export default {}',
    assets: { directory: builtAssets },
  }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      resourcePersistencePath: dataDir || undefined,
      inspectorPort: inspectorPort || undefined,
      handleStructuredLogs: ({ message }: { message: string }) => onLog(message),
      workers: [service, assets],
    }),
  )
  await miniflare.ready
  return {
    async runCron() {
      const handle = (await miniflare.getWorker()) as unknown as {
        scheduled(options: object): Promise<unknown>
      }
      await handle.scheduled({ cron: '* * * * *' })
    },
    fetchStatus: async (path) => (await miniflare.dispatchFetch(`http://localhost${path}`)).status,
    async countSubscribers(accountId) {
      const hubs = (await miniflare.getDurableObjectNamespace('ESCALATION_HUB')) as unknown as HubNamespace
      const response = await hubs.get(hubs.idFromName(accountId)).fetch('https://hub/')
      return ((await response.json()) as { subscribers: number }).subscribers
    },
    hibernateHub: (accountId) =>
      miniflare.unsafeEvictDurableObject('service', 'EscalationHub', {
        name: accountId,
        webSockets: 'hibernate',
      }),
    dispose: () => miniflare.dispose(),
  }
}
