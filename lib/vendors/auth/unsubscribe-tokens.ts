import * as z from 'zod'
import { createTokenSigner, type TokenSettings } from './jwt.ts'

export interface UnsubscribeTokens {
  /** Sign the link of an address. `addressHash` is that of `app.address_hash`, in hex. */
  sign(addressHash: string): Promise<string>
  /** Return the hash of the address, or null when the token is not ours, was changed or has expired. */
  verify(token: string): Promise<string | null>
  /** Sign the link that ends one subscription of a weekly report. */
  signSubscription(subscription: SubscriptionKey): Promise<string>
  /** Return the subscription of a link, or null as `verify` does. */
  verifySubscription(token: string): Promise<SubscriptionKey | null>
}

/** A subscription of a weekly report: the account, its user, and the team whose report they get. */
export interface SubscriptionKey {
  accountId: string
  userId: string
  teamId: string
}

// Nobody should have to look for a newer e-mail. The token gives no other right.
const lifetimeSeconds = 5 * 365 * 86_400
const Claims = z.object({ sub: z.string().regex(/^[0-9a-f]{64}$/) })
const SubscriptionClaims = z.object({
  sub: z
    .string()
    .transform((sub) => sub.split('.'))
    .pipe(z.tuple([z.uuid(), z.uuid(), z.uuid()])),
})

/**
 * Create and verify the tokens with which a recipient unsubscribes an address, or ends a subscription of a
 * weekly report. They contain no address, because they are part of URLs.
 */
export function createUnsubscribeTokens(settings: TokenSettings): UnsubscribeTokens {
  const signer = createTokenSigner(settings, '/unsubscribe')
  return {
    sign: (addressHash) => signer.sign(addressHash, {}, lifetimeSeconds),
    async verify(token) {
      return Claims.safeParse(await signer.verify(token)).data?.sub ?? null
    },
    signSubscription: ({ accountId, userId, teamId }) =>
      signer.sign([accountId, userId, teamId].join('.'), {}, lifetimeSeconds),
    async verifySubscription(token) {
      const [accountId, userId, teamId] =
        SubscriptionClaims.safeParse(await signer.verify(token)).data?.sub ?? []
      return accountId && userId && teamId ? { accountId, userId, teamId } : null
    },
  }
}
