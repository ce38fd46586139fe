// Installs the packages of the lock file, unless they are installed. Runs before `npm start` and `npm test`,
// on any Node from version 20.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../..')
const stamp = join(root, 'node_modules/.installed-lock')
const lock = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
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
    console.error('The packages could not be installed; see the output above.')
    process.exit(status ?? 1)
  }
  writeFileSync(stamp, lock)
}
