import { afterAll, expect, it } from 'vitest'
import { expectStatus } from '../../support/answers.ts'
import { desk, ownService, request, type Service } from '../../support/app.ts'
import { authorize, callback, signInWith, visitProvider } from '../../support/oauth.ts'
import { newAccount } from '../../support/people.ts'

const service = await ownService()
afterAll(() => service.close())
const { fault, lift } = desk(service)
const providers = ['google', 'microsoft'] as const
const someone = () => `p-${crypto.randomUUID()}@people.example`
const usersOf = (email: string) => service.sql('select id from users where email = $1', [email])

const wrongTokens = ['wrong_nonce', 'wrong_audience', 'wrong_issuer', 'expired_token', 'unsigned_token', 'other_key'] as const
it.each(providers.flatMap((provider) => wrongTokens.map((mode) => [provider, mode] as const)))(
  'refuses an ID token of %s with a fault of %s, and makes nobody',
  async (provider, mode) => {
    const email = someone()
    const flow = await visitProvider(service, provider, { email })
    await fault({ service: provider, mode, times: 1 })
    const answer = await callback(service, provider, flow)
    expect([answer.status, answer.body.code]).toEqual([400, 'oauth_refused'])
    expect(await usersOf(email)).toEqual([])
    expectStatus(await signInWith(service, provider, { email }), 200)
  },
)

it.each(
  providers.flatMap((provider) =>
    ['down', 'error', 'rate_limit', 'client_error', 'garbage', 'redirect'].map((mode) => [provider, mode] as const),
  ),
)('answers 502 with a code when %s is met by a fault of %s while it is asked for tokens', async (provider, mode) => {
  const email = someone()
  const flow = await visitProvider(service, provider, { email })
  await fault({ service: provider, mode })
  const answer = await callback(service, provider, flow)
  expect([answer.status, answer.body.code]).toEqual([502, 'oauth_provider_error'])
  expect(await usersOf(email)).toEqual([])
  await lift()
  expect((await callback(service, provider, flow)).body.code).toBe('oauth_state_invalid')
  expectStatus(await signInWith(service, provider, { email }), 200)
})

it('follows the keys of a provider when they rotate, and still takes the ones before', async () => {
  for (const provider of providers) {
    expectStatus(await signInWith(service, provider, { email: someone() }), 200)
    expectStatus(await fetch(`${service.local}/idp/${provider}/keys/rotate`, { method: 'POST' }), 200)
    expectStatus(await signInWith(service, provider, { email: someone() }), 200)
  }
})

async function fresh(settings: Record<string, string | undefined>, work: (own: Service) => Promise<void>): Promise<void> {
  const own = await ownService(settings)
  try {
    await work(own)
  } finally {
    await own.close()
  }
}

it('answers 502 where a provider cannot even be discovered, and works as soon as it can', async () => {
  await fresh({}, async (own) => {
    for (const mode of ['down', 'error', 'garbage', 'redirect']) {
      await desk(own).fault({ service: 'google', mode })
      const answer = await authorize(own, 'google')
      expect([mode, answer.status, answer.body.code]).toEqual([mode, 502, 'oauth_provider_error'])
    }
    expect(await own.sql('select from oauth_states')).toEqual([])
    await desk(own).lift()
    expectStatus(await authorize(own, 'google'), 200)
  })
})

it('answers 404 for a provider that is not set up, and for one that nobody knows', async () => {
  await fresh({ GOOGLE_CLIENT_ID: undefined }, async (own) => {
    for (const provider of ['google', 'github']) {
      expectStatus(await authorize(own, provider), 404)
      expectStatus(await callback(own, provider, { code: 'x', state: 'x' }), 404)
    }
    expectStatus(await authorize(own, 'microsoft'), 200)
  })
})

it('answers 502 when the provider refuses the client itself, which is nothing a person can mend', async () => {
  await fresh({ GOOGLE_CLIENT_SECRET: 'not-the-secret', MICROSOFT_CLIENT_SECRET: undefined }, async (own) => {
    for (const provider of providers) {
      const answer = await signInWith(own, provider, { email: someone() })
      expect([answer.status, answer.body.code]).toEqual([502, 'oauth_provider_error'])
      expect(answer.text).not.toContain('not-the-secret')
    }
  })
})

it('sends people back to the frontend when no other base is set', async () => {
  await fresh({ OAUTH_REDIRECT_BASE: undefined }, async (own) => {
    const { body } = await authorize(own, 'google')
    expect(new URL(body.authorization_url).searchParams.get('redirect_uri')).toBe('https://app.supportflow.example/oauth/google/callback')
  })
})

it('AUT-03 lets no newcomer in without an invite where registering is by invitation, from a provider neither', async () => {
  await fresh({ SELF_SERVE_ENABLED: 'false', INVITE_REQUIRED: 'true' }, async (own) => {
    const answer = await signInWith(own, 'google', { email: someone() })
    expect([answer.status, answer.body.code]).toEqual([400, 'invite_code_required'])
    expect(await own.sql('select from identities')).toEqual([])
    const account = await newAccount(own)
    const email = someone()
    await account.admin.call('POST', '/accounts/me/invites', { email, role: 'engineer' })
    const code = await desk(own).linkIn(email, /register\?code=([\w-]+)/)
    expect((await signInWith(own, 'google', { email }, { account_invite_code: code })).body.user.account_id).toBe(account.id)
    expectStatus(await signInWith(own, 'google', { email }), 200)
  })
})

it('begins no flow beyond the limit: a state is a row', async () => {
  const headers = { 'cf-connecting-ip': `198.51.100.${crypto.randomUUID()}` }
  const before = await service.sql('select from oauth_states')
  const begin = () => request(service, 'GET', '/auth/oauth/google/authorize', { headers })
  const answers = await Promise.all(Array.from({ length: 45 }, begin))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
  expect(await service.sql('select from oauth_states')).toHaveLength(before.length + 30)
})
