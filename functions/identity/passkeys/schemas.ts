import * as z from 'zod'
import { exampleIds, Id, idParams, Name, Time } from '../../../lib/http/fields.ts'
import { exampleToken } from '../auth/schemas.ts'

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

const Base64url = z
  .string()
  .regex(/^[\w-]*$/)
  .max(16_000)

const credentialFields = {
  id: Base64url.min(1).max(1400).describe('The id of the passkey.'),
  rawId: Base64url.min(1).max(1400).describe('The same id.'),
  type: z.literal('public-key').describe('Always `public-key`.'),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}).describe('Ignored.'),
}

const NewCredential = z
  .object({
    ...credentialFields,
    response: z
      .object({
        clientDataJSON: Base64url.min(1).describe('From the browser.'),
        attestationObject: Base64url.min(1).describe('From the browser.'),
        transports: z.array(z.string().max(50)).max(10).optional().describe('From the browser.'),
      })
      .describe('From the browser.'),
  })
  .meta({ id: 'PasskeyRegistration', description: 'What `navigator.credentials.create` returned, as JSON.' })
export type NewCredential = z.output<typeof NewCredential>

const exampleCredential = { id: exampleToken, rawId: exampleToken, type: 'public-key' as const, clientExtensionResults: {} }
export const RegistrationBody = z.strictObject({ name: Name.describe('A name to recognise it.'), credential: NewCredential }).meta({
  id: 'PasskeyCreate',
  examples: [
    { name: 'Laptop', credential: { ...exampleCredential, response: { clientDataJSON: exampleToken, attestationObject: exampleToken } } },
  ],
})

export const Registered = z
  .strictObject({
    passkey: Passkey,
    recovery_codes: z.array(z.string()).describe('New recovery codes, if this is the first second factor. They are not shown again.'),
  })
  .meta({ id: 'PasskeyCreateResponse', examples: [{ passkey: examplePasskey, recovery_codes: ['abcd-efgh-ijkl-mnop'] }] })

export const Assertion = z
  .object({
    ...credentialFields,
    response: z
      .object({
        clientDataJSON: Base64url.min(1).describe('From the browser.'),
        authenticatorData: Base64url.min(1).describe('From the browser.'),
        signature: Base64url.min(1).describe('From the browser.'),
        userHandle: Base64url.nullish()
          .transform((handle) => handle ?? undefined)
          .describe('From the browser.'),
      })
      .describe('From the browser.'),
  })
  .meta({ id: 'PasskeyAssertion', description: 'What `navigator.credentials.get` returned, as JSON.' })
export type Assertion = z.output<typeof Assertion>

export const exampleAssertion = {
  ...exampleCredential,
  response: { clientDataJSON: exampleToken, authenticatorData: exampleToken, signature: exampleToken },
}
export const SignInBody = z
  .strictObject({ passkey: Assertion })
  .meta({ id: 'PasskeySignInRequest', examples: [{ passkey: exampleAssertion }] })
