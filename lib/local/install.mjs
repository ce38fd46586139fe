// Installs the packages of the lock file, unless they are installed. Runs before `npm start` and `npm test`, on any Node from version 20.
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
  // `npm ci` would refuse a lock file that lacks the optional packages of another operating system.
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { status } = spawnSync(npm, ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) {
    console.error('npm install failed; see its output above.')
    process.exit(status ?? 1)
  }
  writeFileSync(stamp, lock)
}
