import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface TestRun {
  /** Null for a run that was stopped after its time-out. */
  exitCode: number | null
  /**
   * Each test file that ran, with its duration in milliseconds and its first failed test, or null. Files with
   * a failed test come first.
   */
  files: { file: string; ms: number; failure: string | null }[]
}

interface FileReport {
  name: string
  status: string
  startTime: number
  endTime: number
  message: string
  assertionResults: { status: string; fullName: string }[]
}

/** Linux accepts no longer argument of a program, in bytes. */
const maxArgument = 128 * 1024 - 1

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
const isFailed = ({ status }: { status: string }) => status === 'failed'

/**
 * Return the arguments of vitest that select the tests of these names. If they are too many, return none,
 * which selects every test.
 */
export function selectByName(names: readonly string[]): string[] {
  const pattern = `(${names.map(escapePattern).join('|')})$`
  return Buffer.byteLength(pattern) <= maxArgument ? ['-t', pattern] : []
}

/**
 * Run test files in a sandbox, with `names` only the tests of these names unless they are too many. Stop
 * them, and every process that they started, after `timeoutMs`.
 */
export async function runTests(
  root: string,
  files: readonly string[],
  {
    timeoutMs,
    env,
    bail,
    names,
  }: { timeoutMs: number; env: Record<string, string>; bail: boolean; names?: readonly string[] },
): Promise<TestRun> {
  const output = join(root, 'test-report.json')
  rmSync(output, { force: true })
  const options = [
    '--config',
    'test/mutants/vitest.config.ts',
    '--reporter=json',
    `--outputFile=${output}`,
    ...(bail ? ['--bail=1'] : []),
    ...(names ? selectByName(names) : []),
  ]
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...options, ...files], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    // A group of its own, so that its workers can be stopped with it.
    detached: true,
  })
  const stopGroup = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }
  process.once('exit', stopGroup)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    stopGroup()
  }, timeoutMs)
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  process.off('exit', stopGroup)
  return { exitCode: isLate ? null : (exitCode ?? 1), files: readReport(root, output) }
}

function readReport(root: string, path: string): TestRun['files'] {
  let report: { testResults: FileReport[] }
  try {
    report = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return []
  }
  // The first failure ends the other files early, which makes them fail too, without a failed test.
  const rank = ({ assertionResults }: FileReport) => (assertionResults.some(isFailed) ? 0 : 1)
  return report.testResults
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ name, status, startTime, endTime, message, assertionResults }) => {
      const failed = assertionResults.find(isFailed)?.fullName
      const failure =
        failed ??
        (status === 'failed' ? message.trim().split('\n')[0] || 'the file could not be loaded' : null)
      return { file: name.slice(root.length + 1), ms: endTime - startTime, failure }
    })
}
