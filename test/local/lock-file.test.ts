import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { it } from 'vitest'
import { root } from '#local/root.ts'
import { someByDay } from '#test/support/night.ts'

const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'

// npm of the machine, whose Node may be older than that of node_modules.
const outside = process.env.PATH?.split(delimiter).filter((folder) => !folder.includes('node_modules'))
const env = { ...process.env, PATH: outside?.join(delimiter) }

// The `expect` of the test, because another test that begins during the clean-up would reset the count of
// assertions of the shared one.
it.concurrent.for(
  someByDay(
    [
      ['linux', 'x64'],
      ['linux', 'arm64'],
      ['darwin', 'arm64'],
      ['darwin', 'x64'],
      ['win32', 'x64'],
      ['win32', 'arm64'],
    ],
    2,
  ),
)(
  'INS-01 the lock file has every package that npm ci needs on %s %s, and npm warns of nothing',
  async ([os, cpu], { expect }) => {
    const folder = await mkdtemp(join(tmpdir(), 'lock-file-'))
    try {
      for (const name of ['package.json', 'package-lock.json', '.npmrc'])
        await copyFile(join(root, name), join(folder, name))
      // Without a network and a cache, npm can only compare the two files:
      // https://docs.npmjs.com/cli/v11/commands/npm-ci
      const options = [
        '--dry-run',
        '--loglevel=error',
        '--offline',
        '--ignore-scripts',
        `--cache=${folder}/cache`,
        `--os=${os}`,
        `--cpu=${cpu}`,
      ]
      const { stdout, stderr } = await promisify(execFile)(npm, ['ci', ...options], {
        cwd: folder,
        env,
        shell: process.platform === 'win32',
      })
      expect(stdout).toMatch(/added \d+ packages/)
      expect(stderr).toBe('')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)
