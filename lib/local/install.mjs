// Installs the packages of the lock file, unless they are installed. Runs before `npm start` and `npm test`,
// on any Node from version 20.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..')

/**
 * Return whether npm's own list of what is installed has the packages of the lock file, and no others. It
 * lacks optional packages of other platforms: https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json#hidden-lockfiles
 */
function isInstalled() {
  const list = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(list)) return false
  const { '': _, ...wanted } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const installed = JSON.parse(readFileSync(list, 'utf8')).packages
  return (
    Object.keys(installed).every((path) => path in wanted) &&
    Object.entries(wanted).every(([path, { version, integrity, optional }]) =>
      path in installed
        ? installed[path].version === version && installed[path].integrity === integrity
        : optional,
    )
  )
}

if (!isInstalled()) {
  console.log('Installing packages ...')
  // `npm ci` first deletes all packages, among them the Node that runs this.
  const command = existsSync(join(root, 'node_modules')) ? ['install', '--no-save'] : ['ci']
  const isWindows = process.platform === 'win32'
  const options = ['--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync(isWindows ? 'npm.cmd' : 'npm', [...command, ...options], {
    cwd: root,
    stdio: 'inherit',
    shell: isWindows,
  })
  if (status !== 0) {
    console.error(
      'The packages could not be installed; npm says why above. It needs the registry: behind a proxy, set HTTPS_PROXY.',
    )
    process.exit(status ?? 1)
  }
}
