import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import type { Socket } from 'node:net'
import { extname, join } from 'node:path'
import { limitPerKey } from '#async/limit-per-key.ts'
import type { Log } from '#log.ts'
import { record } from '#metrics.ts'
import { Problem } from '#problem.ts'
import { tooComplex } from '#rules/budget.ts'
import { type FileOutcome, type FileRequest, type Refusal, toError } from '#rules/files/read-file.ts'
import { createFilesPort, type FilesPort } from '#vendors/files/files.ts'

// Files of strangers are read in processes of their own, which have no settings, write nothing, start nothing
// and are killed when they take too much. Threads are no such place: their buffers are not limited, and one
// that runs out of memory ends the whole process (https://github.com/nodejs/node/issues/47224).

/** What one file may take: processor time and time in milliseconds, and resident memory in bytes. */
export interface FileLimits {
  /** Of a file below 1 MB. A larger one may take twice as long. */
  cpuMs: number
  /** Far more than the processor time, because a busy machine makes good files late. */
  wallMs: number
  memoryBytes: number
}
const defaultLimits: FileLimits = { cpuMs: 2000, wallMs: 60_000, memoryBytes: 256 * 1024 * 1024 }

const places = { running: 2, waiting: 8, maxWaitMs: 30_000 }
/** Of the files that are read or wait. */
const maxHeldBytes = 128 * 1024 * 1024
const accountPlaces = { running: 1, waiting: 10, maxWaitMs: 30_000 }
/** So long after a kill, the files of an account wait behind those of others. */
const lastMs = 600_000
const maxLastAccounts = 1000
const maxFilesOfProcess = 50
const sampleMs = 20
const startMs = 30_000
const largeFileBytes = 1_000_000
/** Seconds of processor time of a process whose parent was killed. It is more than its files may take. */
const maxProcessSeconds = 300

/** The answer of a process: the result as JSON, or why the file is refused. */
export type FileAnswer = { steps: number } & ({ json: string } | { refusal: Refusal })

/** By its limit, by itself, or by another hand, such as the out-of-memory killer of the machine. */
type Kill = 'time' | 'memory' | 'ended' | 'outside'
const outsideSignals: readonly unknown[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']

interface Reader {
  process: ChildProcess
  files: number
}

export interface NodeFiles extends FilesPort {
  /** End the processes. What they read is answered with 503. */
  close(): void
}

/** Create the port. Its processes are started by the first files. */
export function createFiles(
  log: Log,
  { limits = defaultLimits, script = ownScript, now = Date.now } = {},
): NodeFiles {
  const idle: Reader[] = []
  const open = new Set<Reader>()
  const takePlace = limitPerKey(accountPlaces)
  const takeReaderPlace = limitPerKey(places)
  /** When a file of an account was killed last, the latest at the end. */
  const killedAt = new Map<string, number>()
  const noteKill = (accountId: string) => {
    killedAt.delete(accountId)
    killedAt.set(accountId, now())
    const [oldest] = killedAt.keys()
    if (killedAt.size > maxLastAccounts && oldest !== undefined) killedAt.delete(oldest)
  }
  const isLast = (accountId: string) => (killedAt.get(accountId) ?? Number.NEGATIVE_INFINITY) + lastMs > now()
  let isClosed = false
  let heldBytes = 0

  async function takeReader(): Promise<Reader> {
    for (let waiting = idle.pop(); waiting; waiting = idle.pop()) {
      // What earlier files have left would count for the next one.
      const isLarge = readUsage(waiting.process.pid).memoryBytes > limits.memoryBytes * 0.75
      if (!isLarge && waiting.files < maxFilesOfProcess) return waiting
      waiting.process.kill('SIGKILL')
    }
    const reader = { process: startProcess(script), files: 0 }
    open.add(reader)
    reader.process.once('exit', () => {
      open.delete(reader)
      if (idle.includes(reader)) idle.splice(idle.indexOf(reader), 1)
    })
    await waitUntilReady(reader.process).catch((error: unknown) => {
      reader.process.kill('SIGKILL')
      if (!isClosed) log({ file_reader_failed: true, error: String(error) })
      throw createBusyProblem()
    })
    return reader
  }

  async function readOne(request: FileRequest, accountId: string, canRepeat = true): Promise<FileOutcome> {
    if (isClosed) throw createBusyProblem()
    const reader = await takeReader()
    const { answer, kill } = await callProcess(reader.process, request, limits)
    if (isClosed && !answer) throw createBusyProblem()
    if (kill) {
      record('fileReaderKills', { kind: request.kind, reason: kill })
      log({ level: 'warn', file_reader_killed: kill, kind: request.kind, bytes: measureInput(request.input) })
    }
    if (kill === 'outside') {
      if (canRepeat) return readOne(request, accountId, false)
      throw createBusyProblem()
    }
    if (kill) noteKill(accountId)
    if (!answer) return { steps: request.steps, error: tooComplex() }
    reader.files++
    idle.push(reader)
    const { steps } = answer
    return 'json' in answer
      ? { steps, result: JSON.parse(answer.json) }
      : { steps, error: toError(answer.refusal) }
  }

  return {
    ...createFilesPort(async (request, accountId, signal) => {
      const bytes = measureInput(request.input)
      if (heldBytes + bytes > maxHeldBytes) throw createBusyProblem()
      heldBytes += bytes
      try {
        const leaveAccount = await takePlace(accountId, { signal }).catch(throwBusy)
        try {
          const turn = { signal, isLast: isLast(accountId) }
          const leave = await takeReaderPlace('all', turn).catch(throwBusy)
          return await readOne(request, accountId).finally(leave)
        } finally {
          leaveAccount()
        }
      } finally {
        heldBytes -= bytes
      }
    }),
    close() {
      isClosed = true
      for (const { process } of open) process.kill('SIGKILL')
    },
  }
}

const createBusyProblem = () =>
  new Problem('unavailable', 'Too many files are read at the moment; try again', {
    headers: { 'retry-after': '10' },
  })

/** The queues do not say when a place will be free. */
function throwBusy(error: unknown): never {
  throw error instanceof Problem && error.kind === 'unavailable' ? createBusyProblem() : error
}

// In a checkout this is a script in TypeScript, and in the built folder a bundle at the same place.
const ownScript = join(import.meta.dirname, `files-process${extname(import.meta.filename)}`)
const root = join(import.meta.dirname, '../../..')
const readable = ['package.json', 'lib', 'chunks', 'node_modules']
  .map((name) => join(root, name))
  .filter((path) => existsSync(path))
  // Checkouts may share one folder of packages by a link.
  .flatMap((path) => [path, realpathSync(path)])
// The kernel ends a process that goes on when its parent was killed: https://man7.org/linux/man-pages/man1/setpriv.1.html
const setpriv = '/usr/bin/setpriv'
const startCommand = `ulimit -t ${maxProcessSeconds}; ${existsSync(setpriv) ? `exec ${setpriv} --pdeathsig KILL -- "$@"` : 'exec "$@"'}`

function startProcess(script: string): ChildProcess {
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      startCommand,
      'sh',
      process.execPath,
      // Without a permission for them: writing, processes, threads and native modules, and from Node 25 on the
      // network: https://nodejs.org/docs/latest-v24.x/api/permissions.html#permission-model
      '--permission',
      ...[...readable, script].map((path) => `--allow-fs-read=${path}`),
      // Without the last three, V8 keeps garbage of 100 MB, for which good files would be killed.
      '--max-old-space-size=192',
      '--max-semi-space-size=4',
      '--optimize-for-size',
      '--expose-gc',
      script,
    ],
    { cwd: '/', env: {}, stdio: ['ignore', 'ignore', 'pipe', 'ipc'], serialization: 'advanced' },
  )
  // Whoever waits learns of it by the exit, or by a time-out.
  child.on('error', () => {})
  return child
}

async function waitUntilReady(child: ChildProcess): Promise<void> {
  let output = ''
  const stderr = child.stderr as Socket
  stderr.on('data', (chunk: Buffer) => {
    if (output.length < 1000) output += chunk.toString('latin1')
  })
  const signal = AbortSignal.timeout(startMs)
  const exit = once(child, 'exit', { signal }).then(() => {
    throw new Error(`The process that reads files did not start: ${output.slice(0, 500)}`)
  })
  await Promise.race([once(child, 'message', { signal }), exit])
  // An idle one does not keep this process running.
  for (const handle of [child, child.channel, stderr]) handle?.unref()
}

/** Let a process read a file. Kill it when the file takes too much; then there is no answer. */
function callProcess(
  child: ChildProcess,
  request: FileRequest,
  { cpuMs, wallMs, memoryBytes }: FileLimits,
): Promise<{ answer?: FileAnswer; kill?: Kill }> {
  const start = readUsage(child.pid)
  const maxCpuMs = measureInput(request.input) < largeFileBytes ? cpuMs : cpuMs * 2
  const startedAt = performance.now()
  return new Promise((resolve) => {
    let kill: Kill = 'ended'
    const watch = setInterval(() => {
      const usage = readUsage(child.pid)
      if (usage.memoryBytes > memoryBytes) kill = 'memory'
      else if (usage.cpuMs - start.cpuMs > maxCpuMs || performance.now() - startedAt > wallMs) kill = 'time'
      else return
      child.kill('SIGKILL')
    }, sampleMs)
    const finish = (outcome: { answer?: FileAnswer; kill?: Kill }) => {
      clearInterval(watch)
      child.removeAllListeners('message')
      child.removeListener('exit', end)
      resolve(outcome)
    }
    const end = (_: unknown, signal: string | null) =>
      finish({ kill: kill === 'ended' && outsideSignals.includes(signal) ? 'outside' : kill })
    child.once('exit', end)
    child.once('message', (answer: FileAnswer) => finish({ answer }))
    child.send(request, (error) => {
      if (error) child.kill('SIGKILL')
    })
  })
}

/** Processor time is counted in ticks of 10 ms: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
const tickMs = 10

/** Return what a process has used. Without /proc, as on macOS, nothing: then the wall limit alone holds. */
function readUsage(pid: number | undefined): { cpuMs: number; memoryBytes: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const status = readFileSync(`/proc/${pid}/status`, 'latin1')
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
      memoryBytes: Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024,
    }
  } catch {
    return { cpuMs: 0, memoryBytes: 0 }
  }
}

/** Return the length of the texts and bytes of an input. */
function measureInput(input: unknown): number {
  if (typeof input === 'string') return input.length
  if (input instanceof Uint8Array) return input.byteLength
  if (typeof input !== 'object' || input === null) return 0
  return Object.values(input).reduce((sum: number, value) => sum + measureInput(value), 0)
}
