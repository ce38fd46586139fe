import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { ownerPassword } from '#local/postgres.ts'
import { createRoleUrls, secrets } from '#local/settings.ts'
import { diagnoseDeployment } from '#ops/cloudflare.ts'
import { diagnoseNode, report } from '#ops/doctor.ts'
import { request, startOwnService } from '#test/support/app.ts'
import { someByDay } from '#test/support/night.ts'
import { spawnNode, toServeSettings } from '#test/support/node-child.ts'
import { createAccount } from '#test/support/people.ts'

const service = await startOwnService()
const worker = await startOwnService({}, { platform: 'cloudflare' })
const objects = mkdtempSync(join(tmpdir(), 'flow-objects-'))
afterAll(async () => {
  await service.close()
  await worker.close()
  rmSync(objects, { recursive: true, force: true })
})

const names = ['DATABASE_URL', 'DATABASE_PLATFORM_URL', 'DATABASE_OWNER_URL'] as const
type Name = (typeof names)[number]
/** Each connection string in the place of each other one. */
const exchanges = names.flatMap((name) =>
  names.filter((other) => other !== name).map((other) => [name, other] as const),
)
const ofService = exchanges.filter(([name]) => name !== 'DATABASE_OWNER_URL')

/** Return the connection strings of a service's database at a host. */
function urlsAt(host: string, database: string): Record<Name, string> {
  return {
    ...createRoleUrls(host, database),
    DATABASE_OWNER_URL: `postgres://flow_owner:${ownerPassword}@${host}/${database}`,
  }
}
const { host, pathname } = new URL(service.ownerUrl)
const direct = urlsAt(host, pathname.slice(1))
const settings = { ...toServeSettings(service.settings, objects), ...direct }
await service.sql(`revoke temporary on database ${pathname.slice(1)} from public`)

/** Run the doctor with exactly these settings. */
async function runDoctor(changes: Record<string, string | undefined>) {
  const lines: string[] = []
  const code = report(await diagnoseNode({ ...settings, ...changes }), (line) => lines.push(line))
  return { code, output: lines.join('\n') }
}

describe('a connection string in the place of another one', () => {
  it.each(someByDay(ofService, 1))(
    'OPS-11 %s with the value of %s ends the start on Node',
    async (name, other) => {
      const { DATABASE_OWNER_URL: _, ...changed } = { ...settings, [name]: direct[other] }
      const child = await spawnNode(changed)
      expect(await Promise.race([child.exited, new Promise((resolve) => setTimeout(resolve, 20_000))])).toBe(
        1,
      )
      expect(child.output()).toMatch(
        new RegExp(
          `^${name} connects as \\w+, which .+: set it to the connection string of app_\\w+, .*\\n$`,
        ),
      )
    },
  )

  it.each(someByDay(ofService, 1))(
    'OPS-11 %s with the value of %s makes a Worker refuse each call',
    async (name, other) => {
      const database = `wall_${process.pid}_${name.length}_${other.length}`
      const urls = urlsAt(`${database.replaceAll('_', '-')}.local`, database)
      const wrong = await startOwnService({ [name]: urls[other] }, { platform: 'cloudflare', database })
      onTestFinished(() => wrong.close())
      const ready = await fetch(`${wrong.api}/ready`, {
        headers: { authorization: `Bearer ${secrets.readyToken}` },
      })
      expect([ready.status, await ready.json()]).toEqual([
        503,
        expect.objectContaining({ checks: expect.objectContaining({ database: 'failed' }) }),
      ])
      const body = {
        email: 'a@people.example',
        password: 'a long password 4711',
        full_name: 'A',
        account_name: 'A',
      }
      const answer = await request(wrong, 'POST', '/auth/register', { body })
      if (name === 'DATABASE_PLATFORM_URL') expect(answer.status).toBe(503)
      await expect.poll(() => wrong.log.join('\n')).toContain(`"${name} connects as `)
    },
  )

  it.each(someByDay(exchanges, 2))(
    'OPS-11 the doctor says that %s has the value of %s',
    async (name, other) => {
      const { code, output } = await runDoctor({ [name]: direct[other] })
      expect([code, output]).toEqual([1, expect.stringMatching(new RegExp(`^ +${name} connects as `, 'm'))])
    },
  )

  it.each(ofService)(
    'OPS-11 the doctor of a Worker says that %s has the value of %s',
    async (name, other) => {
      const urls = urlsAt(new URL(worker.ownerUrl).host, new URL(worker.ownerUrl).pathname.slice(1))
      const { DATABASE_URL, DATABASE_PLATFORM_URL } = urls
      const settings = { ...worker.settings, DATABASE_URL, DATABASE_PLATFORM_URL, [name]: urls[other] }
      const findings = await diagnoseDeployment({
        environment: '',
        settings,
        listSecrets: async () => Object.keys(settings),
      })
      const problems = findings.flatMap(({ problems, isWarning }) => (isWarning ? [] : problems))
      expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} connects as `))])
    },
  )

  it('OPS-11 app.enter refuses a role that bypasses row level security, also without the check of the service', async () => {
    const { admin } = await createAccount(service)
    const [{ sign_in } = { sign_in: '' }] = await service.sql<{ sign_in: string }>(
      'select id as sign_in from sign_ins where user_id = $1',
      [admin.id],
    )
    const enter = (access: string) =>
      service.sql(`select app.enter($1, $2, $3, '${access}', 'none', '')`, [
        admin.id,
        admin.accountId,
        sign_in,
      ])
    await expect(enter('user')).rejects.toMatchObject({ code: '28000' })
    await expect(enter('account_or_super_admin')).rejects.toMatchObject({ code: '28000' })
  })
})

const wrongPassword = (url: string) => url.replace(/:[^:@/]+@/, ':another-password@')
const s3 = {
  OBJECTS_DIR: undefined,
  S3_ENDPOINT: 'http://127.0.0.1:1',
  S3_BUCKET: 'b',
  S3_ACCESS_KEY_ID: 'a',
  S3_SECRET_ACCESS_KEY: 's',
}
const otherKey = JSON.stringify([{ version: 1, key: Buffer.alloc(32, 'another').toString('base64') }])
const otherJwt = JSON.stringify([{ kid: 'other', secret: 'another-secret-of-forty-characters-here' }])
/** What is dead, the settings that make it so, and the setting that the doctor names. */
const dead: [what: string, changes: Record<string, string | undefined>, named: string][] = [
  ['redis', { REDIS_URL: 'redis://127.0.0.1:1' }, 'REDIS_URL'],
  ['hub', { REDIS_URL: 'redis://127.0.0.1:1' }, 'REDIS_URL'],
  ['objects', { OBJECTS_DIR: '/nowhere/objects' }, 'OBJECTS_DIR'],
  ['objects in S3', s3, 'S3_ENDPOINT'],
  ['mail', { RESEND_BASE_URL: 'http://127.0.0.1:1' }, 'RESEND_BASE_URL'],
  ['mail by SMTP', { SMTP_URL: 'smtp://127.0.0.1:1' }, 'SMTP_URL'],
  ['mail without a sender', { MAIL_FROM: '' }, 'MAIL_FROM'],
  ['ai', { OPENAI_BASE_URL: 'http://127.0.0.1:1' }, 'OPENAI_BASE_URL'],
  ['ai with a wrong key', { OPENAI_API_KEY: 'sk-wrong' }, 'OPENAI_API_KEY'],
  [
    'ai_fallback',
    { AI_FALLBACK_API_KEY: 'k', AI_FALLBACK_MODEL: 'm', AI_FALLBACK_BASE_URL: 'http://127.0.0.1:1' },
    'AI_FALLBACK_BASE_URL',
  ],
  [
    'queue',
    {
      QSTASH_URL: 'http://127.0.0.1:1',
      QSTASH_TOKEN: 't',
      QSTASH_CURRENT_SIGNING_KEY: 'a',
      QSTASH_NEXT_SIGNING_KEY: 'b',
    },
    'QSTASH_URL',
  ],
  ['database', { DATABASE_URL: wrongPassword(direct.DATABASE_URL) }, 'DATABASE_URL'],
  [
    'database that is away',
    { DATABASE_URL: direct.DATABASE_URL.replace(host, '127.0.0.1:1') },
    'DATABASE_URL',
  ],
  [
    'platform database',
    { DATABASE_PLATFORM_URL: wrongPassword(direct.DATABASE_PLATFORM_URL) },
    'DATABASE_PLATFORM_URL',
  ],
  ['owner', { DATABASE_OWNER_URL: wrongPassword(direct.DATABASE_OWNER_URL) }, 'DATABASE_OWNER_URL'],
  ['TLS of the database', { DATABASE_URL: `${direct.DATABASE_URL}?sslmode=require` }, 'DATABASE_URL'],
  ['credentials key', { CREDENTIALS_KEY: otherKey }, 'CREDENTIALS_KEY'],
  ['JWT keys', { JWT_KEYS: otherJwt }, 'JWT_KEYS'],
]

describe('the doctor', () => {
  it('OPS-10 has nothing to say where all is well', async () => {
    expect(await runDoctor({})).toEqual({ code: 0, output: expect.not.stringMatching(/PROBLEM/) })
  })

  it('INS-07 warns of a missing AI and a missing mail provider', async () => {
    const { code, output } = await runDoctor({
      OPENAI_API_KEY: undefined,
      RESEND_API_KEY: undefined,
      MAIL_FROM: undefined,
    })
    expect([code, output.match(/^warning {2}.*provider.*$/gm)]).toEqual([
      0,
      ['warning  a mail provider is set: no', 'warning  an AI provider is set: no'],
    ])
  })

  it.each(someByDay(dead, 3))('OPS-10 fails for a dead %s', async (_, changes, named) => {
    const { code, output } = await runDoctor(changes)
    expect([code, output]).toEqual([1, expect.stringMatching(new RegExp(`^PROBLEM[^]*?\\b${named}\\b`, 'm'))])
  })

  it('OPS-10 tries each dependency that /ready names', async () => {
    const ready = await fetch(`${worker.api}/ready`, {
      headers: { authorization: `Bearer ${secrets.readyToken}` },
    })
    const { checks } = (await ready.json()) as { checks: Record<string, string> }
    // The decoder of images is part of the process.
    const untried = Object.keys(checks).filter(
      (name) => name !== 'images' && !dead.some(([what]) => what === name),
    )
    expect(untried).toEqual([])
  })
})
