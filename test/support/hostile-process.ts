import { readFileSync, writeFileSync } from 'node:fs'
import { jobSteps } from '#rules/budget.ts'
import { loadReaders, readFile } from '#rules/files/read-file.ts'
import { createHostileFile } from './hostile-files.ts'

// Reads generated files and prints what each took, as JSON lines: node --expose-gc hostile-process.ts <format> <first seed> <count> <scales>

const [name = '', first = '0', count = '1', scales = ''] = process.argv.slice(2)

const readKb = (field: string) =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) /
  1024
/** Let the kernel measure the peak from now on: https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html */
const resetPeak = () => writeFileSync('/proc/self/clear_refs', '5')

await loadReaders()
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  for (const scale of scales.split(',').map(Number)) {
    const { kind, input, bytes, structure } = createHostileFile(name, seed, scale)
    globalThis.gc?.()
    resetPeak()
    const before = readKb('VmRSS')
    const start = process.threadCpuUsage()
    const outcome = await readFile({ kind, input, steps: jobSteps })
    const { user, system } = process.threadCpuUsage(start)
    const error = 'error' in outcome ? outcome.error : undefined
    const ms = (user + system) / 1000
    const mb = Math.round(readKb('VmHWM') - before)
    process.stdout.write(
      `${JSON.stringify({ name, seed, scale, bytes, ms: Math.round(ms), mb, steps: outcome.steps, nsPerStep: Math.round((ms * 1e6) / (outcome.steps + 1)), error: error instanceof Error ? `${error.constructor.name} ${error.message.slice(0, 60)}` : 'ok', structure })}\n`,
    )
  }
}
