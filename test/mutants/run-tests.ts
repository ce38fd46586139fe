import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface TestRun {
  /** Null for a run that was stopped after its time-out. */
  exitCode: number | null
  /** Each test file that ran, with its duration in milliseconds and its first failed test. */
  files: { file: string; ms: number; failure: string | null }[]
}

interface JsonReport {
  testResults: {
    name: string
    status: string
    startTime: number
    endTime: number
    message: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

/** Run test files in a sandbox. Stop them, and every process that they started, after `timeoutMs`. */
export async function runTests(
  root: string,
  files: readonly string[],
  { timeoutMs, env, bail }: { timeoutMs: number; env: Record<string, string>; bail: boolean },
): Promise<TestRun> {
  const output = join(root, 'test-report.json')
  rmSync(output, { force: true })
  const options = ['--config', 'test/mutants/vitest.config.ts', '--reporter=json', `--outputFile=${output}`, ...(bail ? ['--bail=1'] : [])]
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
  let report: JsonReport
  try {
    report = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return []
  }
  return report.testResults.map(({ name, status, startTime, endTime, message, assertionResults }) => {
    const failed = assertionResults.find((result) => result.status === 'failed')?.fullName
    const failure = failed ?? (status === 'failed' ? message.split('\n')[0] || 'The file could not be loaded' : null)
    return { file: name.slice(root.length + 1), ms: endTime - startTime, failure }
  })
}
