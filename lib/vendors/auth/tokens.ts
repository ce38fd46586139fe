import * as z from 'zod'
import type { Caller } from '#db/scope.ts'
import { createTokenSigner, type TokenSettings } from './jwt.ts'

export const accessTokenSeconds = 15 * 60

export interface AccessTokens {
  sign(caller: Caller): Promise<string>
  /**
   * Return the caller of a token, or null when it is not ours, was changed, has expired or names no sign-in.
   */
  verify(token: string): Promise<Caller | null>
}

const Claims = z.object({ sub: z.uuid(), acc: z.uuid(), sid: z.uuid(), exp: z.number() })
const maxCachedTokens = 2000

/** Create and verify JWT access tokens. */
export function createAccessTokens(settings: TokenSettings): AccessTokens {
  const signer = createTokenSigner(settings)
  // The signature is checked once per isolate, the expiry on every request.
  const verifiedTokens = new Map<string, { caller: Caller; exp: number }>()
  return {
    sign: ({ userId, accountId, signInId }) =>
      signer.sign(userId, { acc: accountId, sid: signInId }, accessTokenSeconds),
    async verify(token) {
      const cached = verifiedTokens.get(token)
      if (cached) return cached.exp > Date.now() / 1000 ? cached.caller : null
      const { data: claims } = Claims.safeParse(await signer.verify(token))
      if (!claims) return null
      const caller = { userId: claims.sub, accountId: claims.acc, signInId: claims.sid }
      if (verifiedTokens.size >= maxCachedTokens) verifiedTokens.clear()
      verifiedTokens.set(token, { caller, exp: claims.exp })
      return caller
    },
  }
}
