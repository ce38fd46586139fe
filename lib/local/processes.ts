import { execFile } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

/** A process of this machine. The number alone does not identify it, because the system reuses numbers. */
export interface ProcessInfo {
  pid: number
  parent: number
  /** When it started, in the system's own notation. */
  startedAt: string
  command: string
}

export async function listProcesses(): Promise<ProcessInfo[]> {
  // Small Linux images have no `ps`, and macOS has no `/proc`.
  return process.platform === 'linux'
    ? listFromProc()
    : parsePs((await promisify(execFile)('ps', psArguments)).stdout)
}

async function listFromProc(): Promise<ProcessInfo[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  // A process may end while it is read.
  const all = await Promise.all(names.map((name) => readProc(Number(name)).catch(() => undefined)))
  return all.filter((info) => info !== undefined)
}

async function readProc(pid: number): Promise<ProcessInfo | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may contain spaces. After it come fields 3, 4, …:
  // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', parent = ''] = fields
  // A zombie has ended already; only its parent has not noticed.
  if (state === 'Z') return undefined
  const command = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim()
  return { pid, parent: Number(parent), startedAt: fields[19] ?? '', command }
}

/** Return a process. Undefined when it has ended. */
async function findProcess(pid: number): Promise<ProcessInfo | undefined> {
  if (process.platform === 'linux') return readProc(pid).catch(() => undefined)
  return (await listProcesses()).find((info) => info.pid === pid)
}

const shell = /^(?:\S*\/)?(?:ba|da|z)?sh -c /

/**
 * Call `onEnd` once what started this process has ended, also if it was killed and could tell nobody: its
 * parent, or npm behind the shell in which it runs a script. Whoever started npm may end before.
 */
export async function watchParent(onEnd: () => void, intervalMs = 1000): Promise<void> {
  const { ppid } = process
  const parent = await findProcess(ppid)
  const npm = parent && shell.test(parent.command) ? parent.parent : undefined
  const check = async () => {
    const isParentThere = process.ppid === ppid
    if (isParentThere && (npm === undefined || (await findProcess(ppid))?.parent === npm)) return
    clearInterval(timer)
    onEnd()
  }
  const timer = setInterval(() => void check(), intervalMs).unref()
}

const psArguments = ['-A', '-ww', '-o', 'pid=,ppid=,lstart=,command=']

/** Parse the output of `ps` with the columns pid, ppid, lstart and command. */
export function parsePs(text: string): ProcessInfo[] {
  return [...text.matchAll(/^ *(\d+) +(\d+) +(\w{3} +\w{3} +\d+ +[\d:]{8} +\d{4}) +(.*)$/gm)].map(
    ([, pid, parent, startedAt = '', command = '']) => ({
      pid: Number(pid),
      parent: Number(parent),
      startedAt,
      command: command.trim(),
    }),
  )
}

/** Write this process and its children into a file, for the next start. */
export async function recordProcesses(file: string): Promise<void> {
  const processes = await listProcesses()
  const owner = processes.find(({ pid }) => pid === process.pid)
  await writeFile(
    file,
    JSON.stringify({ owner, children: processes.filter(({ parent }) => parent === process.pid) }),
  )
}

/**
 * Stop what an earlier process left behind when it was killed: the children that it recorded, and the
 * PostgreSQL of `dataDir`. Throw if that process is still running. A recorded number that another process has
 * now is left alone.
 */
export async function stopOrphans(file: string, dataDir: string): Promise<void> {
  const record = await readRecord(file)
  if (!record) return
  const running = await listProcesses()
  if (running.some((info) => isSame(info, record.owner))) {
    throw new Error(
      `The service is already running from this folder, as process ${record.owner.pid}. Stop it first.`,
    )
  }
  const serverPid = await readServerPid(dataDir)
  const isServer = ({ pid, command }: ProcessInfo) => pid === serverPid && command.includes(dataDir)
  const orphans = running.filter(
    (info) => isServer(info) || record.children.some((child) => isSame(info, child)),
  )
  await Promise.all(orphans.map(stopProcess))
  await rm(file, { force: true })
}

/**
 * Read the process number that PostgreSQL writes into the first line of its lock file. Return NaN without a
 * server.
 */
async function readServerPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => ''), 10)
}

interface ProcessRecord {
  owner: ProcessInfo
  children: ProcessInfo[]
}

async function readRecord(file: string): Promise<ProcessRecord | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

function isSame(a: ProcessInfo, b: ProcessInfo): boolean {
  return a.pid === b.pid && a.startedAt === b.startedAt && a.command === b.command
}

// PostgreSQL ends open transactions and shuts down cleanly on SIGINT, and at once on SIGQUIT; other programs
// end on both.
// https://www.postgresql.org/docs/18/server-shutdown.html
const signals = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const
const patienceMs = 5000

async function stopProcess(target: ProcessInfo): Promise<void> {
  for (const signal of signals) {
    for (let waited = 0; waited < patienceMs; waited += 100) {
      if (!(await listProcesses()).some((info) => isSame(info, target))) return
      if (waited === 0) process.kill(target.pid, signal)
      await sleep(100)
    }
  }
  throw new Error(`Process ${target.pid} of an earlier start does not end: ${target.command}`)
}
