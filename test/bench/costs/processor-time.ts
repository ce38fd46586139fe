import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Processor time per request in microseconds, by operation: of a Node process and of PostgreSQL. */
export interface ProcessorTime {
  measuredOn: string
  micros: Record<string, { node: number; postgres: number }>
}

/** The stored measurement of `npm run bench -- --processes --store`. */
export const processorTimeFile = join(import.meta.dirname, 'processor-time.json')
export const readProcessorTime = () => JSON.parse(readFileSync(processorTimeFile, 'utf8')) as ProcessorTime

const reads = ['list notifications', 'unread count', 'list flows']
const writes = ['start session', 'record decision', 'escalate']

/** Return the mean processor time of a read and of a write, in seconds. */
export function readMeanSeconds(
  { micros }: ProcessorTime,
  part: 'node' | 'postgres',
): { read: number; write: number } {
  const mean = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + (micros[name]?.[part] ?? 0), 0) / names.length / 1e6
  return { read: mean(reads), write: mean(writes) }
}
