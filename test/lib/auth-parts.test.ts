import { base64url, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAcknowledgementTokens } from '../../lib/auth/acknowledgement-tokens.ts'
import { createDeviceTokens } from '../../lib/auth/device-tokens.ts'
import { createExportTokens } from '../../lib/auth/export-tokens.ts'
import type { TokenSettings } from '../../lib/auth/jwt.ts'
import { createMcpTokens } from '../../lib/auth/mcp-tokens.ts'
import { type Assertion, parseAssertion, parseRegistration, readChallenge, readUserHandle } from '../../lib/auth/passkeys.ts'
import { findPasswordWeakness, isOutdatedHash } from '../../lib/auth/passwords.ts'
import { createRecoveryCodes, hashRecoveryCode } from '../../lib/auth/recovery-codes.ts'
import { openAnswers, sealAnswers } from '../../lib/auth/sealed-answers.ts'
import { createAccessTokens } from '../../lib/auth/tokens.ts'
import { buildTotpUrl, createTotpSecret, findTotpStep, generateTotpCode } from '../../lib/auth/totp.ts'
import { createUnsubscribeTokens } from '../../lib/auth/unsubscribe-tokens.ts'
import { createVault } from '../../lib/auth/vault.ts'
import { createAccountReferences } from '../../lib/billing/account-reference.ts'
import { addParameters, isRedirectUri } from '../../lib/oauth/redirect-uri.ts'
import { AuthorizationRequest, createClientId, parseScopes, Registration, TokenRequest } from '../../lib/oauth/requests.ts'

const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
const settings = (changes: Partial<TokenSettings> = {}): TokenSettings => ({
  ...{ JWT_KEYS: [{ kid: 'k1', secret: 'a'.repeat(32) }], JWT_ISSUER: undefined, JWT_AUDIENCE: undefined },
  ...{ PUBLIC_BASE_URL: 'https://api.example', ...changes },
})
const caller = { userId: id(1), accountId: id(2), signInId: id(3) }
const readClaims = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

describe('a signed token', () => {
  const kinds = {
    access: {
      lifetime: 15 * 60,
      audience: '',
      value: caller,
      sign: (s: TokenSettings) => createAccessTokens(s).sign(caller),
      verify: (s: TokenSettings, t: string) => createAccessTokens(s).verify(t),
    },
    mcp: {
      ...{ lifetime: 15 * 60, audience: '/mcp', value: { caller, scopes: ['a:read'] } },
      sign: (s: TokenSettings) => createMcpTokens(s).sign({ caller, scopes: ['a:read'] }),
      verify: (s: TokenSettings, t: string) => createMcpTokens(s).verify(t),
    },
    device: {
      ...{ lifetime: 180 * 86_400, audience: '/device', value: { id: id(1), userId: id(2), generation: 0 } },
      sign: (s: TokenSettings) => createDeviceTokens(s).sign({ id: id(1), userId: id(2), generation: 0 }),
      verify: (s: TokenSettings, t: string) => createDeviceTokens(s).verify(t),
    },
    export: {
      ...{ lifetime: 60, audience: '/export', value: { exportId: id(1), accountId: id(2), userId: id(3) } },
      sign: (s: TokenSettings) => createExportTokens(s).sign({ exportId: id(1), accountId: id(2), userId: id(3) }, 60),
      verify: (s: TokenSettings, t: string) => createExportTokens(s).verify(t),
    },
    acknowledgement: {
      ...{ lifetime: 24 * 3600, audience: '/acknowledge', value: id(1) },
      sign: (s: TokenSettings) => createAcknowledgementTokens(s).sign(id(1), new Date()),
      verify: (s: TokenSettings, t: string) => createAcknowledgementTokens(s).verify(t),
    },
    unsubscribe: {
      ...{ lifetime: 5 * 365 * 86_400, audience: '/unsubscribe', value: 'a'.repeat(64) },
      sign: (s: TokenSettings) => createUnsubscribeTokens(s).sign('a'.repeat(64)),
      verify: (s: TokenSettings, t: string) => createUnsubscribeTokens(s).verify(t),
    },
    subscription: {
      ...{ lifetime: 5 * 365 * 86_400, audience: '/unsubscribe', value: { accountId: id(1), userId: id(2), teamId: id(3) } },
      sign: (s: TokenSettings) => createUnsubscribeTokens(s).signSubscription({ accountId: id(1), userId: id(2), teamId: id(3) }),
      verify: (s: TokenSettings, t: string) => createUnsubscribeTokens(s).verifySubscription(t),
    },
  }
  it.each(Object.entries(kinds))(
    'of the kind %s has its audience and its lifetime, and is verified',
    async (_, { lifetime, audience, value, sign, verify }) => {
      const token = await sign(settings())
      const { exp, iat, aud, iss } = readClaims(token)
      expect([exp - iat, aud, iss]).toEqual([lifetime, `https://api.example/api/v1${audience}`, 'https://api.example'])
      expect(await verify(settings(), token)).toEqual(value)
      expect(await verify(settings({ JWT_KEYS: [{ kid: 'k2', secret: 'b'.repeat(32) }, ...settings().JWT_KEYS] }), token)).toEqual(value)
      for (const other of [
        { JWT_KEYS: [{ kid: 'k2', secret: 'a'.repeat(32) }] },
        { JWT_KEYS: [{ kid: 'k1', secret: 'b'.repeat(32) }] },
        { JWT_ISSUER: 'x' },
        { JWT_AUDIENCE: 'x' },
      ])
        expect(await verify(settings(other), token)).toBeNull()
    },
  )
  it('has the issuer and the audience of the settings', async () => {
    const token = await createMcpTokens(settings({ JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' })).sign({ caller, scopes: [] })
    expect(readClaims(token)).toMatchObject({ iss: 'i', aud: 'a/mcp' })
  })
  it.each(Object.entries(kinds))('of the kind %s is refused after it has expired', async (_, { lifetime, sign, verify }) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-23T09:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const token = await sign(settings())
    vi.setSystemTime(Date.now() + lifetime * 1000)
    expect(await verify(settings(), token)).toBeNull()
  })
  it('for access is refused when it expires between two uses', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-23T09:00:00Z') })
    onTestFinished(() => void vi.useRealTimers())
    const tokens = createAccessTokens(settings())
    const token = await tokens.sign(caller)
    vi.setSystemTime(Date.now() + 15 * 60_000 - 1)
    expect([await tokens.verify(token), await tokens.verify(token)]).toEqual([caller, caller])
    vi.setSystemTime(Date.now() + 1)
    expect(await tokens.verify(token)).toBeNull()
  })
  it('is refused when a claim is missing', async () => {
    const sign = (claims: object) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
        .setIssuer('https://api.example')
        .setAudience('https://api.example/api/v1')
        .sign(new TextEncoder().encode('a'.repeat(32)))
    const complete = { sub: id(1), acc: id(2), sid: id(3), exp: 4_000_000_000 }
    expect(await createAccessTokens(settings()).verify(await sign(complete))).toEqual(caller)
    for (const name of ['sub', 'acc', 'sid', 'exp'])
      expect(await createAccessTokens(settings()).verify(await sign({ ...complete, [name]: undefined }))).toBeNull()
  })
})

describe('a reference of an account', () => {
  const keys = (name: string) => ({ kid: name, secret: name.repeat(32) })
  it('is verified with every key, and signed with the first', async () => {
    const reference = await createAccountReferences([keys('a')]).sign(id(1))
    expect(reference).toMatch(/^[\w-]{80}$/)
    expect(await createAccountReferences([keys('b'), keys('a')]).verify(reference)).toBe(id(1))
    expect(await createAccountReferences([keys('b')]).verify(reference)).toBeNull()
    expect(await createAccountReferences([keys('a')]).verify(reference.replace('000001', '000002'))).toBeNull()
    expect(await createAccountReferences([keys('a')]).verify(id(1))).toBeNull()
    await expect(createAccountReferences([]).sign(id(1))).rejects.toThrow('There is no key')
  })
})

describe('a redirect address', () => {
  const long = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`
  it.each([
    'https://a.example/cb?x=1',
    'http://localhost:3000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:9/cb',
    'com.example.app:/cb',
    'cursor://cb',
    'abc:cb',
    long(500),
  ])('may be registered: %s', (uri) => expect(isRedirectUri(uri)).toBe(true))
  it.each([
    long(501),
    'http://a.example/cb',
    'http://localhost.example/cb',
    'https:a.example',
    'HTTPS:a.example',
    'https://a.example/#x',
    'https://a.example/\\x',
    'https://a.example/ä',
    'https://a.example/ x',
    'https://user@a.example/',
    'https://:secret@a.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'ab:cb',
    '//a.example',
    '',
  ])('may not be registered: %j', (uri) => expect(isRedirectUri(uri)).toBe(false))
  it('keeps its own parameters', () => {
    expect(addParameters('https://a.example/cb', { code: 'a b', state: undefined })).toBe('https://a.example/cb?code=a+b')
    expect(addParameters('https://a.example/cb?x=1', { code: 'c', iss: 'i' })).toBe('https://a.example/cb?x=1&code=c&iss=i')
  })
})

describe('a request to the OAuth server', () => {
  it.each([
    [{ redirect_uris: ['https://a.example/'], client_name: ' Editor ' }, 'Editor'],
    [{ redirect_uris: ['https://a.example/'] }, 'MCP client'],
    [{ redirect_uris: ['https://a.example/'], client_name: ' ' }, 'MCP client'],
    [{ redirect_uris: ['https://a.example/'], client_name: 'x'.repeat(100) }, 'x'.repeat(100)],
    [{ redirect_uris: ['https://a.example/'], client_name: 'x'.repeat(101) }, 'MCP client'],
    [{ redirect_uris: Array(10).fill('https://a.example/') }, 'MCP client'],
    [{ redirect_uris: Array(11).fill('https://a.example/') }, undefined],
    [{ redirect_uris: [] }, undefined],
    [{ redirect_uris: ['https://a.example/', 'http://b.example/'] }, undefined],
    [{}, undefined],
  ])('registers %j as %j', (body, name) => expect(Registration.safeParse(body).data?.client_name).toBe(name))
  it.each([
    ['flows:read flows:write flows:read', ['flows:read', 'flows:write']],
    ['unknown flows:read', ['flows:read']],
    ['unknown', ['*:read']],
    ['', ['*:read']],
    [undefined, ['*:read']],
  ])('asks for the scopes %j: %j', (text, scopes) => expect(parseScopes(text)).toEqual(scopes))
  it('creates a new id for each client', () => {
    const ids = [createClientId(), createClientId()]
    expect(ids).toEqual([expect.stringMatching(/^[\w-]{22}$/), expect.stringMatching(/^[\w-]{22}$/)])
    expect(ids[0]).not.toBe(ids[1])
  })
  const authorization = { response_type: 'code', code_challenge: 'c'.repeat(43), code_challenge_method: 'S256' }
  it.each([
    [{}, true],
    [{ state: 's'.repeat(2000), scope: 's'.repeat(2000), resource: 'r'.repeat(500) }, true],
    [{ state: 's'.repeat(2001) }, false],
    [{ scope: 's'.repeat(2001) }, false],
    [{ resource: 'r'.repeat(501) }, false],
    [{ response_type: 'token' }, false],
    [{ code_challenge_method: 'plain' }, false],
    [{ code_challenge: 'c'.repeat(42) }, false],
    [{ code_challenge: 'c'.repeat(44) }, false],
  ])('asks for an authorization: %#', (changes, isValid) =>
    expect(AuthorizationRequest.safeParse({ ...authorization, ...changes }).success).toBe(isValid),
  )
  const exchange = {
    grant_type: 'authorization_code',
    code: 'c',
    redirect_uri: 'u',
    client_id: 'i'.repeat(22),
    code_verifier: 'v'.repeat(43),
  }
  const refresh = { grant_type: 'refresh_token', refresh_token: 'r', client_id: 'i'.repeat(22) }
  it.each([
    [exchange, {}, true],
    [exchange, { code: 'c'.repeat(200), code_verifier: 'v'.repeat(128), redirect_uri: 'u'.repeat(500) }, true],
    [exchange, { code: 'c'.repeat(201) }, false],
    [exchange, { code: '' }, false],
    [exchange, { code_verifier: 'v'.repeat(42) }, false],
    [exchange, { code_verifier: 'v'.repeat(129) }, false],
    [exchange, { redirect_uri: 'u'.repeat(501) }, false],
    [exchange, { client_id: 'i'.repeat(21) }, false],
    [refresh, { refresh_token: 'r'.repeat(200), scope: 's'.repeat(2000), resource: 'r'.repeat(500) }, true],
    [refresh, { refresh_token: 'r'.repeat(201) }, false],
    [refresh, { refresh_token: '' }, false],
    [refresh, { scope: 's'.repeat(2001) }, false],
    [refresh, { resource: 'r'.repeat(501) }, false],
  ])('asks for tokens: %#', (request, changes, isValid) => expect(TokenRequest.safeParse({ ...request, ...changes }).success).toBe(isValid))
})

describe('a password', () => {
  it.each([
    ['xx-ada@example.com-yy', 'ada@example.com', 'must not contain the e-mail address'],
    ['my-LOVELACE-9', 'Lovelace@example.com', 'must not contain the e-mail address'],
    ['long-adas-secret', 'adas@example.com', 'must not contain the e-mail address'],
    ['long-ada-secret', 'ada@example.com', null],
    ['Password123', 'ada@example.com', 'must not be a common password'],
    ['correct horse battery', 'ada@example.com', null],
  ])('%j of %s is weak: %j', (password, email, weakness) => expect(findPasswordWeakness(password, email)).toBe(weakness))
  it.each([
    ['$argon2id$v=19$m=19456,t=2,p=1$salt$hash', false],
    ['$argon2id$v=19$m=19456,t=3,p=1$salt$hash', true],
    ['$argon2i$v=19$m=19456,t=2,p=1$salt$hash', true],
  ])('has an outdated hash %s: %s', (hash, isOutdated) => expect(isOutdatedHash(hash)).toBe(isOutdated))
})

describe('a second factor', () => {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  it.each([
    [0, 33_333_333],
    [-30, 33_333_332],
    [30, 33_333_334],
    [-60, null],
    [60, null],
  ])('accepts the code of %i s from now', (offset, step) => {
    const now = 33_333_333 * 30 + 5
    expect(findTotpStep(secret, generateTotpCode(secret, now + offset), now)).toBe(step)
  })
  it('has a secret of 160 bits and an address for apps', () => {
    expect(createTotpSecret()).toMatch(/^[A-Z2-7]{32}$/)
    expect(generateTotpCode(secret, 0)).toMatch(/^\d{6}$/)
    const url = new URL(buildTotpUrl(secret, 'ada@example.com'))
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      secret,
      issuer: 'Support Flow',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
  it('has ten recovery codes, which are compared without case, spaces and hyphens', async () => {
    const codes = createRecoveryCodes()
    expect(codes).toHaveLength(10)
    for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
    expect(new Set(codes).size).toBe(10)
    expect(await hashRecoveryCode(' ABCD efgh-ijkl mnop')).toBe(await hashRecoveryCode('abcd-efgh-ijkl-mnop'))
  })
})

describe('a passkey', () => {
  const encode = (text: string) => base64url.encode(text)
  const fields = { id: 'a', rawId: 'a', type: 'public-key', clientExtensionResults: { x: 1 } }
  const registration = { ...fields, response: { clientDataJSON: 'a', attestationObject: 'b' } }
  const assertion = { ...fields, response: { clientDataJSON: 'a', authenticatorData: 'b', signature: 'c' } }
  it.each([
    [registration, true],
    [{ ...registration, id: 'a'.repeat(1400) }, true],
    [{ ...registration, id: 'a'.repeat(1401) }, false],
    [{ ...registration, type: 'x' }, false],
    [{ ...registration, response: { ...registration.response, transports: Array(10).fill('usb') } }, true],
    [{ ...registration, response: { ...registration.response, transports: Array(11).fill('usb') } }, false],
    [{ ...registration, response: { ...registration.response, clientDataJSON: 'a'.repeat(16_001) } }, false],
    [{ ...registration, response: { ...registration.response, clientDataJSON: 'ä' } }, false],
    [null, false],
  ])('is registered: %#', (credential, isValid) => expect(parseRegistration(credential) !== null).toBe(isValid))
  it('has no transports and no extensions unless the client names them', () => {
    expect(parseRegistration(registration)).toMatchObject({ clientExtensionResults: {}, response: { transports: [] } })
  })
  it.each([
    [assertion, true],
    [{ ...assertion, response: { ...assertion.response, userHandle: null } }, true],
    [{ ...assertion, response: { ...assertion.response, signature: '' } }, false],
  ])('signs in: %#', (credential, isValid) => expect(parseAssertion(credential) !== null).toBe(isValid))
  it.each([
    [encode('{"challenge":"c"}'), 'c'],
    [encode('{"challenge":1}'), ''],
    [encode('null'), ''],
    ['%', ''],
  ])('answers the challenge of %s: %j', (clientDataJSON, challenge) =>
    expect(readChallenge({ response: { clientDataJSON } })).toBe(challenge),
  )
  it.each([
    [encode('user-1'), 'user-1'],
    [undefined, null],
    [null, null],
    ['%', ''],
  ])('names the user of %j: %j', (userHandle, user) => expect(readUserHandle({ response: { userHandle } } as Assertion)).toBe(user))
})

it('seals the secret answers that have a text, each for its session and field', async () => {
  const vault = createVault([{ version: 1, key: Buffer.alloc(32, 1).toString('base64') }])
  const sealed = await sealAnswers(vault, id(1), { a: 'x', b: ' ', c: 7, d: 'y' })
  expect(Object.keys(sealed)).toEqual(['a', 'd'])
  expect(await openAnswers(vault, id(1), sealed)).toEqual({ a: 'x', d: 'y' })
  await expect(openAnswers(vault, id(2), sealed)).rejects.toThrow()
  await expect(openAnswers(vault, id(1), { a: sealed.d ?? '' })).rejects.toThrow()
})
