import * as z from 'zod'
import { Provider } from '#functions/psa/connection/schemas.ts'
import { Secret, Time } from '#http/fields.ts'

export const CallbackParams = z.object({
  provider: Provider.describe('The ticketing system.'),
  token: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .describe('The token of the address.'),
})
export type CallbackParams = z.infer<typeof CallbackParams>

const settings = {
  is_enabled: z.boolean().describe('Whether there is an address for callbacks.'),
  last_received_at: Time.nullable().describe('When the last callback arrived; null before the first.'),
}
export const CallbackSettings = z.strictObject(settings).meta({ id: 'PsaCallbacks' })
export type CallbackSettings = z.infer<typeof CallbackSettings>

export const CallbackAddress = z
  .strictObject({
    url: Secret.describe('The address for the ticketing system. It is returned only once.').meta({
      example:
        'https://api.example.com/api/v1/psa/callbacks/halopsa/Zk3nPq8vT1xYw5LrB7cDf9GhJ2kMnQ4sUvXyZaBcDeF',
    }),
    username: z
      .string()
      .nullable()
      .describe('HaloPSA: user name of the basic authentication; null for ConnectWise, which signs.')
      .meta({ example: 'support-flow' }),
    password: Secret.nullable().describe(
      'HaloPSA: password of the basic authentication. It is returned only once.',
    ),
  })
  .meta({ id: 'PsaCallbackAddress' })
export type CallbackAddress = z.infer<typeof CallbackAddress>

export const Receipt = z
  .strictObject({ queued: z.int().describe('Number of tickets that will be read.') })
  .meta({ id: 'PsaCallbackReceipt' })
