import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'

const root = join(import.meta.dirname, '../..')

export const compatibility = { date: '2026-11-01', flags: ['nodejs_compat', 'enable_request_signal', 'request_signal_passthrough'] }

export interface RunningWorker {
  /** What Cloudflare does each minute. */
  tick(): Promise<void>
  dispatch(path: string): Promise<number>
  dispose(): Promise<void>
}

interface WorkerSettings {
  port: number
  settings: Record<string, string>
  /** Each line the Worker logs. */
  onLog(line: string): void
}

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
export async function startWorker({ port, settings, onLog }: WorkerSettings): Promise<RunningWorker> {
  const options = {
    host: '127.0.0.1',
    port,
    modulesRoot: join(root, 'dist/worker'),
    modules: builtModules(),
    compatibilityDate: compatibility.date,
    compatibilityFlags: compatibility.flags,
    bindings: settings,
    assets: {
      directory: join(root, 'dist/assets'),
      binding: 'ASSETS',
      routerConfig: { invoke_user_worker_ahead_of_assets: true, has_user_worker: true },
    },
    handleStructuredLogs: ({ message }: { message: string }) => onLog(message),
  }
  const miniflare = new Miniflare(convertV4MiniflareOptions(options))
  await miniflare.ready
  return {
    async tick() {
      const handle = (await miniflare.getWorker()) as unknown as { scheduled(options: object): Promise<unknown> }
      await handle.scheduled({ cron: '* * * * *' })
    },
    dispatch: async (path) => (await miniflare.dispatchFetch(`http://localhost${path}`)).status,
    dispose: () => miniflare.dispose(),
  }
}
