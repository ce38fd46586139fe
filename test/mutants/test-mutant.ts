import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutation } from './candidates.ts'
import { hasCommittedDocument, hasCorrectTypes } from './checks.ts'
import type { RecordedTest } from './reach.ts'
import { runTests } from './run-tests.ts'
import type { Sandbox } from './sandbox.ts'

/** What became of a mutant. `reason` names the failed test, or says why nothing failed. */
export interface Verdict {
  killed: boolean
  reason: string
}

/** Runs test files against the sandbox as it is, and returns the first failure, or null. */
export type FindFailure = (tests: readonly RecordedTest[]) => Promise<string | null>

// Most mutants fail in one of the few files that are about them.
const firstFiles = 3
const secondFiles = 12
const startMs = 90_000
const documentFolder = 'lib/http/openapi/'

/** Create the function that runs test files, the most specific first, until one fails. `cleanUp` runs after each run. */
export function createFailureFinder(root: string, env: Record<string, string>, cleanUp: () => Promise<void>): FindFailure {
  return async (tests) => {
    for (const [from, to] of [[0, firstFiles], [firstFiles, secondFiles], [secondFiles]]) {
      const part = tests.slice(from, to)
      if (part.length === 0) return null
      const timeoutMs = startMs + 3 * part.reduce((sum, { ms }) => sum + ms, 0)
      const run = await runTests(
        root,
        part.map(({ file }) => file),
        { timeoutMs, env, bail: true },
      )
      await cleanUp()
      if (run.exitCode === null) return 'time-out'
      const failed = run.files.find(({ failure }) => failure)
      if (run.exitCode !== 0) return failed ? `${failed.file}: ${failed.failure}` : 'the test run ended early'
    }
    return null
  }
}

/** Apply a mutation, run `tests`, and undo it. Return null for a mutant whose types are wrong: no commit could contain it. */
export async function testMutant(
  sandbox: Sandbox,
  mutation: Mutation,
  tests: readonly RecordedTest[],
  findFailure: FindFailure,
): Promise<Verdict | null> {
  const source = readFileSync(join(sandbox.root, mutation.file), 'utf8')
  sandbox.write(mutation.file, source.slice(0, mutation.start) + mutation.text + source.slice(mutation.end))
  try {
    if (!(await hasCorrectTypes(sandbox.root))) return null
    if (mutation.file.startsWith(documentFolder) && !(await hasCommittedDocument(sandbox.root)))
      return { killed: true, reason: 'npm run openapi -- --check' }
    if (tests.length === 0) return { killed: false, reason: 'no test reaches it' }
    const failure = await findFailure(tests)
    return failure ? { killed: true, reason: failure } : { killed: false, reason: `${tests.length} test files pass` }
  } finally {
    sandbox.restore(mutation.file)
  }
}
