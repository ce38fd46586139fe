import { createHash } from 'node:crypto'
import { Receiver } from '@upstash/qstash'
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifySignature } from '../../lib/queue/signature.ts'

// Long enough for the Receiver's HS512 too.
const current = 'sig_current_0123456789abcdef01234567'.repeat(2)
const next = 'sig_next_0123456789abcdef0123456789'.repeat(2)
const url = 'https://api.example.com/jobs/notifications/deliver'
const body = '{"delivery_id":"1","attempt":1}'
const receiver = new Receiver({ currentSigningKey: current, nextSigningKey: next })
const second = () => Math.floor(Date.now() / 1000)
const hash = (text: string) => createHash('sha256').update(text).digest('base64url')

interface Change {
  key?: string
  alg?: string
  claims?: JWTPayload
  without?: 'exp' | 'nbf' | 'body' | 'sub' | 'iss'
}

/** A signature as QStash makes one, but for what the test changes. */
async function signed({ key = current, alg = 'HS256', claims = {}, without }: Change = {}): Promise<string> {
  const usual = {
    iss: 'Upstash',
    sub: url,
    exp: second() + 300,
    nbf: second() - 1,
    iat: second(),
    jti: crypto.randomUUID(),
    body: hash(body),
  }
  const payload: JWTPayload = { ...usual, ...claims }
  if (without) delete payload[without]
  if (alg === 'none') return new UnsecuredJWT(payload).encode()
  return new SignJWT(payload).setProtectedHeader({ alg, typ: 'JWT' }).sign(new TextEncoder().encode(key))
}

const ours = (token: string | undefined, of = body) => verifySignature(token, of, url, [current, next])
/** What the vendor's own Receiver says; `at` is the address it was told, if any. */
const theirs = (token: string, of = body, at: { url?: string } = { url }) =>
  receiver.verify({ signature: token, body: of, clockTolerance: 5, ...at }).catch(() => false)

describe('what QStash signs is taken, as its own Receiver takes it', () => {
  it.each<[string, Change]>([
    ['the current key', { key: current }],
    ['the next key', { key: next }],
    ['its hash of the body padded', { claims: { body: `${hash(body)}=` } }],
    ['a clock that is seconds ahead of ours', { claims: { nbf: second() + 3 } }],
    ['an expiry a second ago', { claims: { exp: second() - 1 } }],
  ])('with %s', async (_, change) => {
    const token = await signed(change)
    expect([await ours(token), await theirs(token)]).toEqual([true, true])
  })

  it('for an empty body, and one in any alphabet', async () => {
    for (const of of ['', '{"text":"Žofie ✓ 你好 😀"}']) {
      const token = await signed({ claims: { body: hash(of) } })
      expect([await ours(token, of), await theirs(token, of)]).toEqual([true, true])
    }
  })

  it('again and again: what it asks for is done once by the rows it names', async () => {
    const token = await signed()
    expect([await ours(token), await ours(token)]).toEqual([true, true])
  })
})

describe('what neither takes', () => {
  it.each<[string, Change]>([
    ['another key', { key: 'sig_other_0123456789abcdef012345678' }],
    ['no algorithm', { alg: 'none' }],
    ['another issuer', { claims: { iss: 'upstash' } }],
    ['an expiry that is past', { claims: { exp: second() - 60 } }],
    ['a beginning that is to come', { claims: { nbf: second() + 120 } }],
    ['the address of another job', { claims: { sub: url.replace('deliver', 'sweep') } }],
    ['the address of another host', { claims: { sub: url.replace('api', 'evil') } }],
    ['a trailing slash', { claims: { sub: `${url}/` } }],
    ['an address over http', { claims: { sub: url.replace('https', 'http') } }],
    ['an address with a query', { claims: { sub: `${url}?` } }],
    ['no address', { without: 'sub' }],
    ['no issuer', { without: 'iss' }],
    ['no hash of the body', { without: 'body' }],
  ])('%s', async (_, change) => {
    const token = await signed(change)
    expect([await ours(token), await theirs(token)]).toEqual([false, false])
  })

  it.each([`${body} `, body.replace('1', '2'), '', '{}'])('another body: %j', async (changed) => {
    const token = await signed()
    expect([await ours(token, changed), await theirs(token, changed)]).toEqual([false, false])
  })

  it('nothing, or what is no token', async () => {
    const token = await signed()
    for (const broken of [undefined, '', 'x', 'a.b.c', `${token.slice(0, -2)}xx`, token.replace(/^[^.]+/, 'e30')]) {
      expect([broken, await ours(broken)]).toEqual([broken, false])
    }
  })

  it('a signature made with an empty key, which is what a missing setting would be', async () => {
    const token = await signed({ key: 'guessed' })
    expect(await verifySignature(token, body, url, ['', ''])).toBe(false)
  })
})

describe('what the Receiver takes and this does not', () => {
  it.each<[string, Change, { url?: string }]>([
    ['HS512', { alg: 'HS512' }, { url }],
    ['HS384', { alg: 'HS384' }, { url }],
    ['a token that never expires', { without: 'exp' }, { url }],
    ['a token without a beginning', { without: 'nbf' }, { url }],
    ['another address, when it was told none', { claims: { sub: 'https://evil.example/' } }, {}],
  ])('%s', async (_, change, at) => {
    const token = await signed(change)
    expect([await ours(token), await theirs(token, body, at)]).toEqual([false, true])
  })
})
