import * as z from 'zod'
import { createTokenSigner, type TokenSettings } from './jwt.ts'

/** A device on which a user has signed in with the password. */
export interface Device {
  id: string
  userId: string
  /**
   * `passwords.device_generation` when the token was signed. The token is valid while the user's number is
   * the same.
   */
  generation: number
}

export interface DeviceTokens {
  sign(device: Device): Promise<string>
  /** Return the device of a token, or null when it is not ours, was changed or has expired. */
  verify(token: string): Promise<Device | null>
}

const lifetimeSeconds = 180 * 86_400
const Claims = z.object({ sub: z.uuid(), dev: z.uuid(), gen: z.int().min(0) })

/**
 * Create and verify the tokens that prove an earlier sign-in on a device. They give attempts of their own and
 * no other right.
 */
export function createDeviceTokens(settings: TokenSettings): DeviceTokens {
  const signer = createTokenSigner(settings, '/device')
  return {
    sign: ({ id, userId, generation }) => signer.sign(userId, { dev: id, gen: generation }, lifetimeSeconds),
    async verify(token) {
      const { data: claims } = Claims.safeParse(await signer.verify(token))
      return claims ? { id: claims.dev, userId: claims.sub, generation: claims.gen } : null
    },
  }
}
