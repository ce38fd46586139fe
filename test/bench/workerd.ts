import { type ChildProcess, spawn } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { basename, join } from 'node:path'
import { freePort } from '../../lib/local/ports.ts'
import { compatibility } from '../../lib/local/worker.ts'

// The package is CommonJS without types.
const { default: binary } = createRequire(import.meta.url)('workerd') as { default: string }

export interface Module {
  type: 'ESModule' | 'CompiledWasm'
  path: string
}

export interface PlainWorkerd {
  port: number
  pid: number
  stop(): void
}

/** Classes of Durable Objects, each by the binding that leads to it; what they store lies in the Worker's folder. */
export type Objects = Record<string, string>

let inspected = 0

interface Around {
  objects: Objects
  /** The folder of its static files. */
  assets?: string
}

/** `workerd serve` of one Worker on the loopback interface, with nothing in front of it; `folder` takes its files. */
export async function serveWorker(
  folder: string,
  modules: readonly Module[],
  bindings: Record<string, string>,
  around: Around,
): Promise<PlainWorkerd> {
  const port = await freePort()
  await mkdir(join(folder, 'objects'), { recursive: true })
  // Copies: whoever builds meanwhile must not change what is measured.
  for (const { path } of modules) await copyFile(path, join(folder, basename(path)))
  await writeFile(join(folder, 'config.capnp'), configOf(folder, port, modules, bindings, around))
  // Lines of the log go nowhere, as they go elsewhere in production.
  const flags = process.env.BENCH_INSPECT ? [`--inspector-addr=127.0.0.1:${Number(process.env.BENCH_INSPECT) + inspected++}`] : []
  const server = spawn(binary, ['serve', ...flags, join(folder, 'config.capnp')], { stdio: ['ignore', 'ignore', 'inherit'] })
  await listening(server, port)
  return { port, pid: server.pid ?? 0, stop: () => void server.kill('SIGKILL') }
}

type Named = Record<string, string>
function configOf(folder: string, port: number, modules: readonly Module[], bindings: Named, { objects, assets }: Around): string {
  const parts = modules.map(({ type, path }) => {
    const field = type === 'ESModule' ? 'esModule' : 'wasm'
    return `    (name = ${text(basename(path))}, ${field} = embed ${text(basename(path))}),`
  })
  const values = Object.entries(bindings).map(([name, value]) => `    (name = ${text(name)}, text = ${text(value)}),`)
  const places = Object.entries(objects).map(([name, type]) => `    (name = ${text(name)}, durableObjectNamespace = ${text(type)}),`)
  const namespaces = Object.values(objects).map((type) => `    (className = ${text(type)}, uniqueKey = ${text(type)}, enableSql = true),`)
  if (assets) values.push('    (name = "ASSETS", service = "assets"),')
  const disk = assets ? `\n    (name = "assets", disk = (path = ${text(assets)})),` : ''
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),${disk}
    (name = "objects", disk = (path = ${text(join(folder, 'objects'))}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  compatibilityDate = "${compatibility.date}",
  compatibilityFlags = [${compatibility.flags.map(text).join(', ')}],
  modules = [
${parts.join('\n')}
  ],
  bindings = [
${[...values, ...places].join('\n')}
  ],
  durableObjectNamespaces = [
${namespaces.join('\n')}
  ],
  durableObjectStorage = (localDisk = "objects"),
);
`
}

/** A capnp string; JSON's escapes are a part of its. */
const text = (value: string): string => JSON.stringify(value)

async function listening(server: ChildProcess, port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (server.exitCode !== null) throw new Error(`workerd ended with ${server.exitCode}`)
    if (await answers(port)) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error('workerd does not listen')
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
