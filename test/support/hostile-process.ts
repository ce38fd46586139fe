import { readFileSync, writeFileSync } from 'node:fs'
import { jobSteps } from '#rules/budget.ts'
import { type FileRequest, loadReaders, readFile } from '#rules/files/read-file.ts'
import { createFamilyFile, listFamilies } from './hostile-families.ts'
import { createHostileFile, formats, type HostileFile } from './hostile-files.ts'

// Reads the generated files of some seeds, of each format, or those of its families, and prints what each took, as
// JSON lines: node --expose-gc hostile-process.ts <first seed, or families> <count> <repetitions> [<format>]

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
async function measure(
  request: FileRequest,
  isSmall: boolean,
): Promise<Omit<HostileResult, 'format' | 'seed' | 'structure'>> {
  // Collecting takes longer than reading a small file.
  if (!isSmall) globalThis.gc?.()
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
export async function measureBest(
  request: FileRequest,
  { isSmall = false } = {},
): ReturnType<typeof measure> {
  const result = await measure(request, isSmall)
  for (let round = 1; round < maxRounds; round++) {
    if (result.ms < toleranceMs + result.steps / 1e5 && result.mb < 100) break
    const { ms, mb } = await measure(request, isSmall)
    Object.assign(result, { ms: Math.min(result.ms, ms), mb: Math.min(result.mb, mb) })
  }
  return result
}

async function measureFile(
  format: string,
  seed: number,
  { kind, input, structure, bytes }: HostileFile,
): Promise<HostileResult> {
  const cost = await measureBest({ kind, input, steps: jobSteps }, { isSmall: bytes < 50_000 })
  return { format, seed, structure, ...cost }
}

if (import.meta.main) {
  const [first, count, repetitions, only] = process.argv.slice(2)
  const most = Number(repetitions)
  await loadReaders()
  for (const format of only ? [only] : Object.keys(formats)) {
    const isFamily = first === 'families'
    const start = isFamily ? 0 : Number(first)
    const end = isFamily ? Math.min(Number(count), listFamilies(format).length) : start + Number(count)
    for (let seed = start; seed < end; seed++) {
      const file = isFamily
        ? createFamilyFile(format, seed, most)
        : createHostileFile(format, seed, toScale(seed, most))
      process.stdout.write(`${JSON.stringify(await measureFile(format, seed, file))}\n`)
    }
  }
}
