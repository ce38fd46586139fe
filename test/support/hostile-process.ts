import { readFileSync, writeFileSync } from 'node:fs'
import { jobSteps } from '#rules/budget.ts'
import { type FileRequest, loadReaders, readFile } from '#rules/files/read-file.ts'
import { createHostileFile, formats } from './hostile-files.ts'

// Reads the generated files of some seeds, of each format, and prints what each took, as JSON lines:
// node --expose-gc hostile-process.ts <first seed> <count> <repetitions> [<format>]

/** What reading a file took: processor time of the thread in milliseconds, memory in MB. */
export interface HostileResult {
  format: string
  seed: number
  /** Parts of the file, to find out what made it slow. */
  structure: string
  ms: number
  mb: number
  steps: number
  error: string
}

const toleranceMs = 20
const maxRounds = 3

/** The parts of every second file repeat less often. */
const toScale = (seed: number, most: number) => Math.round(most ** (seed % 2 === 0 ? 0.7 : 1))

const readMb = (field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) /
  1024

/** Read a file. The peak of memory is the kernel's: https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html */
async function measure(request: FileRequest): Promise<Omit<HostileResult, 'format' | 'seed' | 'structure'>> {
  globalThis.gc?.()
  writeFileSync('/proc/self/clear_refs', '5')
  const mbBefore = readMb('VmRSS')
  const start = process.threadCpuUsage()
  const outcome = await readFile(request)
  const { user, system } = process.threadCpuUsage(start)
  // As the process that reads files does.
  if ('result' in outcome) JSON.stringify(outcome.result)
  const error = 'error' in outcome ? outcome.error : null
  return {
    ms: (user + system) / 1000,
    mb: readMb('VmHWM') - mbBefore,
    steps: outcome.steps,
    error: error instanceof Error ? error.constructor.name : '',
  }
}

/** Return what a file took in the best of some rounds: others disturb single ones, and the first compiles the code. */
export async function measureBest(request: FileRequest): ReturnType<typeof measure> {
  const result = await measure(request)
  for (let round = 1; round < maxRounds; round++) {
    if (result.ms < toleranceMs + result.steps / 1e5 && result.mb < 100) break
    const { ms, mb } = await measure(request)
    Object.assign(result, { ms: Math.min(result.ms, ms), mb: Math.min(result.mb, mb) })
  }
  return result
}

async function measureFile(format: string, seed: number, most: number): Promise<HostileResult> {
  const { kind, input, structure } = createHostileFile(format, seed, toScale(seed, most))
  return { format, seed, structure, ...(await measureBest({ kind, input, steps: jobSteps })) }
}

if (import.meta.main) {
  const [first, count, most, only] = process.argv.slice(2)
  await loadReaders()
  for (const format of only ? [only] : Object.keys(formats))
    for (let seed = Number(first); seed < Number(first) + Number(count); seed++)
      process.stdout.write(`${JSON.stringify(await measureFile(format, seed, Number(most)))}\n`)
}
