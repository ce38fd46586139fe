import * as z from 'zod'
import { Callback, IdentityProvider } from '#functions/identity/oauth/schemas.ts'
import { Time } from '#http/fields.ts'

export const LinkedIdentity = z
  .strictObject({
    provider: IdentityProvider.describe('The identity provider.'),
    created_at: Time.describe('When the identity was linked.'),
  })
  .meta({ id: 'LinkedIdentity' })

export const LinkCallback = Callback.pick({ code: true, state: true }).meta({ id: 'LinkCallback' })
export type LinkCallback = z.infer<typeof LinkCallback>
