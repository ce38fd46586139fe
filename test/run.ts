// `npm test`: run the suite, or with `--changed [commit]` the tests that the changes since that commit (HEAD
// by default) can break. With `--all`, run the long proofs too, as each night. With `--costs`, print the processor
// time of each file.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '#local/root.ts'
import { readChildSeconds } from './support/costs.ts'
import { findTests, readTestIndex } from './support/find-tests.ts'
import { listNightFiles } from './support/night.ts'

const args = process.argv.slice(2)
const at = args.indexOf('--changed')
const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'test/vitest.config.ts']
let files: string[] = []
const isNight = args.includes('--all')
const leftOut = isNight ? [] : listNightFiles(root)

if (at >= 0) {
  const [next = '-'] = args.slice(at + 1)
  const isCommit = !next.startsWith('-')
  args.splice(at, isCommit ? 2 : 1)
  const since = isCommit ? next : 'HEAD'
  const changed = listChanged(since)
  files = findTests(readTestIndex(root), changed, (file) => readChangedStatements(since, file)).filter(
    (file) => !leftOut.includes(file),
  )
  console.log(
    `${files.length} test files can break by ${changed.length} changed files since ${since}. Tests with limits of time are left out.`,
  )
  if (files.length === 0) process.exit()
}
if (isNight) args.splice(args.indexOf('--all'), 1)
const showsCosts = args.includes('--costs')
if (showsCosts)
  args.splice(args.indexOf('--costs'), 1, '--reporter=default', '--reporter=./test/support/costs-reporter.ts')
const { status } = spawnSync(process.execPath, [...vitest, ...args, ...files], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ...(showsCosts && { COSTS: '1' }), ...(isNight && { ALL_TESTS: '1' }) },
})
if (showsCosts)
  console.log(
    `All processes, with PostgreSQL and vitest itself: ${Math.round(readChildSeconds())} s of processor time`,
  )
process.exitCode = status ?? 1

/** List the files that differ from a commit, with those that git does not know yet. */
function listChanged(commit: string): string[] {
  const git = (...command: string[]) =>
    execFileSync('git', command, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  return [
    ...git('diff', '--name-only', '--no-renames', '-z', commit),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ]
}

/** Return the statements of a migration that differ from a commit: those that a changed line is in. */
function readChangedStatements(commit: string, file: string): string {
  if (!existsSync(join(root, file))) return ''
  const diff = execFileSync('git', ['diff', '--unified=0', commit, '--', file], {
    cwd: root,
    encoding: 'utf8',
  })
  const text = readFileSync(join(root, file), 'utf8')
  // A file that git does not know is new.
  if (diff === '') return text
  const lines = [...diff.matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].flatMap(([, start, count = '1']) =>
    Array.from({ length: Math.max(1, Number(count)) }, (_, n) => Number(start) + n),
  )
  let next = 1
  return text
    .split(/\n(?=[a-z]+ )/)
    .filter((statement) => {
      const first = next
      next += statement.split('\n').length
      return lines.some((line) => line >= first && line < next)
    })
    .join('\n')
}
