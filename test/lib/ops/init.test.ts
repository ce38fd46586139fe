import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '#local/root.ts'
import { parseCloudflareConfig } from '#platform/cloudflare/settings.ts'
import { parseNodeConfig } from '#platform/node/settings.ts'

const isExample = 'is still the example: replace it with the value of your own'
/** What the examples leave to the operator. */
const untouchedExamples = `The configuration is invalid. ${[
  'DATABASE_URL',
  'DATABASE_PLATFORM_URL',
  'UPSTASH_REDIS_REST_URL',
  'UPSTASH_REDIS_REST_TOKEN',
  'QSTASH_TOKEN',
  'QSTASH_CURRENT_SIGNING_KEY',
  'QSTASH_NEXT_SIGNING_KEY',
]
  .map((name) => `${name}: ${isExample}`)
  .join('; ')}`

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
        expect.stringContaining('sudo -u postgres psql --set ON_ERROR_STOP=1 &&'),
      ])
      const read = async (name: string) => {
        expect((await stat(join(folder, name))).mode & 0o077).toBe(0)
        return readFile(join(folder, name), 'utf8')
      }
      const owner = parseEnv(await read('.env.owner'))
      const settings = parseEnv(await read('.env')) as Record<string, string>
      const password = new URL(owner.DATABASE_OWNER_URL ?? '').password
      expect([owner.POSTGRES_PASSWORD, owner.PGPASSWORD]).toEqual([password, password])
      const statements = await read('create-database.sql')
      expect(statements).toContain(
        `create role support_owner login createrole bypassrls password '${password}'`,
      )
      // What `migrate` withdraws only where the owner is a superuser.
      expect(statements).toMatch(
        /^\\connect support_flow\nrevoke execute on function lo_creat.* from public;$/m,
      )
      // The service must not have it, nor the terminal.
      expect(`${JSON.stringify(settings)}${stdout}`).not.toContain(password)
      return { ...settings, DATABASE_OWNER_URL: owner.DATABASE_OWNER_URL ?? '' } as Record<string, string>
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
  expect(() => parseCloudflareConfig(settings)).toThrow(untouchedExamples)
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

it('INS-04 init -- --cloudflare --env staging writes a file of its own, and refuses an option that it does not know', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'init-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const args of [['--help'], ['--cloudfare'], ['--env', 'staging'], ['staging']]) {
    const { status, stderr } = run(folder, ...args)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/--help|--cloudfare|--cloudflare|staging/)])
  }
  expect(await readdir(folder)).toEqual([])
  const { stdout } = run(folder, '--cloudflare', '--env', 'staging')
  expect(stdout).toContain('npx wrangler deploy --env="staging" --secrets-file .dev.vars.staging')
  expect(await readdir(folder)).toEqual(['.dev.vars.staging'])
})
