import { afterAll, expect, it } from 'vitest'
import { dashboard, request, type Service, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import {
  obtainProviderCode,
  postCallback,
  requestAuthorization,
  signInThroughProvider,
} from '#test/support/oauth.ts'
import { createAccount } from '#test/support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { setFault, clearFaults } = dashboard(service)
const providers = ['google', 'microsoft'] as const
const randomEmail = () => `p-${crypto.randomUUID()}@people.example`
const selectUsers = (email: string) => service.sql('select id from users where email = $1', [email])

const tokenFaults = [
  'wrong_nonce',
  'wrong_audience',
  'wrong_issuer',
  'expired_token',
  'unsigned_token',
  'other_key',
] as const
it.each(providers.flatMap((provider) => tokenFaults.map((mode) => [provider, mode] as const)))(
  'refuses an ID token of %s with the fault %s and creates no user',
  async (provider, mode) => {
    const email = randomEmail()
    const flow = await obtainProviderCode(service, provider, { email })
    await setFault({ service: provider, mode, times: 1 })
    const response = await postCallback(service, provider, flow)
    expect([response.status, response.body.code]).toEqual([400, 'oauth_refused'])
    expect(await selectUsers(email)).toEqual([])
    expectStatus(await signInThroughProvider(service, provider, { email }), 200)
  },
)

it.each(
  providers.flatMap((provider) =>
    ['down', 'error', 'rate_limit', 'client_error', 'garbage', 'redirect'].map(
      (mode) => [provider, mode] as const,
    ),
  ),
)(
  'returns 502 oauth_provider_error when the token request to %s has the fault %s, and creates no user',
  async (provider, mode) => {
    const email = randomEmail()
    const flow = await obtainProviderCode(service, provider, { email })
    await setFault({ service: provider, mode })
    const response = await postCallback(service, provider, flow)
    expect([response.status, response.body.code]).toEqual([502, 'oauth_provider_error'])
    expect(await selectUsers(email)).toEqual([])
    await clearFaults()
    expect((await postCallback(service, provider, flow)).body.code).toBe('oauth_state_invalid')
    expectStatus(await signInThroughProvider(service, provider, { email }), 200)
  },
)

it('accepts tokens after a provider rotates its keys', async () => {
  for (const provider of providers) {
    expectStatus(await signInThroughProvider(service, provider, { email: randomEmail() }), 200)
    expectStatus(await fetch(`${service.localOrigin}/idp/${provider}/keys/rotate`, { method: 'POST' }), 200)
    expectStatus(await signInThroughProvider(service, provider, { email: randomEmail() }), 200)
  }
})

async function withOwnService(
  settings: Record<string, string | undefined>,
  work: (ownService: Service) => Promise<void>,
): Promise<void> {
  const ownService = await startOwnService(settings)
  try {
    await work(ownService)
  } finally {
    await ownService.close()
  }
}

it('returns 502 while the discovery document of a provider is unavailable, and recovers afterwards', async () => {
  await withOwnService({}, async (ownService) => {
    for (const mode of ['down', 'error', 'garbage', 'redirect']) {
      await dashboard(ownService).setFault({ service: 'google', mode })
      const response = await requestAuthorization(ownService, 'google')
      expect([mode, response.status, response.body.code]).toEqual([mode, 502, 'oauth_provider_error'])
    }
    expect(await ownService.sql('select from oauth_states')).toEqual([])
    await dashboard(ownService).clearFaults()
    expectStatus(await requestAuthorization(ownService, 'google'), 200)
  })
})

it('returns 404 for a provider that is not configured and for an unknown one', async () => {
  await withOwnService({ GOOGLE_CLIENT_ID: undefined }, async (ownService) => {
    for (const provider of ['google', 'github']) {
      expectStatus(await requestAuthorization(ownService, provider), 404)
      expectStatus(await postCallback(ownService, provider, { code: 'x', state: 'x' }), 404)
    }
    expectStatus(await requestAuthorization(ownService, 'microsoft'), 200)
  })
})

it('returns 502 when the provider refuses our client credentials', async () => {
  await withOwnService(
    { GOOGLE_CLIENT_SECRET: 'not-the-secret', MICROSOFT_CLIENT_SECRET: undefined },
    async (ownService) => {
      for (const provider of providers) {
        const response = await signInThroughProvider(ownService, provider, { email: randomEmail() })
        expect([response.status, response.body.code]).toEqual([502, 'oauth_provider_error'])
        expect(response.text).not.toContain('not-the-secret')
      }
    },
  )
})

it('uses the frontend’s callback as the redirect URI by default', async () => {
  await withOwnService({ OAUTH_REDIRECT_BASE: undefined }, async (ownService) => {
    const { body } = await requestAuthorization(ownService, 'google')
    expect(new URL(body.authorization_url).searchParams.get('redirect_uri')).toBe(
      'https://app.supportflow.example/oauth/google/callback',
    )
  })
})

it('AUT-03 requires an invite from a new provider user when registration is by invitation only', async () => {
  await withOwnService({ SELF_SERVE_ENABLED: 'false', INVITE_REQUIRED: 'true' }, async (ownService) => {
    const response = await signInThroughProvider(ownService, 'google', { email: randomEmail() })
    expect([response.status, response.body.code]).toEqual([400, 'invite_code_required'])
    expect(await ownService.sql('select from identities')).toEqual([])
    const account = await createAccount(ownService)
    const email = randomEmail()
    await account.admin.call('POST', '/accounts/me/invites', { email, role: 'engineer' })
    const code = await dashboard(ownService).waitForLink(email, /register\?code=([\w-]+)/)
    expect(
      (await signInThroughProvider(ownService, 'google', { email }, { account_invite_code: code })).body.user
        .account_id,
    ).toBe(account.id)
    expectStatus(await signInThroughProvider(ownService, 'google', { email }), 200)
  })
})

it('inserts no OAuth state for requests beyond the rate limit', async () => {
  const headers = { 'cf-connecting-ip': `198.51.100.${crypto.randomUUID()}` }
  const statesBefore = await service.sql('select from oauth_states')
  const authorize = () => request(service, 'GET', '/auth/oauth/google/authorize', { headers })
  const responses = await Promise.all(Array.from({ length: 135 }, authorize))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(120)
  expect(await service.sql('select from oauth_states')).toHaveLength(statesBefore.length + 120)
})
