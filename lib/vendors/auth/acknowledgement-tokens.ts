import * as z from 'zod'
import { createTokenSigner, type TokenSettings } from './jwt.ts'

export interface AcknowledgementTokens {
  /**
   * Sign the link in a delivery. The same arguments give the same token, because a repeated call to the mail
   * provider must be the same.
   */
  sign(deliveryId: string, sentAt: Date): Promise<string>
  /** Return the id of the delivery, or null when the token is not ours, was changed or has expired. */
  verify(token: string): Promise<string | null>
}

const lifetimeSeconds = 24 * 3600
const Claims = z.object({ sub: z.uuid() })

/**
 * Create and verify the tokens with which the receiver of a reminder acknowledges an escalation. They give no
 * other right.
 */
export function createAcknowledgementTokens(settings: TokenSettings): AcknowledgementTokens {
  const signer = createTokenSigner(settings, '/acknowledge')
  return {
    sign: (deliveryId, sentAt) => signer.sign(deliveryId, {}, lifetimeSeconds, sentAt),
    async verify(token) {
      return Claims.safeParse(await signer.verify(token)).data?.sub ?? null
    },
  }
}
