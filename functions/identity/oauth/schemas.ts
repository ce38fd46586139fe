import * as z from 'zod'
import { Token } from '#functions/identity/auth/schemas.ts'
import { Email } from '#http/fields.ts'

export const IdentityProvider = z.enum(['google', 'microsoft']).meta({ id: 'IdentityProvider' })
export const Provider = z.object({ provider: IdentityProvider.describe('The identity provider.') })
export type Provider = z.infer<typeof Provider>['provider']

export const Authorization = z
  .strictObject({
    authorization_url: z.string().describe('The address to send the browser to.').meta({
      example:
        'https://accounts.google.com/o/oauth2/v2/auth?client_id=1234.apps.example&response_type=code&state=4ZkOQ1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQo',
    }),
    state: z
      .string()
      .describe(
        'A random value that the provider sends back in its redirect. Store it in this browser until then.',
      )
      .meta({ example: '4ZkOQ1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQo' }),
  })
  .meta({ id: 'OAuthAuthorizationResponse' })

export const Callback = z
  .strictObject({
    code: z
      .string()
      .min(1)
      .max(4000)
      .describe('The code in the address that the provider redirects the browser to.')
      .meta({ example: '4/0AX4XfWh-example' }),
    state: z
      .string()
      .min(1)
      .max(500)
      .describe('The state in that address. Check first that it equals the one stored in this browser.')
      .meta({ example: '4ZkOQ1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQo' }),
    account_invite_code: Token.optional().describe(
      "The code of an account's invite. A new user joins that account; no account is created.",
    ),
    invited_email: Email.optional().describe(
      'The invited e-mail address. An identity with another address is refused: 400 `invite_email_mismatch`.',
    ),
  })
  .meta({ id: 'OAuthCallbackPayload' })
export type Callback = z.infer<typeof Callback>
