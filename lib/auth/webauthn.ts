import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { base64url } from 'jose'

/** A passkey as it is stored. */
export interface StoredPasskey {
  credential_id: string
  /** COSE key, in base64url. */
  public_key: string
  counter: number
}

export interface NewPasskey extends StoredPasskey {
  transports: string[]
}

/** Registers and verifies passkeys for one domain. Responses come from clients, so a failed check is null and never throws. */
export interface Passkeys {
  createRegistrationOptions(
    user: { id: string; email: string; fullName: string },
    existingIds: string[],
    challenge: string,
  ): Promise<object>
  verifyRegistration(response: RegistrationResponseJSON, challenge: string): Promise<NewPasskey | null>
  createSignInOptions(challenge: string): Promise<object>
  /** Return the new counter. */
  verifySignIn(response: AuthenticationResponseJSON, challenge: string, passkey: StoredPasskey): Promise<number | null>
}

// Loaded on first use, because most requests do without its parsers of certificates.
const loadLibrary = () => import('@simplewebauthn/server')

/** Create the port for pages of `origin`. `rpId` is its domain or a parent domain. */
export function createPasskeys({ rpId, origin }: { rpId: string; origin: string }): Passkeys {
  const expected = { expectedOrigin: origin, expectedRPID: rpId, requireUserVerification: true }
  return {
    async createRegistrationOptions({ id, email, fullName }, existingIds, challenge) {
      const { generateRegistrationOptions } = await loadLibrary()
      return generateRegistrationOptions({
        rpName: 'Support Flow',
        rpID: rpId,
        userID: toHandle(id),
        userName: email,
        userDisplayName: fullName,
        challenge: decode(challenge),
        excludeCredentials: existingIds.map((credentialId) => ({ id: credentialId })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
    },
    async verifyRegistration(response, challenge) {
      const { verifyRegistrationResponse } = await loadLibrary()
      const result = await verifyRegistrationResponse({ response, expectedChallenge: challenge, ...expected }).catch(() => null)
      if (!result?.verified) return null
      const { id, publicKey, counter, transports = [] } = result.registrationInfo.credential
      return { credential_id: id, public_key: base64url.encode(publicKey), counter, transports: [...transports] }
    },
    async createSignInOptions(challenge) {
      const { generateAuthenticationOptions } = await loadLibrary()
      return generateAuthenticationOptions({ rpID: rpId, challenge: decode(challenge), userVerification: 'required' })
    },
    async verifySignIn(response, challenge, { credential_id: id, public_key, counter }) {
      const { verifyAuthenticationResponse } = await loadLibrary()
      const credential = { id, publicKey: decode(public_key), counter }
      const result = await verifyAuthenticationResponse({ response, expectedChallenge: challenge, credential, ...expected }).catch(
        () => null,
      )
      return result?.verified ? result.authenticationInfo.newCounter : null
    },
  }
}

/** Return the challenge that a response answers, in base64url; an empty text if it has none. */
export function readChallenge({ response }: { response: { clientDataJSON: string } }): string {
  try {
    const { challenge } = JSON.parse(new TextDecoder().decode(base64url.decode(response.clientDataJSON)))
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

/** Return the id of the user whose passkey answered, or null if the authenticator does not say. */
export function readUserHandle({ response }: AuthenticationResponseJSON): string | null {
  try {
    return response.userHandle ? new TextDecoder().decode(decode(response.userHandle)) : null
  } catch {
    return ''
  }
}

function toHandle(userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(userId))
}

const decode = (text: string) => new Uint8Array(base64url.decode(text))
