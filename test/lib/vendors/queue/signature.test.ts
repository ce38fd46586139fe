import { createHash } from 'node:crypto'
import { Receiver } from '@upstash/qstash'
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifySignature } from '#vendors/queue/signature.ts'

// Long enough for HS512, which the Receiver accepts too.
const currentKey = 'sig_current_0123456789abcdef01234567'.repeat(2)
const nextKey = 'sig_next_0123456789abcdef0123456789'.repeat(2)
const url = 'https://api.example.com/jobs/notifications/deliver'
const body = '{"delivery_id":"1","attempt":1}'
const receiver = new Receiver({ currentSigningKey: currentKey, nextSigningKey: nextKey })
const nowSeconds = () => Math.floor(Date.now() / 1000)
const hash = (text: string) => createHash('sha256').update(text).digest('base64url')

interface TokenOptions {
  key?: string
  alg?: string
  claims?: JWTPayload
  without?: 'exp' | 'nbf' | 'body' | 'sub' | 'iss'
}

/** Sign a token as QStash does, with the changes of the test. */
async function signToken({
  key = currentKey,
  alg = 'HS256',
  claims = {},
  without,
}: TokenOptions = {}): Promise<string> {
  const validClaims = {
    iss: 'Upstash',
    sub: url,
    exp: nowSeconds() + 300,
    nbf: nowSeconds() - 1,
    iat: nowSeconds(),
    jti: crypto.randomUUID(),
    body: hash(body),
  }
  const payload: JWTPayload = { ...validClaims, ...claims }
  if (without) delete payload[without]
  if (alg === 'none') return new UnsecuredJWT(payload).encode()
  return new SignJWT(payload).setProtectedHeader({ alg, typ: 'JWT' }).sign(new TextEncoder().encode(key))
}

const verify = (token: string | undefined, signedBody = body) =>
  verifySignature(token, signedBody, url, [currentKey, nextKey])
/** Verify with the vendor's own Receiver. Without `options.url` the Receiver does not check the URL. */
const verifyWithReceiver = (token: string, signedBody = body, options: { url?: string } = { url }) =>
  receiver.verify({ signature: token, body: signedBody, clockTolerance: 60, ...options }).catch(() => false)

describe('tokens that the Receiver accepts', () => {
  it.each<[string, TokenOptions]>([
    ['the current key', { key: currentKey }],
    ['the next key', { key: nextKey }],
    ['a padded hash of the body', { claims: { body: `${hash(body)}=` } }],
    ['a start 50 seconds in the future', { claims: { nbf: nowSeconds() + 50 } }],
    ['an expiry 50 seconds ago', { claims: { exp: nowSeconds() - 50 } }],
  ])('accepts a token with %s', async (_, options) => {
    const token = await signToken(options)
    expect([await verify(token), await verifyWithReceiver(token)]).toEqual([true, true])
  })

  it('accepts an empty body and one with non-ASCII characters', async () => {
    for (const signedBody of ['', '{"text":"Žofie ✓ 你好 😀"}']) {
      const token = await signToken({ claims: { body: hash(signedBody) } })
      expect([await verify(token, signedBody), await verifyWithReceiver(token, signedBody)]).toEqual([
        true,
        true,
      ])
    }
  })

  it('accepts a token repeatedly, because the rows that a job names make the job idempotent', async () => {
    const token = await signToken()
    expect([await verify(token), await verify(token)]).toEqual([true, true])
  })
})

describe('tokens that the Receiver refuses', () => {
  it.each<[string, TokenOptions]>([
    ['another key', { key: 'sig_other_0123456789abcdef012345678' }],
    ['no algorithm', { alg: 'none' }],
    ['another issuer', { claims: { iss: 'upstash' } }],
    ['an expiry two minutes ago', { claims: { exp: nowSeconds() - 120 } }],
    ['a start two minutes ahead', { claims: { nbf: nowSeconds() + 120 } }],
    ['the URL of another job', { claims: { sub: url.replace('deliver', 'sweep') } }],
    ['the URL of another host', { claims: { sub: url.replace('api', 'evil') } }],
    ['a trailing slash in the URL', { claims: { sub: `${url}/` } }],
    ['an http URL', { claims: { sub: url.replace('https', 'http') } }],
    ['a URL with a query', { claims: { sub: `${url}?` } }],
    ['no URL', { without: 'sub' }],
    ['no issuer', { without: 'iss' }],
    ['no hash of the body', { without: 'body' }],
  ])('refuses a token with %s', async (_, options) => {
    const token = await signToken(options)
    expect([await verify(token), await verifyWithReceiver(token)]).toEqual([false, false])
  })

  it.each([`${body} `, body.replace('1', '2'), '', '{}'])(
    'refuses a token for another body: %j',
    async (otherBody) => {
      const token = await signToken()
      expect([await verify(token, otherBody), await verifyWithReceiver(token, otherBody)]).toEqual([
        false,
        false,
      ])
    },
  )

  it('refuses a missing or malformed token', async () => {
    const token = await signToken()
    for (const malformed of [
      undefined,
      '',
      'x',
      'a.b.c',
      `${token.slice(0, -2)}xx`,
      token.replace(/^[^.]+/, 'e30'),
    ]) {
      expect([malformed, await verify(malformed)]).toEqual([malformed, false])
    }
  })

  it('refuses a token while the signing keys are empty, as with missing settings', async () => {
    const token = await signToken({ key: 'guessed' })
    expect(await verifySignature(token, body, url, ['', ''])).toBe(false)
  })
})

describe('tokens that only the Receiver accepts', () => {
  it.each<[string, TokenOptions, { url?: string }]>([
    ['a token signed with HS512', { alg: 'HS512' }, { url }],
    ['a token signed with HS384', { alg: 'HS384' }, { url }],
    ['a token that never expires', { without: 'exp' }, { url }],
    ['a token without a start', { without: 'nbf' }, { url }],
    [
      'a token for another URL, which the Receiver checks only with the option `url`',
      { claims: { sub: 'https://evil.example/' } },
      {},
    ],
  ])('refuses %s', async (_, options, receiverOptions) => {
    const token = await signToken(options)
    expect([await verify(token), await verifyWithReceiver(token, body, receiverOptions)]).toEqual([
      false,
      true,
    ])
  })
})
