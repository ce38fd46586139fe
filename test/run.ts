// `npm test`: run the suite, or with `--changed [commit]` the tests that the changes since that commit (HEAD
// by default) can break.
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '#local/root.ts'
import { findTests, readTestIndex } from './support/find-tests.ts'

const args = process.argv.slice(2)
const at = args.indexOf('--changed')
const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'test/vitest.config.ts']
let files: string[] = []

if (at >= 0) {
  const [next = '-'] = args.slice(at + 1)
  const isCommit = !next.startsWith('-')
  args.splice(at, isCommit ? 2 : 1)
  const since = isCommit ? next : 'HEAD'
  const changed = listChanged(since)
  files = findTests(readTestIndex(root), changed)
  console.log(
    `${files.length} test files can break by ${changed.length} changed files since ${since}. Tests with limits of time are left out.`,
  )
  if (files.length === 0) process.exit()
}
const { status } = spawnSync(process.execPath, [...vitest, ...args, ...files], {
  cwd: root,
  stdio: 'inherit',
})
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
