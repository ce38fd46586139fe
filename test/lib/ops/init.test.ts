import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '#local/root.ts'
import { parseCloudflareConfig } from '#platform/cloudflare/settings.ts'
import { parseNodeConfig } from '#platform/node/settings.ts'

const run = (cwd: string, ...args: string[]) =>
  spawnSync(
    process.execPath,
    ['--import', join(root, 'lib/ops/preload.mjs'), join(root, 'lib/ops/init.ts'), ...args],
    {
      cwd,
      encoding: 'utf8',
    },
  )

it('INS-04 init writes settings with which the service starts, and keys that differ each time', async () => {
  const files = await Promise.all(
    [1, 2].map(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'init-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      const { status, stdout } = run(folder)
      expect([status, stdout]).toEqual([
        0,
        expect.stringContaining('create role support_owner login createrole bypassrls'),
      ])
      expect((await stat(join(folder, '.env'))).mode & 0o077).toBe(0)
      return parseEnv(await readFile(join(folder, '.env'), 'utf8')) as Record<string, string>
    }),
  )
  const [first, second] = files
  for (const settings of files) {
    expect(() => parseNodeConfig(settings)).not.toThrow()
    expect(JSON.stringify(settings)).not.toMatch(/<[a-z-]+>/)
    const passwordOf = (url = '') => decodeURIComponent(new URL(url).password)
    expect(passwordOf(settings.DATABASE_URL)).toBe(settings.RUNTIME_PASSWORD)
    expect(passwordOf(settings.DATABASE_PLATFORM_URL)).toBe(settings.PLATFORM_PASSWORD)
  }
  const secrets = [
    'RUNTIME_PASSWORD',
    'PLATFORM_PASSWORD',
    'JWT_KEYS',
    'CREDENTIALS_KEY',
    'RECORD_KEYS',
    'VAPID_PRIVATE_KEY',
    'READY_TOKEN',
    'METRICS_TOKEN',
    'DATABASE_OWNER_URL',
  ]
  for (const name of secrets) expect(first?.[name]).not.toBe(second?.[name])
})

it('INS-04 init does not replace settings that exist', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'init-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  run(folder)
  const before = await readFile(join(folder, '.env'), 'utf8')
  expect(run(folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('There is a .env already') })
  expect(await readFile(join(folder, '.env'), 'utf8')).toBe(before)
})

it('INS-04 init -- --cloudflare writes the settings of a Worker, and prints the migration with the same passwords', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'init-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { status, stdout } = run(folder, '--cloudflare')
  const file = join(folder, '.dev.vars.production')
  const settings = parseEnv(await readFile(file, 'utf8')) as Record<string, string>
  expect(() => parseCloudflareConfig(settings)).not.toThrow()
  expect((await stat(file)).mode & 0o077).toBe(0)
  const [runtime, platform] = [settings.DATABASE_URL, settings.DATABASE_PLATFORM_URL].map(
    (url = '') => new URL(url).password,
  )
  expect(runtime).not.toBe(platform)
  expect([status, stdout]).toEqual([
    0,
    expect.stringContaining(`RUNTIME_PASSWORD=${runtime} PLATFORM_PASSWORD=${platform} npm run migrate`),
  ])
  expect(run(folder, '--cloudflare')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('There is a .dev.vars.production already'),
  })
})
