/**
 * Run `work` and return its result and the processor time it used, in milliseconds. Other processes do not
 * affect this time.
 */
export function measureCpuTime<T>(work: () => T): { result: T; ms: number } {
  const before = process.cpuUsage()
  const result = work()
  const { user, system } = process.cpuUsage(before)
  return { result, ms: (user + system) / 1000 }
}

/** Run `work` and return the processor time it used, in milliseconds. */
export function measureCpuTimeMs(work: () => unknown): number {
  return measureCpuTime(work).ms
}

/** Run `work` and return the time until it ends, in milliseconds. Other processes make this time longer. */
export async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Return the median, or 0 for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}

/** Run `work` and return the processor time of this thread, in milliseconds. */
export async function measureThreadCpuTimeMs(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/**
 * Run `work` twice and return the least processor time of this thread, in milliseconds. The first run also
 * compiles the code.
 */
export async function measureBestCpuTimeMs(work: () => unknown): Promise<number> {
  return Math.min(await measureThreadCpuTimeMs(work), await measureThreadCpuTimeMs(work))
}
