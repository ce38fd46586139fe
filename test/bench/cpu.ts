import { readdirSync, readFileSync } from 'node:fs'

// Linux counts in hundredths of a second wherever it matters.
const microsPerTick = 10_000

/** Microseconds of processor time that a process and its children have used; null where there is no /proc. */
export function cpuMicros(pid: number): number | null {
  const own = fields(pid)
  if (!own) return null
  return [own, ...childrenOf(pid)].reduce((sum, { ticks }) => sum + ticks, own.waitedTicks) * microsPerTick
}

/** Microseconds of one process alone. */
export function ownCpuMicros(pid: number): number | null {
  const own = fields(pid)
  return own && own.ticks * microsPerTick
}

interface Stat {
  parent: number
  ticks: number
  /** Of children that have ended. */
  waitedTicks: number
}

function fields(pid: number | string): Stat | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold spaces.
    const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(rest[1]), ticks: Number(rest[11]) + Number(rest[12]), waitedTicks: Number(rest[13]) + Number(rest[14]) }
  } catch {
    return null
  }
}

function childrenOf(pid: number): Stat[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.map(fields).filter((stat): stat is Stat => stat?.parent === pid)
}
