import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRoleUrls } from '#local/settings.ts'
import { diagnoseDeployment } from '#ops/cloudflare.ts'
import { type OwnService, startOwnService } from '#test/support/app.ts'

let service: OwnService
let roleUrls: ReturnType<typeof createRoleUrls>
beforeAll(async () => {
  service = await startOwnService({}, { platform: 'cloudflare' })
  const { host, pathname } = new URL(service.ownerUrl)
  // The Worker's own names the endpoint that speaks HTTP.
  roleUrls = createRoleUrls(host, pathname.slice(1))
})
afterAll(() => service.close())

/** The settings that were uploaded, with the roles that reach PostgreSQL directly. */
const readSettings = (changes: Record<string, string> = {}) => ({
  ...service.settings,
  ...roleUrls,
  ...changes,
})

async function listProblems(changes: Record<string, string> = {}, secrets = Object.keys(readSettings())) {
  const findings = await diagnoseDeployment({
    environment: 'staging',
    settings: readSettings(changes),
    listSecrets: async () => secrets,
  })
  return findings.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))
}

describe('the check of a deployment', () => {
  it('OPS-08 finds nothing where all is well', async () => {
    expect(await listProblems()).toEqual([])
  })

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a wrong READY_TOKEN',
      { READY_TOKEN: 'another-token-0123456789' },
      /READY_TOKEN is not that of the Worker/,
    ],
    [
      'a service that is not there',
      { PUBLIC_BASE_URL: 'http://127.0.0.1:9' },
      /the Worker and what it is bound to answer: The check failed/,
    ],
    [
      'an exchanged signing key',
      { QSTASH_NEXT_SIGNING_KEY: 'sig_old' },
      /QSTASH_NEXT_SIGNING_KEY is another one/,
    ],
    [
      'a wrong key of Stripe',
      { STRIPE_SECRET_KEY: 'sk_wrong' },
      /Stripe calls the webhook of payments: The check failed: .* answered 401/,
    ],
    [
      'a wrong key of Resend',
      { RESEND_API_KEY: 're_wrong' },
      /Resend calls the webhook of mails: The check failed: .* answered 403/,
    ],
  ])('OPS-08 finds %s, and shows no secret', async (_, changes, problem) => {
    const problems = await listProblems(changes)
    expect(problems.join('\n')).toMatch(problem)
    for (const secret of [
      ...Object.values(changes),
      service.settings.QSTASH_TOKEN ?? '-',
      service.settings.STRIPE_SECRET_KEY ?? '-',
    ])
      if (!secret.startsWith('http')) expect(problems.join('\n')).not.toContain(secret)
  })

  it('OPS-08 says without colours why wrangler lists no secrets', async () => {
    const listSecrets = () => Promise.reject(new Error('\u001b[31mYou are not logged in\u001b[0m'))
    const findings = await diagnoseDeployment({
      environment: 'staging',
      settings: readSettings(),
      listSecrets,
    })
    const [{ problems, remedy } = {}] = findings.filter(({ problems }) => problems.length > 0)
    expect([problems, remedy]).toEqual([
      ['The check failed: You are not logged in'],
      'npx wrangler login && npx wrangler secret bulk --env="staging" .dev.vars.staging',
    ])
  })

  it('OPS-12 names the examples that nobody replaced, instead of what fails with them', async () => {
    const untouched = 'postgres://app_runtime:p@ep-name-pooler.eu-central-1.aws.neon.tech/neondb'
    expect(await listProblems({ DATABASE_URL: untouched, QSTASH_TOKEN: 'QSTASH_TOKEN' })).toEqual([
      expect.stringMatching(
        /^every setting is valid: .* DATABASE_URL: is still the example.*; QSTASH_TOKEN: is still the example/,
      ),
    ])
  })

  it.each([
    [{ OPENAI_APIKEY: 'sk-1' }, 'OPENAI_APIKEY is no setting: correct its name, or remove its line'],
    [{ FRONTEND_URL: 'http://support.contoso.test' }, 'FRONTEND_URL must begin with https://'],
    [{ FRONTEND_URL: 'https://app.example.com' }, 'FRONTEND_URL is still the example'],
    [{ FRONTEND_URL: 'https://app.contoso.test/api/v1' }, 'FRONTEND_URL must not end with /api/v1'],
  ])('OPS-12 names what the Worker would accept although nobody means it: %j', async (changes, problem) => {
    const secrets = Object.keys(readSettings(changes))
    expect(await listProblems(changes, secrets)).toEqual([
      `the file has known names and addresses of yours: ${problem}`,
    ])
  })

  it('OPS-08 finds webhooks of another address', async () => {
    const problems = await listProblems({ PUBLIC_BASE_URL: service.api.replace('127.0.0.1', 'localhost') })
    expect(problems).toEqual([
      expect.stringMatching(/^Resend calls the webhook of mails: there is none for http:\/\/localhost/),
      expect.stringMatching(/^Stripe calls the webhook of payments: there is none for http:\/\/localhost/),
    ])
  })

  it('OPS-08 finds a setting that was not uploaded, and exchanged roles', async () => {
    const secrets = Object.keys(readSettings()).filter((name) => name !== 'JWT_KEYS')
    expect(await listProblems({}, secrets)).toEqual([
      'every setting of the file is a secret of the Worker: JWT_KEYS is missing',
    ])
    const { DATABASE_URL, DATABASE_PLATFORM_URL } = roleUrls
    expect(
      await listProblems({ DATABASE_URL: DATABASE_PLATFORM_URL, DATABASE_PLATFORM_URL: DATABASE_URL }),
    ).toEqual([
      expect.stringMatching(
        /^DATABASE_URL reaches .*: DATABASE_URL connects as app_platform, which bypasses row level security and /,
      ),
      expect.stringMatching(
        /^DATABASE_PLATFORM_URL reaches .*: DATABASE_PLATFORM_URL connects as app_runtime, which does not bypass /,
      ),
    ])
  })
})
