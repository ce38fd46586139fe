import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '#local/root.ts'

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 512 * 1024 * 1024 }).trim()
const readMigrations = (commit: string) => git('rev-parse', `${commit}:migrations`)

/**
 * Find the version that a deployment would replace: the oldest commit before HEAD with the same migrations,
 * of the last 200. It is HEAD itself where the history is not there.
 */
export function findPreviousVersion(): string {
  const commits = git('rev-list', '--first-parent', '--max-count=200', 'HEAD').split('\n')
  const migrations = readMigrations('HEAD')
  const changed = commits.findIndex((commit) => readMigrations(commit) !== migrations)
  return commits.at(changed === -1 ? -1 : changed - 1) ?? 'HEAD'
}

/** Write the files of a commit to a folder, from which it can be started. */
export function checkOut(commit: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 512 * 1024 * 1024 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** Find the newest release before HEAD, by its tag. Return undefined before the first one. */
export function findPreviousRelease(): string | undefined {
  const tags = git('tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD')
    .split('\n')
    .filter(Boolean)
  return tags.find((tag) => git('rev-list', '-1', tag) !== git('rev-parse', 'HEAD'))
}
