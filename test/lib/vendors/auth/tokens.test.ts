import { SignJWT } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createAcknowledgementTokens } from '#vendors/auth/acknowledgement-tokens.ts'
import { createDeviceTokens } from '#vendors/auth/device-tokens.ts'
import { createExportTokens } from '#vendors/auth/export-tokens.ts'
import type { TokenSettings } from '#vendors/auth/jwt.ts'
import { createMcpTokens } from '#vendors/auth/mcp-tokens.ts'
import { createAccessTokens } from '#vendors/auth/tokens.ts'
import { createUnsubscribeTokens } from '#vendors/auth/unsubscribe-tokens.ts'

const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`
const settings = (changes: Partial<TokenSettings> = {}): TokenSettings => ({
  ...{ JWT_KEYS: [{ kid: 'k1', secret: 'a'.repeat(32) }], JWT_ISSUER: undefined, JWT_AUDIENCE: undefined },
  ...{ PUBLIC_BASE_URL: 'https://api.example', ...changes },
})
const caller = { userId: id(1), accountId: id(2), signInId: id(3) }
const readClaims = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

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
      sign: (s: TokenSettings) =>
        createExportTokens(s).sign({ exportId: id(1), accountId: id(2), userId: id(3) }, 60),
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
      ...{
        lifetime: 5 * 365 * 86_400,
        audience: '/unsubscribe',
        value: { accountId: id(1), userId: id(2), teamId: id(3) },
      },
      sign: (s: TokenSettings) =>
        createUnsubscribeTokens(s).signSubscription({ accountId: id(1), userId: id(2), teamId: id(3) }),
      verify: (s: TokenSettings, t: string) => createUnsubscribeTokens(s).verifySubscription(t),
    },
  }
  it.each(Object.entries(kinds))(
    'of the kind %s has its audience and its lifetime, and is verified',
    async (_, { lifetime, audience, value, sign, verify }) => {
      const token = await sign(settings())
      const { exp, iat, aud, iss } = readClaims(token)
      expect([exp - iat, aud, iss]).toEqual([
        lifetime,
        `https://api.example/api/v1${audience}`,
        'https://api.example',
      ])
      expect(await verify(settings(), token)).toEqual(value)
      expect(
        await verify(
          settings({ JWT_KEYS: [{ kid: 'k2', secret: 'b'.repeat(32) }, ...settings().JWT_KEYS] }),
          token,
        ),
      ).toEqual(value)
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
    const token = await createMcpTokens(settings({ JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' })).sign({
      caller,
      scopes: [],
    })
    expect(readClaims(token)).toMatchObject({ iss: 'i', aud: 'a/mcp' })
  })
  it.each(Object.entries(kinds))(
    'of the kind %s is refused after it has expired',
    async (_, { lifetime, sign, verify }) => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-23T09:00:00Z') })
      onTestFinished(() => void vi.useRealTimers())
      const token = await sign(settings())
      vi.setSystemTime(Date.now() + lifetime * 1000)
      expect(await verify(settings(), token)).toBeNull()
    },
  )
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
      expect(
        await createAccessTokens(settings()).verify(await sign({ ...complete, [name]: undefined })),
      ).toBeNull()
  })
})
