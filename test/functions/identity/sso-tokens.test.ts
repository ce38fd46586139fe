import { afterAll, describe, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { entries, isNight } from '#test/support/night.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'
import { createOrganisation, obtainSsoCode, postSsoCallback, signInThroughSso } from '#test/support/sso.ts'

const refused = [400, 'oauth_refused']
const failed = [502, 'oauth_provider_error']
const huge = { answers: { token: { bytes: 600_000 } } }

/** How a provider misbehaves after the person has signed in, and what becomes of the sign-in. */
const tokens: Record<string, [object, unknown[]]> = {
  'another issuer': [{ claims: { iss: 'https://issuer.example' } }, refused],
  'the issuer with a slash': [{ claims: { iss: 'ISSUER/' } }, refused],
  'no issuer': [{ claims: { iss: null } }, refused],
  'another audience': [{ claims: { aud: 'another-client' } }, refused],
  'no audience': [{ claims: { aud: null } }, refused],
  'two audiences without azp': [{ claims: { aud: ['local-organisation-client', 'other'] } }, refused],
  'two audiences and another azp': [
    { claims: { aud: ['local-organisation-client', 'other'], azp: 'other' } },
    refused,
  ],
  'our audience and another azp': [{ claims: { azp: 'other' } }, refused],
  'an end that is past': [{ claims: { iat: -120, exp: -60 } }, refused],
  'no end': [{ claims: { exp: null } }, refused],
  'an end that is a text': [{ claims: { exp: 'never' } }, refused],
  'a time of issue that is an hour ago': [{ claims: { iat: -3600 } }, refused],
  'a time of issue in five minutes': [{ claims: { iat: 300 } }, refused],
  'no time of issue': [{ claims: { iat: null } }, refused],
  'another nonce': [{ claims: { nonce: 'another' } }, refused],
  'no nonce': [{ claims: { nonce: null } }, refused],
  'no subject': [{ claims: { sub: null } }, refused],
  'an empty subject': [{ claims: { sub: '' } }, refused],
  'a subject of 256 characters': [{ claims: { sub: 's'.repeat(256) } }, refused],
  'a subject that is a number': [{ claims: { sub: 7 } }, refused],
  'a subject with a control character': [{ claims: { sub: 'a\u0000b' } }, refused],
  'no signature': [{ signature: 'none' }, refused],
  'the signature of another key': [{ signature: 'forged' }, refused],
  'a signature with the public key as a secret': [{ signature: 'HS256' }, refused],
  'no ID token': [{ answers: { token: { body: '{"access_token":"a","token_type":"bearer"}' } } }, failed],
  'an answer that is no JSON': [{ answers: { token: { body: 'no' } } }, failed],
  'an error': [{ answers: { token: { status: 500 } } }, failed],
  'a refused code': [{ answers: { token: { status: 400, body: '{"error":"invalid_grant"}' } } }, refused],
  'a huge answer': [huge, failed],
  'a redirect': [{ answers: { token: { status: 307, location: 'ISSUER/token' } } }, failed],
  'an answer that is too late': [{ answers: { token: { delay_ms: 9000 } } }, failed],
  'no keys': [{ answers: { keys: { body: '{"keys":[]}' } } }, refused],
  'keys that are no list': [{ answers: { keys: { body: '{"keys":{}}' } } }, refused],
  'keys that redirect': [{ answers: { keys: { status: 302, location: 'http://169.254.169.254/' } } }, failed],
  'clocks that differ by 20 seconds': [{ claims: { iat: 20 } }, [200, undefined]],
  'our azp': [{ claims: { azp: 'local-organisation-client' } }, [200, undefined]],
  'a deep claim': [{ claims: { groups: deepen(400) } }, [200, undefined]],
  '3,000 groups': [{ claims: { groups: Array.from({ length: 3000 }, (_, n) => `g${n}`) } }, [200, undefined]],
}
function deepen(levels: number): unknown {
  return levels === 0 ? 'g' : [deepen(levels - 1)]
}

/** How a provider misbehaves before, and whether a sign-in starts. */
const discoveries: Record<string, [object, unknown[]]> = {
  'another issuer': [{ discovery: { issuer: 'https://issuer.example' } }, failed],
  'the issuer with a slash': [{ discovery: { issuer: 'ISSUER/' } }, failed],
  'no authorization_endpoint': [{ discovery: { authorization_endpoint: null } }, failed],
  'an authorization_endpoint that is a script': [
    { discovery: { authorization_endpoint: 'javascript:alert(1)' } },
    failed,
  ],
  'no token_endpoint': [{ discovery: { token_endpoint: null } }, failed],
  'no jwks_uri': [{ discovery: { jwks_uri: null } }, failed],
  'a redirect': [{ answers: { discovery: { status: 302, location: 'ISSUER/x' } } }, failed],
  'a huge document': [{ answers: { discovery: { bytes: 600_000 } } }, failed],
  'a document that is too late': [{ answers: { discovery: { delay_ms: 9000 } } }, failed],
  'a list': [{ answers: { discovery: { body: '[]' } } }, failed],
  'an error': [{ answers: { discovery: { status: 503 } } }, failed],
  'no lists': [
    { discovery: { id_token_signing_alg_values_supported: null, scopes_supported: null } },
    [200, undefined],
  ],
}
const withIssuer = (behaviour: object, issuer: string) =>
  JSON.parse(JSON.stringify(behaviour).replaceAll('ISSUER', issuer)) as object

/** What waits for the time-out of a call is tried at night. */
const listTried = <Case>(cases: Record<string, Case>) =>
  Object.entries(cases).filter(([name]) => isNight || !name.endsWith('too late'))

for (const platform of entries)
  describe.concurrent(`on ${platform}`, async () => {
    const service = await startOwnService({}, { platform })
    afterAll(() => service.close())

    it.each(listTried(tokens))('AUT-84 a token with %s', async (_, [behaviour, outcome]) => {
      const { createEmail, behave, account, issuer } = await createOrganisation(service)
      const flow = await obtainSsoCode(service, createEmail())
      await behave(withIssuer(behaviour, issuer))
      const { status, body, text } = await postSsoCallback(service, flow)
      expect([status, body.code], text).toEqual(outcome)
      const joined = await service.sql('select from sso_identities where account_id = $1', [account.id])
      expect(joined).toHaveLength(status === 200 ? 1 : 0)
    })

    it.each(listTried(discoveries))('AUT-84 a discovery with %s', async (_, [behaviour, outcome]) => {
      const { createEmail, behave, issuer, connectionId } = await createOrganisation(service)
      await behave(withIssuer(behaviour, issuer))
      const { status, body, text } = await postWithoutToken(service, '/auth/sso/authorize', {
        email: createEmail(),
      })
      expect([status, body.code], text).toEqual(outcome)
      if (status === 200) return
      expect(
        await service.sql('select from oauth_states where connection_id = $1', [connectionId]),
      ).toHaveLength(0)
    })

    it('AUT-84 calls no address that the discovery document leads to inside', async () => {
      for (const inside of ['https://127.0.0.1/token', 'https://metadata.google.internal/token']) {
        const { createEmail, behave } = await createOrganisation(service)
        await behave({ discovery: { token_endpoint: inside } })
        const { status, body } = await signInThroughSso(service, createEmail())
        expect([status, body.code]).toEqual(failed)
      }
    })

    it('AUT-84 takes rotated keys, and looks for an unknown key once a minute', async () => {
      const { createEmail, issuer, behave } = await createOrganisation(service)
      const rotate = async () =>
        ((await (await fetch(`${issuer}/keys/rotate`, { method: 'POST' })).json()) as { fetched: number })
          .fetched
      expectStatus(await signInThroughSso(service, createEmail()), 200)
      await rotate()
      expectStatus(await signInThroughSso(service, createEmail()), 200)
      expect(await rotate()).toBe(2)
      for (let n = 0; n < 5; n++)
        expect((await signInThroughSso(service, createEmail())).body.code).toBe('oauth_refused')
      expect(await rotate()).toBe(2)
      await behave()
    })
  })

describe('the request of a sign-in', async () => {
  const service = await startOwnService()
  afterAll(() => service.close())

  it('AUT-84 has PKCE, state and nonce, a callback of its connection, and the typed address', async () => {
    const { createEmail, connectionId, issuer } = await createOrganisation(service)
    const email = createEmail()
    const { body } = await postWithoutToken(service, '/auth/sso/authorize', { email })
    const url = new URL(body.authorization_url)
    expect(url.origin + url.pathname).toBe(`${issuer}/authorize`)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'local-organisation-client',
      redirect_uri: `${service.localOrigin}/oauth/sso/${connectionId}/callback`,
      response_type: 'code',
      scope: 'openid email profile',
      state: body.state,
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      login_hint: email,
    })
  })

  it('AUT-84 a state is valid for ten minutes', async () => {
    const { createEmail } = await createOrganisation(service)
    const flow = await obtainSsoCode(service, createEmail())
    await dashboard(service).advanceClock(601)
    expect((await postSsoCallback(service, flow)).body.code).toBe('oauth_state_invalid')
  })
})
