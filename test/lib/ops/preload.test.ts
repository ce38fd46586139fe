import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '#local/root.ts'
import packageJson from '../../../package.json' with { type: 'json' }

const preload = ['--import', join(root, 'lib/ops/preload.mjs')]
const code = 'console.log("started", process.env.NEW, process.env.PRESENT)'

/** Run a line of code behind the preload, as if Node had another version. */
function run(version: string, cwd = root) {
  const pretend = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`
  return spawnSync(process.execPath, ['--import', pretend, ...preload, '--eval', code], {
    ...{ cwd, encoding: 'utf8', env: { PATH: process.env.PATH, PRESENT: 'from the environment' } },
  })
}

it.each(['18.20.8', '20.20.2', '22.17.1', '23.11.0', '24.1.0'])(
  'INS-02 an operator’s command says in one line that Node %s is too old',
  (version) => {
    const { status, stdout, stderr } = run(version)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toBe(
      `This needs Node 22.18, 24.2 or later, but ${process.execPath} is ${version}: install one from https://nodejs.org/en/download\n`,
    )
  },
)

it.each(['22.18.0', '24.2.0', '24.21.0', '26.0.0'])(
  'INS-02 an operator’s command runs on Node %s',
  (version) => {
    expect(run(version)).toMatchObject({ status: 0, stderr: '' })
  },
)

it('INS-03 an operator’s command loads .env of its folder, and the environment wins', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'preload-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, '.env'), 'NEW=\'[{"kid":"a"}]\'\nPRESENT=from the file\n')
  expect(run(process.versions.node, folder).stdout).toBe('started [{"kid":"a"}] from the environment\n')
})

it('INS-03 every command that reads an operator’s settings starts with the preload', () => {
  const scripts = Object.entries(packageJson.scripts).filter(([, script]) =>
    /functions\/node\.ts|lib\/ops\/|lib\/db\/migrate/.test(script),
  )
  expect(scripts.length).toBeGreaterThan(4)
  for (const [, script] of scripts)
    expect(script).toMatch(/^node --import \.\/lib\/ops\/preload(?:-owner)?\.mjs /)
})

it('INS-03 a file of settings that this user may not read is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'preload-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // Root reads every file, but nobody reads a folder.
  await mkdir(join(folder, '.env'))
  expect(run(process.versions.node, folder)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^This user may not read \.env: .* `chmod 640 \.env`\.\n$/),
  })
})

it('INS-16 the preload of the owner loads .env.owner too, and that of the service does not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'preload-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, '.env.owner'), 'NEW=of the owner\n')
  const runWith = (file: string) =>
    spawnSync(process.execPath, ['--import', join(root, 'lib/ops', file), '--eval', code], {
      ...{ cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } },
    }).stdout
  expect(['preload.mjs', 'preload-owner.mjs'].map(runWith)).toEqual([
    'started undefined undefined\n',
    'started of the owner undefined\n',
  ])
})
