import { base64url } from 'jose'
import * as z from 'zod'

export interface StoredPasskey {
  credential_id: string
  /** COSE key, in base64url. */
  public_key: string
  counter: number
}

export interface NewPasskey extends StoredPasskey {
  transports: string[]
}

const Base64url = z
  .string()
  .min(1)
  .max(16_000)
  .regex(/^[\w-]+$/)
const credentialFields = {
  id: Base64url.max(1400),
  rawId: Base64url.max(1400),
  type: z.literal('public-key'),
  clientExtensionResults: z.unknown().transform(() => ({})),
}
/**
 * What `navigator.credentials.create` returns, as JSON.
 * https://www.w3.org/TR/webauthn-3/#dictdef-registrationresponsejson
 */
const Registration = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: Base64url,
    attestationObject: Base64url,
    transports: z.array(z.string().max(50)).max(10).default([]),
  }),
})
/**
 * What `navigator.credentials.get` returns, as JSON.
 * https://www.w3.org/TR/webauthn-3/#dictdef-authenticationresponsejson
 */
const Assertion = z.object({
  ...credentialFields,
  response: z.object({
    clientDataJSON: Base64url,
    authenticatorData: Base64url,
    signature: Base64url,
    userHandle: Base64url.nullish(),
  }),
})
export type Registration = z.output<typeof Registration>
export type Assertion = z.output<typeof Assertion>

/** Read what a client sent. Return null for a malformed registration. */
export function parseRegistration(credential: unknown): Registration | null {
  return Registration.safeParse(credential).data ?? null
}

/** Read what a client sent. Return null for a malformed assertion. */
export function parseAssertion(credential: unknown): Assertion | null {
  return Assertion.safeParse(credential).data ?? null
}

/** Registers and verifies passkeys for one domain. A failed check is null and never throws. */
export interface Passkeys {
  createRegistrationOptions(
    user: { id: string; email: string; fullName: string },
    existingIds: string[],
    challenge: string,
  ): Promise<object>
  verifyRegistration(registration: Registration, challenge: string): Promise<NewPasskey | null>
  createSignInOptions(challenge: string): Promise<object>
  /** Return the new counter. */
  verifySignIn(assertion: Assertion, challenge: string, passkey: StoredPasskey): Promise<number | null>
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
export function readUserHandle({ response }: Assertion): string | null {
  try {
    return response.userHandle ? new TextDecoder().decode(base64url.decode(response.userHandle)) : null
  } catch {
    return ''
  }
}
