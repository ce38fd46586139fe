import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutation } from './candidates.ts'
import { buildsWorker, hasCommittedDocument, hasCorrectTypes } from './checks.ts'
import { runTests } from './run-tests.ts'
import type { Sandbox } from './sandbox.ts'
import type { SelectedTest } from './select-tests.ts'

/** What became of a mutant. `reason` names the failed test, or says why nothing failed. */
export interface Verdict {
  killed: boolean
  reason: string
}

/**
 * Runs test files against the sandbox as it is, and returns the first failure, or null. Without correct
 * types, it runs only the first files.
 */
export interface FindFailure {
  (tests: readonly SelectedTest[], isTyped?: Promise<boolean>): Promise<string | null>
  /** Build the Worker of the sandbox, and run its tests. */
  inWorker(): Promise<string | null>
}

// What only the Worker loads. Its tests run in workerd, on a Worker that is built from the changed files.
const workerFiles = /^(functions\/cloudflare\.ts|lib\/platform\/cloudflare\/)/
const startsWorker = "platform: 'cloudflare'"
// Most mutants fail in one of the few files that are about them.
const firstFiles = 3
const secondFiles = 12
const startMs = 90_000
const workerMs = 300_000
// What the OpenAPI document is written from. `npm test` compares it with the committed one.
const documentedFiles = /^lib\/http\/(openapi\/|fields\.ts)|\/(schemas|operations)\.ts$/

/**
 * Create the function that runs test files, the most specific first, until one fails. `cleanUp` runs after
 * each run.
 */
export function createFailureFinder(
  root: string,
  env: Record<string, string>,
  cleanUp: () => Promise<void>,
): FindFailure {
  const runFiles = async (
    files: readonly string[],
    options: { timeoutMs: number; names?: string[]; env?: Record<string, string> },
  ) => {
    const run = await runTests(root, files, { bail: true, ...options, env: { ...env, ...options.env } })
    await cleanUp()
    if (run.exitCode === null) return 'time-out'
    const failed = run.files.find(({ failure }) => failure)
    if (run.exitCode === 0) return null
    return failed ? `${failed.file}: ${failed.failure}` : 'the test run ended early'
  }
  const findFailure = async (tests: readonly SelectedTest[], isTyped = Promise.resolve(true)) => {
    for (const [from, to] of [[0, firstFiles], [firstFiles, secondFiles], [secondFiles]]) {
      const { whole = [], parts = [] } = Object.groupBy(tests.slice(from, to), ({ names }) =>
        names ? 'parts' : 'whole',
      )
      const failure = (await runSelected(whole)) ?? (await runSelected(parts))
      if (failure || !(await isTyped)) return failure
    }
    return null
  }
  /** Run whole test files, or the named tests of files. */
  const runSelected = async (tests: readonly SelectedTest[]) => {
    if (tests.length === 0) return null
    const timeoutMs = startMs + 3 * tests.reduce((sum, { ms }) => sum + ms, 0)
    const names = [...new Set(tests.flatMap((test) => test.names ?? []))]
    return runFiles(
      tests.map(({ file }) => file),
      { timeoutMs, ...(names.length > 0 ? { names } : {}) },
    )
  }
  const workerTests = globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
    readFileSync(join(root, file), 'utf8').includes(startsWorker),
  )
  const inWorker = async () =>
    (await buildsWorker(root))
      ? runFiles(workerTests, { timeoutMs: workerMs, env: { TEST_WORKER: '1' } })
      : 'npm run build'
  return Object.assign(findFailure, { inWorker })
}

/**
 * Apply a mutation, run `tests`, and undo it. Return null for a mutant whose types are wrong: no commit could
 * contain it.
 */
export async function testMutant(
  sandbox: Sandbox,
  mutation: Mutation,
  tests: readonly SelectedTest[],
  findFailure: FindFailure,
): Promise<Verdict | null> {
  const source = readFileSync(join(sandbox.root, mutation.file), 'utf8')
  sandbox.write(mutation.file, source.slice(0, mutation.start) + mutation.text + source.slice(mutation.end))
  try {
    const isTyped = hasCorrectTypes(sandbox.root)
    const verdict = await findVerdict(sandbox, mutation, { tests, isTyped, findFailure })
    return (await isTyped) ? verdict : null
  } finally {
    sandbox.restore(mutation.file)
  }
}

async function findVerdict(
  { root }: Sandbox,
  { file }: Mutation,
  {
    tests,
    isTyped,
    findFailure,
  }: { tests: readonly SelectedTest[]; isTyped: Promise<boolean>; findFailure: FindFailure },
): Promise<Verdict> {
  if (documentedFiles.test(file) && !(await hasCommittedDocument(root)))
    return { killed: true, reason: 'npm run openapi -- --check' }
  // What no test reaches on Node may be reached in workerd.
  const isOfWorker = workerFiles.test(file) || tests.length === 0
  const failure =
    (await findFailure(tests, isTyped)) ??
    (isOfWorker && (await isTyped) ? await findFailure.inWorker() : null)
  if (failure) return { killed: true, reason: failure }
  return {
    killed: false,
    reason: `${tests.length} test files pass${isOfWorker ? ', and those of the Worker' : ''}`,
  }
}
