import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listSourceFiles } from './candidates.ts'
import { addProbes, type FunctionRange, listFunctions } from './functions.ts'
import { runTests, type TestRun } from './run-tests.ts'
import type { Sandbox } from './sandbox.ts'

/** Which functions each test file calls. */
export interface Reach {
  /** Hash of the code, and of what the tests share. */
  hash: string
  functions: FunctionRange[]
  tests: RecordedTest[]
  /** Test files that fail without any change, so they prove nothing. */
  failing: string[]
}
/** What a test file calls. */
export interface RecordedCalls {
  /** Indexes in `functions`. */
  reached: number[]
  /** Of a file with many tests, the names of its tests and the packed indexes of what each calls. */
  tests: { name: string; reached: string }[]
}
export interface RecordedTest extends RecordedCalls {
  file: string
  /** Hash of the file. */
  hash: string
  ms: number
}

const longestRunMs = 30 * 60_000
// Those of this tool, and those that start the Worker.
const unrecorded = ['test/mutants/**', 'test/platform/worker.test.ts']
const maxFailingShare = 0.1
const recordedFiles = ['{functions,lib,test}/**/*.ts', 'migrations/**/*.{sql,md,json}']
const testFiles = 'test/**/*.test.ts'

/**
 * Return what `cacheFile` holds. Record the test files that have changed since; after a change of the code,
 * record all of them, which takes as long as the whole suite.
 */
export async function loadReach(
  sandbox: Sandbox,
  cacheFile: string,
  env: Record<string, string>,
): Promise<Reach> {
  const hash = hashFiles(
    sandbox.root,
    globSync(recordedFiles, { cwd: sandbox.root, exclude: [testFiles, 'test/{mutants,bench,soak,tour}/**'] }),
  )
  const cached = readCache(cacheFile)
  const unchanged =
    cached?.hash === hash
      ? cached.tests.filter(
          (test) =>
            existsSync(join(sandbox.root, test.file)) && test.hash === hashFiles(sandbox.root, [test.file]),
        )
      : []
  const known = new Set(unchanged.map(({ file }) => file))
  const changed = globSync(testFiles, { cwd: sandbox.root, exclude: unrecorded }).filter(
    (file) => !known.has(file),
  )
  if (cached?.hash === hash && changed.length === 0) return cached
  console.log(`Recording which functions each of ${changed.length} test files calls.`)
  const recorded = await recordReach(sandbox, changed, env)
  const reach = { hash, ...recorded, tests: [...unchanged, ...recorded.tests] }
  mkdirSync(dirname(cacheFile), { recursive: true })
  writeFileSync(cacheFile, JSON.stringify(reach))
  return reach
}

function hashFiles(root: string, files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files.toSorted()) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function readCache(path: string): Reach | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

async function recordReach(
  sandbox: Sandbox,
  files: readonly string[],
  env: Record<string, string>,
): Promise<Omit<Reach, 'hash'>> {
  const functions = instrument(sandbox)
  const folder = join(sandbox.root, 'reach')
  mkdirSync(folder)
  const options = { timeoutMs: longestRunMs, env: { ...env, REACH_DIR: folder }, bail: false }
  const results = await runTests(sandbox.root, files, options).then((run) => run.files)
  // A busy machine makes a test fail now and then.
  const again = listFailed(results)
  const repeated =
    again.length > 0 ? await runTests(sandbox.root, again, options).then((run) => run.files) : []
  for (const file of listSourceFiles(sandbox.root)) sandbox.restore(file)
  const failing = listFailed(repeated)
  // The known files need not be among those recorded now.
  if (
    failing.length > 0 &&
    failing.length >= globSync(testFiles, { cwd: sandbox.root }).length * maxFailingShare
  )
    throw new Error(`The suite must pass first: ${failing.join(', ')}`)
  const durations = new Map(results.map(({ file, ms }) => [file, ms]))
  const tests = readdirSync(folder).map((name): RecordedTest => {
    const file = decodeURIComponent(name)
    return {
      file,
      hash: hashFiles(sandbox.root, [file]),
      ms: durations.get(file) ?? 0,
      ...(JSON.parse(readFileSync(join(folder, name), 'utf8')) as RecordedCalls),
    }
  })
  return { functions, tests: tests.filter(({ file }) => !failing.includes(file)), failing }
}

/** Add a probe to every function, and return the functions in the order of their numbers. */
function instrument(sandbox: Sandbox): FunctionRange[] {
  const functions: FunctionRange[] = []
  for (const file of listSourceFiles(sandbox.root)) {
    const source = readFileSync(join(sandbox.root, file), 'utf8')
    sandbox.write(file, addProbes(source, functions.length))
    functions.push(...listFunctions(file, source))
  }
  return functions
}

function listFailed(results: TestRun['files']): string[] {
  return results.filter(({ failure }) => failure).map(({ file }) => file)
}
