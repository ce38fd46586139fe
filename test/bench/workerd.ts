import { spawn } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { findFreePort } from '#local/ports.ts'
import { compatibility } from '#local/worker.ts'
import { waitForPort } from './wait-for-port.ts'

// The package is CommonJS and has no types.
const { default: binary } = createRequire(import.meta.url)('workerd') as { default: string }

export interface Module {
  type: 'ESModule' | 'CompiledWasm'
  path: string
}

export interface RunningWorkerd {
  port: number
  pid: number
  stop(): void
}

/** Class names of Durable Objects by binding name. The objects are stored in the Worker's folder. */
export type DurableObjects = Record<string, string>

let inspectorCount = 0

interface WorkerOptions {
  objects: DurableObjects
  /** Folder of the static files. */
  assets?: string
}

/**
 * Start `workerd serve` with one Worker on the loopback interface. Unlike `wrangler dev`, no proxy is in
 * front of it. The config, the modules and the Durable Objects are written to `folder`.
 */
export async function startWorkerd(
  folder: string,
  modules: readonly Module[],
  bindings: Record<string, string>,
  options: WorkerOptions,
): Promise<RunningWorkerd> {
  const port = await findFreePort()
  await mkdir(join(folder, 'objects'), { recursive: true })
  // The modules are copied, so that a build in the meantime does not change them.
  for (const { path } of modules) await copyFile(path, join(folder, basename(path)))
  await writeFile(join(folder, 'config.capnp'), renderConfig(folder, port, modules, bindings, options))
  const flags = process.env.BENCH_INSPECT
    ? [`--inspector-addr=127.0.0.1:${Number(process.env.BENCH_INSPECT) + inspectorCount++}`]
    : []
  // The Worker's log on stdout is discarded.
  const server = spawn(binary, ['serve', ...flags, join(folder, 'config.capnp')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await waitForPort(server, port, 'workerd')
  return { port, pid: server.pid ?? 0, stop: () => void server.kill('SIGKILL') }
}

type StringMap = Record<string, string>
function renderConfig(
  folder: string,
  port: number,
  modules: readonly Module[],
  bindings: StringMap,
  { objects, assets }: WorkerOptions,
): string {
  const moduleLines = modules.map(({ type, path }) => {
    const field = type === 'ESModule' ? 'esModule' : 'wasm'
    return `    (name = ${toCapnpString(basename(path))}, ${field} = embed ${toCapnpString(basename(path))}),`
  })
  const bindingLines = Object.entries(bindings).map(
    ([name, value]) => `    (name = ${toCapnpString(name)}, text = ${toCapnpString(value)}),`,
  )
  const objectLines = Object.entries(objects).map(
    ([name, type]) => `    (name = ${toCapnpString(name)}, durableObjectNamespace = ${toCapnpString(type)}),`,
  )
  const namespaceLines = Object.values(objects).map(
    (type) =>
      `    (className = ${toCapnpString(type)}, uniqueKey = ${toCapnpString(type)}, enableSql = true),`,
  )
  if (assets) bindingLines.push('    (name = "ASSETS", service = "assets"),')
  const assetsService = assets ? `\n    (name = "assets", disk = (path = ${toCapnpString(assets)})),` : ''
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),${assetsService}
    (name = "objects", disk = (path = ${toCapnpString(join(folder, 'objects'))}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  compatibilityDate = "${compatibility.date}",
  compatibilityFlags = [${compatibility.flags.map(toCapnpString).join(', ')}],
  modules = [
${moduleLines.join('\n')}
  ],
  bindings = [
${[...bindingLines, ...objectLines].join('\n')}
  ],
  durableObjectNamespaces = [
${namespaceLines.join('\n')}
  ],
  durableObjectStorage = (localDisk = "objects"),
);
`
}

/** Quote a string for Cap'n Proto, which accepts JSON's escapes. */
const toCapnpString = (value: string): string => JSON.stringify(value)
