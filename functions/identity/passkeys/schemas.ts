import * as z from 'zod'
import { exampleToken } from '#functions/identity/auth/schemas.ts'
import { exampleIds, Id, idParams, Name, Secret, Time } from '#http/fields.ts'

export const PasskeyId = idParams('passkey_id', 'passkey')

const examplePasskey = {
  id: exampleIds.signIn,
  name: 'Laptop',
  created_at: '2026-11-21T09:30:00.000Z',
  last_used_at: null,
}
export const Passkey = z
  .strictObject({
    id: Id,
    name: z.string().describe('The name that the user chose.'),
    created_at: Time,
    last_used_at: Time.nullable().describe('When it last signed in.'),
  })
  .meta({ id: 'PasskeyResponse', examples: [examplePasskey] })
export type Passkey = z.infer<typeof Passkey>

export const PasskeyName = z
  .strictObject({ name: Name.describe('A name to recognise it.') })
  .meta({ id: 'PasskeyUpdate', examples: [{ name: 'Laptop' }] })

export const Options = z.record(z.string(), z.unknown()).meta({
  id: 'PasskeyOptions',
  description: 'Options for the browser, in the JSON form of WebAuthn.',
  examples: [{ challenge: exampleToken }],
})

/**
 * What the browser returned, as JSON. Its parts are checked with its signature: a malformed one is refused
 * like a wrong one.
 */
export const Credential = z.record(z.string(), z.unknown()).meta({
  id: 'PasskeyCredential',
  description: 'What `navigator.credentials.create` or `get` returned, as JSON.',
})
export type Credential = z.output<typeof Credential>

const exampleCredential = {
  id: exampleToken,
  rawId: exampleToken,
  type: 'public-key' as const,
  clientExtensionResults: {},
}
export const RegistrationBody = z
  .strictObject({ name: Name.describe('A name to recognise it.'), credential: Credential })
  .meta({
    id: 'PasskeyCreate',
    examples: [
      {
        name: 'Laptop',
        credential: {
          ...exampleCredential,
          response: { clientDataJSON: exampleToken, attestationObject: exampleToken },
        },
      },
    ],
  })

export const Registered = z
  .strictObject({
    passkey: Passkey.describe('The new passkey.'),
    recovery_codes: z
      .array(Secret)
      .describe('New recovery codes, if this is the first second factor. They are not shown again.'),
  })
  .meta({
    id: 'PasskeyCreateResponse',
    examples: [{ passkey: examplePasskey, recovery_codes: ['abcd-efgh-ijkl-mnop'] }],
  })

const exampleAssertion = {
  ...exampleCredential,
  response: { clientDataJSON: exampleToken, authenticatorData: exampleToken, signature: exampleToken },
}
export const SignInBody = z
  .strictObject({ passkey: Credential })
  .meta({ id: 'PasskeySignInRequest', examples: [{ passkey: exampleAssertion }] })
