import * as z from 'zod'
import { Callback, IdentityProvider } from '#functions/identity/oauth/schemas.ts'
import { Time } from '#http/fields.ts'

export const LinkedIdentity = z
  .strictObject({
    provider: IdentityProvider.describe('The identity provider.'),
    created_at: Time.describe('When the identity was linked.'),
  })
  .meta({ id: 'LinkedIdentity', examples: [{ provider: 'google', created_at: '2026-11-21T09:30:00.000Z' }] })

export const LinkCallback = Callback.pick({ code: true, state: true }).meta({
  id: 'LinkCallback',
  examples: [{ code: '4/0AX4XfWh-example', state: '4ZkOQ1h0c3Jv8uY2wq4RmTtN6b9xLpA7sEdFgHjKlQo' }],
})
export type LinkCallback = z.infer<typeof LinkCallback>
