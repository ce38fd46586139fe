import * as z from 'zod'
import { createTokenSigner, type TokenSettings } from './jwt.ts'

const Claims = z.object({
  sub: z.uuid(),
  user: z.uuid(),
  account: z.uuid(),
  address: z.string(),
  reviewed: z.string().nullable(),
})

/** What a link in a message about reviews confirms, and for whom. */
export interface ReviewLink {
  treeId: string
  accountId: string
  /** Whom the message was sent to. Nobody else's review is recorded by the link. */
  userId: string
  /** The hash of the address that the message was sent to: the link ends when its person gives that up. */
  addressHash: string
  /** When the flow was last reviewed, or null: the link works until it is reviewed again. */
  reviewedAt: string | null
}

export interface ReviewTokens {
  /**
   * Sign a link. The same arguments give the same token, because a repeated call to the mail provider must be
   * the same.
   */
  sign(link: ReviewLink, announcedAt: Date): Promise<string>
  /** Return what a link confirms, or null when the token is not ours or was changed. */
  verify(token: string): Promise<ReviewLink | null>
}

/** A second message with new links follows after a week; a link may be found in a mailbox later. */
const lifetimeSeconds = 90 * 24 * 3600

/** Create and verify the tokens with which one person confirms one flow without a sign-in. */
export function createReviewTokens(settings: TokenSettings): ReviewTokens {
  const signer = createTokenSigner(settings, '/review')
  return {
    sign: ({ treeId, accountId, userId, addressHash, reviewedAt }, announcedAt) =>
      signer.sign(
        treeId,
        { user: userId, account: accountId, address: addressHash, reviewed: reviewedAt },
        lifetimeSeconds,
        announcedAt,
      ),
    async verify(token) {
      const { data } = Claims.safeParse(await signer.verify(token))
      return data
        ? {
            treeId: data.sub,
            userId: data.user,
            accountId: data.account,
            addressHash: data.address,
            reviewedAt: data.reviewed,
          }
        : null
    },
  }
}
