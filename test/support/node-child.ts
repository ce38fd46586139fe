import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findFreePort } from '#local/ports.ts'
import { root } from '#local/root.ts'
import { builtAssets } from '#local/worker.ts'

/** The Node entry in a process of its own, as `npm run serve` starts it. */
export interface NodeChild {
  /** Origin, without a slash at the end. */
  api: string
  process: ChildProcess
  /** What it has printed. */
  output(): string
  /** Resolves with the exit code, or null after a signal. */
  exited: Promise<number | null>
}

/**
 * Start the Node entry with exactly these settings, and `PORT`. It is killed when the test ends. `cwd` and
 * `file` are those of the checkout.
 */
export async function spawnNode(
  settings: Record<string, string | undefined>,
  cwd = root,
  file = 'functions/node.ts',
): Promise<NodeChild> {
  const child = await spawnServe(settings, cwd, file)
  onTestFinished(() => void child.process.kill('SIGKILL'))
  return child
}

async function spawnServe(
  settings: Record<string, string | undefined>,
  cwd = root,
  file = 'functions/node.ts',
): Promise<NodeChild> {
  const port = await findFreePort()
  const env = { PATH: process.env.PATH, PORT: String(port), HOST: '127.0.0.1', ...settings }
  const child = spawn(process.execPath, [file], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text))
  const exited = once(child, 'exit').then(([code]) => code as number | null)
  return { api: `http://127.0.0.1:${port}`, process: child, output: () => output, exited }
}

/**
 * Start the Node entry beside a service under test, with its database and emulators, jobs in PostgreSQL, and
 * a folder for uploads.
 */
export async function startNodeChild(
  settings: Record<string, string>,
  changes: Record<string, string | undefined> = {},
): Promise<NodeChild> {
  const folder = mkdtempSync(join(tmpdir(), 'flow-objects-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return requireListening(await spawnNode(toServeSettings(settings, folder, changes)))
}

/** Start the Node entry like `startNodeChild`, for several tests. The caller kills it. */
export async function startServeProcess(
  settings: Record<string, string>,
  changes: Record<string, string | undefined> = {},
): Promise<NodeChild> {
  const folder = mkdtempSync(join(tmpdir(), 'flow-objects-'))
  const child = await requireListening(await spawnServe(toServeSettings(settings, folder, changes)))
  void child.exited.then(() => rmSync(folder, { recursive: true, force: true }))
  return child
}

export function toServeSettings(
  settings: Record<string, string>,
  objectsDir: string,
  changes: Record<string, string | undefined> = {},
) {
  const withoutQstash = {
    QSTASH_TOKEN: undefined,
    QSTASH_CURRENT_SIGNING_KEY: undefined,
    QSTASH_NEXT_SIGNING_KEY: undefined,
  }
  const { PORT: _, ...shared } = settings
  return { ...shared, OBJECTS_DIR: objectsDir, ASSETS_DIR: builtAssets, ...withoutQstash, ...changes }
}

async function requireListening(child: NodeChild): Promise<NodeChild> {
  await Promise.race([waitForOutput(child, '"listening"'), child.exited])
  if (!child.output().includes('"listening"'))
    throw new Error(`The Node entry did not start: ${child.output()}`)
  return child
}

/** Resolve when the process has printed a text. */
export async function waitForOutput({ process: { stdout }, output }: NodeChild, text: string): Promise<void> {
  while (!output().includes(text)) await once(stdout as NonNullable<typeof stdout>, 'data')
}
