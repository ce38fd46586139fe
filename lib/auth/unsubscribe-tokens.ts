import * as z from 'zod'
import { createTokenSigner, type TokenSettings } from './jwt.ts'

export interface UnsubscribeTokens {
  /** Sign the link of an address. `addressHash` is that of `app.address_hash`, in hex. */
  sign(addressHash: string): Promise<string>
  /** Return the hash of the address, or null when the token is not ours, was changed or has expired. */
  verify(token: string): Promise<string | null>
}

// Nobody should have to look for a newer e-mail. The token gives no other right.
const lifetimeSeconds = 5 * 365 * 86_400
const Claims = z.object({ sub: z.string().regex(/^[0-9a-f]{64}$/) })

/** Create and verify the tokens with which the owner of an address unsubscribes it. They contain no address, because they stand in URLs. */
export function createUnsubscribeTokens(settings: TokenSettings): UnsubscribeTokens {
  const signer = createTokenSigner(settings, '/unsubscribe')
  return {
    sign: (addressHash) => signer.sign(addressHash, {}, lifetimeSeconds),
    async verify(token) {
      return Claims.safeParse(await signer.verify(token)).data?.sub ?? null
    },
  }
}
