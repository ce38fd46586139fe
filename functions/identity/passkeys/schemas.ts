import * as z from 'zod'
import { Id, idParams, Name, Secret, Time } from '#http/fields.ts'

export const PasskeyId = idParams('passkey_id', 'passkey')

export const Passkey = z
  .strictObject({
    id: Id,
    name: z.string().describe('The name that the user chose.').meta({ example: 'Laptop' }),
    created_at: Time,
    last_used_at: Time.nullable().describe('When it last signed in.'),
  })
  .meta({ id: 'PasskeyResponse' })
export type Passkey = z.infer<typeof Passkey>

export const PasskeyName = z
  .strictObject({ name: Name.describe('A name to recognise it.').meta({ example: 'Laptop' }) })
  .meta({ id: 'PasskeyUpdate' })

export const Options = z.record(z.string(), z.unknown()).meta({
  id: 'PasskeyOptions',
  description: 'Options for the browser, in the JSON form of WebAuthn.',
  example: { challenge: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU' },
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

export const RegistrationBody = z
  .strictObject({
    name: Name.describe('A name to recognise it.').meta({ example: 'Laptop' }),
    credential: Credential.meta({
      example: {
        id: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
        rawId: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
          attestationObject: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
        },
      },
    }),
  })
  .meta({ id: 'PasskeyCreate' })

export const Registered = z
  .strictObject({
    passkey: Passkey.describe('The new passkey.'),
    recovery_codes: z
      .array(Secret)
      .describe('New recovery codes, if this is the first second factor. They are not shown again.'),
  })
  .meta({ id: 'PasskeyCreateResponse' })

export const SignInBody = z
  .strictObject({
    passkey: Credential.meta({
      example: {
        id: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
        rawId: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
        type: 'public-key',
        clientExtensionResults: {},
        response: {
          clientDataJSON: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
          authenticatorData: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
          signature: 'Zk1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQoWiU',
        },
      },
    }),
  })
  .meta({ id: 'PasskeySignInRequest' })
