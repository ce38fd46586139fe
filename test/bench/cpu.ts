import { readdirSync, readFileSync } from 'node:fs'

// Linux counts processor time in ticks of 10 ms.
const microsPerTick = 10_000

/**
 * Read the processor time of a process and its children in microseconds, or null if the system has no /proc.
 */
export function readTreeCpuMicros(pid: number): number | null {
  const stat = readStat(pid)
  if (!stat) return null
  return (
    [stat, ...listChildren(pid)].reduce((sum, { ticks }) => sum + ticks, stat.endedChildrenTicks) *
    microsPerTick
  )
}

/** Read the processor time of one process, without its children, in microseconds. */
export function readProcessCpuMicros(pid: number): number | null {
  const stat = readStat(pid)
  return stat && stat.ticks * microsPerTick
}

/**
 * Read the processor time of the main thread of a process, which runs the code of a Worker, in microseconds.
 * For one thread Linux reports nanoseconds:
 * https://docs.kernel.org/scheduler/sched-stats.html#proc-pid-schedstat
 */
export function readMainThreadCpuMicros(pid: number): number | null {
  try {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
    return Number(nanoseconds) / 1000
  } catch {
    return null
  }
}

interface Stat {
  name: string
  parentPid: number
  ticks: number
  /** Ticks of child processes that have ended. */
  endedChildrenTicks: number
}

function readStat(pid: number | string): Stat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The process name in parentheses may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
      parentPid: Number(fields[1]),
      ticks: Number(fields[11]) + Number(fields[12]),
      endedChildrenTicks: Number(fields[13]) + Number(fields[14]),
    }
  } catch {
    return null
  }
}

function listChildren(pid: number): Stat[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(readStat).filter((stat): stat is Stat => stat?.parentPid === pid)
}
