import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare, type RemoteProxyConnectionString } from 'miniflare'
import type { HubNamespace } from '../realtime/durable.ts'

const root = join(import.meta.dirname, '../..')

export const compatibility = { date: '2026-11-01', flags: ['nodejs_compat', 'enable_request_signal', 'request_signal_passthrough'] }

export interface RunningWorker {
  /** What Cloudflare does each minute. */
  tick(): Promise<void>
  dispatch(path: string): Promise<number>
  /** How many streams the hub of an account holds open. */
  subscribers(accountId: string): Promise<number>
  dispose(): Promise<void>
}

interface WorkerSettings {
  port: number
  settings: Record<string, string>
  /** Where the stand-in of the Images binding answers. */
  images?: URL
  /** Where the bucket's objects are kept; a temporary folder when not said. */
  dataDir?: string | undefined
  /** Whether the hub of the escalation stream is there; it is when not said. */
  hub?: boolean | undefined
  /** Each line the Worker logs. */
  onLog(line: string): void
}

/** The static files that are deployed beside it. */
export const builtAssets = join(root, 'dist/assets')

/** The modules that wrangler built: the Worker and the wasm it imports. */
export function builtModules() {
  const folder = join(root, 'dist/worker')
  const wasm = readdirSync(folder).filter((name) => name.endsWith('.wasm'))
  return [
    { type: 'ESModule' as const, path: join(folder, 'index.js') },
    ...wasm.map((name) => ({ type: 'CompiledWasm' as const, path: join(folder, name) })),
  ]
}

/** The built Worker in workerd, on the loopback interface. */
export async function startWorker({ port, settings, images, dataDir, hub = true, onLog }: WorkerSettings): Promise<RunningWorker> {
  // Miniflare marks the type as its own; it takes any address that speaks like the binding's service.
  const binding = images && { binding: 'IMAGES', remoteProxyConnectionString: images as RemoteProxyConnectionString }
  const shared = { compatibilityDate: compatibility.date, compatibilityFlags: compatibility.flags, modulesRoot: join(root, 'dist/worker') }
  const service = {
    ...shared,
    name: 'service',
    modules: builtModules(),
    bindings: settings,
    r2Buckets: ['UPLOADS'],
    ...(hub ? { durableObjects: { ESCALATION_HUB: { className: 'EscalationHub', useSQLite: true } } } : {}),
    ...(binding ? { images: binding } : {}),
    serviceBindings: { ASSETS: 'assets' },
    // Straight to the Worker: the three that Miniflare puts before it cost more than the Worker does.
    unsafeDirectSockets: [{ host: '127.0.0.1', port }],
    stripCfConnectingIp: false,
  }
  // Beside it and not before it: what is deployed is asked first as well, and asks for a file itself.
  const assets = { ...shared, name: 'assets', modules: true, script: 'export default {}', assets: { directory: builtAssets } }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      ...(dataDir ? { resourcePersistencePath: dataDir } : {}),
      handleStructuredLogs: ({ message }: { message: string }) => onLog(message),
      workers: [service, assets],
    }),
  )
  await miniflare.ready
  return {
    async tick() {
      const handle = (await miniflare.getWorker()) as unknown as { scheduled(options: object): Promise<unknown> }
      await handle.scheduled({ cron: '* * * * *' })
    },
    dispatch: async (path) => (await miniflare.dispatchFetch(`http://localhost${path}`)).status,
    async subscribers(accountId) {
      const hubs = (await miniflare.getDurableObjectNamespace('ESCALATION_HUB')) as unknown as HubNamespace
      const answer = await hubs.get(hubs.idFromName(accountId)).fetch('https://hub/')
      return ((await answer.json()) as { subscribers: number }).subscribers
    },
    dispose: () => miniflare.dispose(),
  }
}
