import { z } from 'zod'
import { Email } from '../../../lib/http/fields.ts'
import { Token } from '../auth/schemas.ts'

export const Provider = z.object({ provider: z.enum(['google', 'microsoft']).describe('The identity provider.') })
export type Provider = z.infer<typeof Provider>['provider']

const exampleState = '4ZkOQ1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQo'

export const Authorization = z
  .strictObject({
    authorization_url: z.string().describe('Where to send the browser.'),
    state: z.string().describe('What the provider will send back; keep it in this browser until then.'),
  })
  .meta({
    id: 'OAuthAuthorizationResponse',
    examples: [
      {
        authorization_url: `https://accounts.google.com/o/oauth2/v2/auth?client_id=1234.apps.example&response_type=code&state=${exampleState}`,
        state: exampleState,
      },
    ],
  })

export const Callback = z
  .strictObject({
    code: z.string().min(1).max(4000).describe('From the address the provider sent the browser to.'),
    state: z.string().min(1).max(500).describe('From there too, once it was found to be the one this browser kept.'),
    account_invite_code: Token.optional().describe(
      "From an invite: a newcomer joins that account, without an account or a trial of one's own.",
    ),
    invited_email: Email.optional().describe('The address the person was invited by: who comes with another is refused.'),
  })
  .meta({ id: 'OAuthCallbackPayload', examples: [{ code: '4/0AX4XfWh-example', state: exampleState }] })
export type Callback = z.infer<typeof Callback>
