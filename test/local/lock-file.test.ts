import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { root } from '#local/root.ts'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

it.concurrent.each([
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
  ['win32', 'x64'],
  ['win32', 'arm64'],
])('INS-01 the lock file has every package that npm ci needs on %s %s', async (os, cpu) => {
  const folder = await mkdtemp(join(tmpdir(), 'lock-file-'))
  try {
    for (const name of ['package.json', 'package-lock.json']) await copyFile(join(root, name), join(folder, name))
    // Without a network and a cache, npm can only compare the two files: https://docs.npmjs.com/cli/v11/commands/npm-ci
    const options = [
      '--dry-run',
      '--offline',
      '--ignore-scripts',
      '--loglevel=error',
      `--cache=${folder}/cache`,
      `--os=${os}`,
      `--cpu=${cpu}`,
    ]
    const { stdout } = await promisify(execFile)(npm, ['ci', ...options], { cwd: folder, shell: process.platform === 'win32' })
    expect(stdout).toMatch(/added \d+ packages/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
