import { type MetricsPort, recordWith } from '#metrics.ts'

/** Call a function and return the attempts that it counts, as `kind outcome`. */
export async function collectAttempts(work: () => Promise<void>): Promise<string[]> {
  const attempts: string[] = []
  const record = (id: string, labels: readonly string[]) =>
    void (id === 'attempts' && attempts.push(labels.join(' ')))
  const port: MetricsPort = { start: () => ({ record, flush: () => {} }) }
  await recordWith(port, work)
  return attempts
}
