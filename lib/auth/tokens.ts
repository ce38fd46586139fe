import { jwtVerify, SignJWT } from 'jose'
import type { Caller } from '../db/scope.ts'

export const accessTokenSeconds = 15 * 60

export interface AccessTokens {
  sign(caller: Caller): Promise<string>
  /** Return the caller of a token, or null when it is not ours, was changed or has expired. */
  verify(token: string): Promise<Caller | null>
}

interface SigningKey {
  kid: string
  secret: string
}

const maxCachedTokens = 2000

/** Create and verify JWT access tokens (HS256). The first key signs and every key verifies, so that keys can be rotated. */
export function createAccessTokens(keys: readonly SigningKey[]): AccessTokens {
  const imported = new Map(keys.map(({ kid, secret }) => [kid, importKey(secret)]))
  const signingKey = keys[0]
  // The signature is checked once per isolate, the expiry on every request.
  const verified = new Map<string, { caller: Caller; exp: number }>()
  return {
    async sign({ userId, accountId, signInId }) {
      if (!signingKey) throw new Error('No signing key')
      return new SignJWT({ acc: accountId, sid: signInId })
        .setProtectedHeader({ alg: 'HS256', kid: signingKey.kid, typ: 'JWT' })
        .setSubject(userId)
        .setIssuedAt()
        .setExpirationTime(`${accessTokenSeconds}s`)
        .sign(await (imported.get(signingKey.kid) as Promise<CryptoKey>))
    },
    async verify(token) {
      const cached = verified.get(token)
      if (cached) return cached.exp > Date.now() / 1000 ? cached.caller : null
      try {
        const { payload } = await jwtVerify(
          token,
          async ({ kid }) => (await imported.get(kid ?? '')) ?? Promise.reject(new Error('unknown key')),
          { algorithms: ['HS256'], requiredClaims: ['sub', 'exp'] },
        )
        const caller = { userId: String(payload.sub), accountId: String(payload.acc), signInId: String(payload.sid) }
        if (verified.size >= maxCachedTokens) verified.clear()
        verified.set(token, { caller, exp: payload.exp as number })
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
