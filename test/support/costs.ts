import { readFileSync } from 'node:fs'

/** What `npm test -- --costs` adds up, in seconds. */
export interface Costs {
  /** Processor time of the worker that ran the file. */
  own: number
  /** Of the processes that the file has started and that have ended, such as workerd. */
  children: number
  /** How often it started a service of its own with its database, by platform, and how long that took. */
  starts: Record<string, { count: number; seconds: number }>
}

declare module 'vitest' {
  interface TaskMeta {
    costs?: Costs
  }
}

const holder = globalThis as { serviceStarts?: Costs['starts'] }

/** Wait for a service to start, and count it. */
export async function countStart<T>(platform: string, work: Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work
  holder.serviceStarts ??= {}
  const { count, seconds } = holder.serviceStarts[platform] ?? { count: 0, seconds: 0 }
  holder.serviceStarts[platform] = {
    count: count + 1,
    seconds: seconds + (performance.now() - start) / 1000,
  }
  return result
}

/** Start to count anew. Returns a function that reads what was spent since. */
export function startCounting(): () => Costs {
  holder.serviceStarts = {}
  const before = process.cpuUsage()
  const childrenBefore = readChildSeconds()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return {
      own: (user + system) / 1e6,
      children: readChildSeconds() - childrenBefore,
      starts: holder.serviceStarts ?? {},
    }
  }
}

/**
 * Read the processor time of all processes that this one has started and that have ended, with theirs, in seconds.
 * 0 where there is no /proc: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function readChildSeconds(): number {
  const ticksPerSecond = 100
  try {
    // The name of the process, which may have blanks, ends at the bracket. `cutime` and `cstime` are fields 16 and 17.
    const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
  } catch {
    return 0
  }
}
