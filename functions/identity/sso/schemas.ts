import * as z from 'zod'
import { Callback } from '#functions/identity/oauth/schemas.ts'
import { idParams, TypedEmail } from '#http/fields.ts'

export const SsoAddress = z
  .strictObject({ email: TypedEmail.min(1).describe('The e-mail address of who wants to sign in.') })
  .meta({ id: 'SsoAddress' })

export const SsoLookup = z
  .strictObject({
    sso: z
      .enum(['none', 'optional', 'enforced'])
      .meta({ id: 'SsoLookupMode' })
      .describe('Whether people with addresses of this domain sign in at a provider of their organisation.'),
  })
  .meta({ id: 'SsoLookupResponse' })

export const ConnectionId = idParams('connection_id', 'connection in the address of the callback')
export const SsoCallback = Callback.pick({ code: true, state: true }).meta({ id: 'SsoCallbackPayload' })
export type SsoCallback = z.infer<typeof SsoCallback>
