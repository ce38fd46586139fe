import * as z from 'zod'
import { Scope } from '#functions/accounts/api-keys/schemas.ts'
import { ClientId } from '#functions/oauth/requests.ts'

export const ClientParams = z.object({ client_id: ClientId.describe('The `client_id` of the program.') })

export const ClientQuery = z.strictObject({
  scope: z
    .string()
    .max(2000)
    .optional()
    .describe(
      'The `scope` in the address of the page: what the program asks for. By default what reading needs.',
    )
    .meta({ example: 'flows:read psa:write' }),
})

const RequestedScope = z
  .strictObject({
    scope: Scope.describe('The scope, to be sent with the consent.'),
    title: z.string().describe('What the person agrees to, in words.').meta({ example: 'Read flows' }),
    is_preselected: z
      .boolean()
      .describe(
        'Whether the page may tick it. Scopes that change something, or are for everything, are left to the person.',
      )
      .meta({ example: true }),
  })
  .meta({ id: 'RequestedScope' })

export const OAuthClient = z
  .strictObject({
    id: z.string().describe('The `client_id` of the program.').meta({ example: 'k3Wm7hQ2ZbX0aPq9LrT1vw' }),
    name: z
      .string()
      .describe('The name that the program gave itself.')
      .meta({ example: 'Helpdesk assistant' }),
    redirect_hosts: z
      .array(z.string())
      .describe('Where the browser may continue: hosts, or the scheme of a program on the device.')
      .meta({ example: ['assistant.example'] }),
    scopes: z.array(RequestedScope).describe('The requested scopes: reading first, the broad ones last.'),
  })
  .meta({ id: 'OAuthClient' })

export const ConsentCreate = z
  .strictObject({
    client_id: ClientId.describe('The program.').meta({ example: 'k3Wm7hQ2ZbX0aPq9LrT1vw' }),
    redirect_uri: z
      .string()
      .max(500)
      .describe(
        'One of the addresses that the program has registered, exactly; one on this machine may have another port.',
      )
      .meta({ example: 'https://assistant.example/callback' }),
    scopes: z
      .array(Scope)
      .min(1)
      .max(50)
      .transform((scopes) => [...new Set(scopes)])
      .describe('What the person agrees to.'),
    code_challenge: z
      .string()
      .regex(/^[\w-]{43}$/)
      .describe('The S256 code challenge of the program (PKCE).')
      .meta({ example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' }),
    state: z.string().max(2000).optional().describe('The `state` of the program.').meta({ example: 'xyz' }),
  })
  .meta({ id: 'ConsentCreate' })
export type ConsentCreate = z.infer<typeof ConsentCreate>

export const Consent = z
  .strictObject({
    redirect_to: z
      .string()
      .describe('Where to send the browser.')
      .meta({ example: 'https://assistant.example/callback?code=…&state=xyz' }),
  })
  .meta({ id: 'Consent' })
