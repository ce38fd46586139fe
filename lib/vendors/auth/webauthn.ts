import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { base64url } from 'jose'
import type { Passkeys } from './passkeys.ts'

/** Create the port for pages of `origin`. `rpId` is its domain or a parent domain. */
export function createWebauthn({ rpId, origin }: { rpId: string; origin: string }): Passkeys {
  const expectedSite = { expectedOrigin: origin, expectedRPID: rpId, requireUserVerification: true }
  return {
    async createRegistrationOptions({ id, email, fullName }, existingIds, challenge) {
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
    async verifyRegistration({ response: { transports, ...response }, ...credential }, challenge) {
      const result = await verifyRegistrationResponse({
        response: { ...credential, response },
        expectedChallenge: challenge,
        ...expectedSite,
      }).catch(() => null)
      if (!result?.verified) return null
      const { id, publicKey, counter } = result.registrationInfo.credential
      return { credential_id: id, public_key: base64url.encode(publicKey), counter, transports }
    },
    async createSignInOptions(challenge) {
      return generateAuthenticationOptions({
        rpID: rpId,
        challenge: decode(challenge),
        userVerification: 'required',
      })
    },
    async verifySignIn(
      { response: { userHandle: _, ...response }, ...answer },
      challenge,
      { credential_id: id, public_key, counter },
    ) {
      const credential = { id, publicKey: decode(public_key), counter }
      const result = await verifyAuthenticationResponse({
        response: { ...answer, response },
        expectedChallenge: challenge,
        credential,
        ...expectedSite,
      }).catch(() => null)
      return result?.verified ? result.authenticationInfo.newCounter : null
    },
  }
}

function toHandle(userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(userId))
}

const decode = (text: string) => new Uint8Array(base64url.decode(text))
