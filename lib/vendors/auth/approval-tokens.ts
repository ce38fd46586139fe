import * as z from 'zod'
import { createTokenSigner, type TokenSettings } from './jwt.ts'

const Claims = z.object({
  sub: z.uuid(),
  user: z.uuid(),
  account: z.uuid(),
  address: z.string(),
  digest: z.string(),
  decision: z.enum(['approved', 'rejected']),
})

/** What a link in a message about an approval decides, and for whom. */
export interface ApprovalLink {
  approvalId: string
  accountId: string
  /** The approver whom the message was sent to. Nobody else's decision is recorded by the link. */
  userId: string
  /** The hash of the address that the message was sent to: the link ends when its person gives that up. */
  addressHash: string
  /** The digest of what the approver read. */
  digest: string
  decision: 'approved' | 'rejected'
}

export interface ApprovalTokens {
  /**
   * Sign a link. The same arguments give the same token, because a repeated call to the mail provider must be
   * the same.
   */
  sign(link: ApprovalLink, requestedAt: Date): Promise<string>
  /** Return what a link decides, or null when the token is not ours or was changed. */
  verify(token: string): Promise<ApprovalLink | null>
}

/**
 * A request ends after at most a week, which the database decides. The token lives longer, so that a late
 * click is told that the request has expired, not that its link is wrong.
 */
const lifetimeSeconds = 30 * 24 * 3600

/**
 * Create and verify the tokens with which an approver decides one request without a sign-in. They give no
 * other right.
 */
export function createApprovalTokens(settings: TokenSettings): ApprovalTokens {
  const signer = createTokenSigner(settings, '/approval')
  return {
    sign: ({ approvalId, userId, accountId, addressHash, digest, decision }, requestedAt) =>
      signer.sign(
        approvalId,
        { user: userId, account: accountId, address: addressHash, digest, decision },
        lifetimeSeconds,
        requestedAt,
      ),
    async verify(token) {
      const { data } = Claims.safeParse(await signer.verify(token))
      return data
        ? {
            approvalId: data.sub,
            userId: data.user,
            accountId: data.account,
            addressHash: data.address,
            digest: data.digest,
            decision: data.decision,
          }
        : null
    },
  }
}
