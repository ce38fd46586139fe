import { jwtVerify, SignJWT } from 'jose'
import type { Caller } from '../db/scope.ts'

export const accessTokenSeconds = 15 * 60

export interface AccessTokens {
  sign(caller: Caller): Promise<string>
  /** The caller a token names, or null when it is not ours, was changed or has expired. */
  verify(token: string): Promise<Caller | null>
}

interface Key {
  kid: string
  secret: string
}

const cacheSize = 2000

/** JWT access tokens, HS256 under the first key; every key given verifies, so that keys can be rotated. */
export function createAccessTokens(keys: readonly Key[]): AccessTokens {
  const imported = new Map(keys.map(({ kid, secret }) => [kid, importKey(secret)]))
  const signing = keys[0]
  // A token is checked once per isolate; its expiry is looked at every time.
  const known = new Map<string, { caller: Caller; exp: number }>()
  return {
    async sign({ userId, accountId, signInId }) {
      if (!signing) throw new Error('No signing key')
      return new SignJWT({ acc: accountId, sid: signInId })
        .setProtectedHeader({ alg: 'HS256', kid: signing.kid, typ: 'JWT' })
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(`${accessTokenSeconds}s`)
        .sign(await (imported.get(signing.kid) as Promise<CryptoKey>))
    },
    async verify(token) {
      const seen = known.get(token)
      if (seen) return seen.exp > Date.now() / 1000 ? seen.caller : null
      try {
        const { payload } = await jwtVerify(
          token,
          async ({ kid }) => (await imported.get(kid ?? '')) ?? Promise.reject(new Error('unknown key')),
          { algorithms: ['HS256'], requiredClaims: ['sub', 'exp'] },
        )
        const caller = { userId: String(payload.sub), accountId: String(payload.acc), signInId: String(payload.sid) }
        if (known.size >= cacheSize) known.clear()
        known.set(token, { caller, exp: payload.exp as number })
        return caller
      } catch {
        return null
      }
    },
  }
}

function importKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', new TextEncoder().encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}
