import * as z from 'zod'
import { ApiAddress, Id, PhoneNumber, Time } from '#http/fields.ts'
import { refuseRepeats } from '#rules/text/duplicates.ts'
import { phoneProviders } from '#vendors/phone/phone.ts'

/** A number of a phone: https://www.itu.int/rec/T-REC-E.164 */
const Provider = z
  .enum(phoneProviders)
  .meta({ id: 'PhoneProvider' })
  .describe(
    '`twilio`: Twilio, or a gateway with its API. `webhook`: a program of yours, which gets each message as a signed webhook.',
  )
const AllowedPrefixes = z
  .array(z.string().regex(/^\+[1-9]\d{0,6}$/, 'must be the start of a number in E.164, such as +49'))
  .min(1)
  .max(50)
  .superRefine(refuseRepeats())
  .describe('The beginnings of the numbers that may be reached. No other number costs anything.')
  .meta({ example: ['+49', '+43'] })
const DailyLimit = z
  .int()
  .min(1)
  .max(1000)
  .describe('How many messages and calls are sent on a day of the account, repetitions and codes included.')
  .meta({ example: 100 })

const ids = {
  account_sid: z
    .string()
    .regex(/^AC[0-9a-zA-Z]{10,60}$/, 'must be an account SID, which starts with AC')
    .describe('Twilio: the SID of the account.')
    .meta({ example: 'AC00000000000000000000000000000000' }),
  api_key_sid: z
    .string()
    .regex(/^SK[0-9a-zA-Z]{10,60}$/, 'must be the SID of an API key, which starts with SK')
    .describe('Twilio: the SID of an API key; null signs in with the token of the account.')
    .meta({ example: null }),
  sender: PhoneNumber.describe('The number that messages and calls come from; required for Twilio.'),
}

export const PhoneGateway = z
  .strictObject({
    id: Id,
    provider: Provider,
    base_url: z
      .string()
      .describe('Base URL of the API, or the address of the webhook.')
      .meta({ example: 'https://api.twilio.com' }),
    account_sid: ids.account_sid.nullable(),
    api_key_sid: ids.api_key_sid.nullable(),
    sender: ids.sender.nullable(),
    allowed_prefixes: AllowedPrefixes,
    daily_limit: DailyLimit,
    sent_today: z
      .int()
      .describe('How many of them were sent today, in the time zone of the account.')
      .meta({ example: 3 }),
    last_error: z
      .string()
      .nullable()
      .describe('Why the gateway failed last; null after a message that it accepts.'),
    last_error_at: Time.nullable().describe('When that was.'),
    created_at: Time,
    updated_at: Time.describe('When the gateway was last changed.'),
  })
  .meta({ id: 'PhoneGatewayResponse' })
export type PhoneGateway = z.infer<typeof PhoneGateway>

const twilioAddress = 'https://api.twilio.com'

/** What a provider needs, and what it has no use for. */
const secretPatterns = {
  twilio: [/^[\x21-\x7e]{10,200}$/, 'must be the token of the account or the secret of the API key'],
  webhook: [/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'must be whsec_ and 24 to 64 bytes as base64'],
} as const

export const PhoneGatewayPut = z
  .strictObject({
    provider: Provider,
    base_url: ApiAddress.transform((url) => url.replace(/(?<!\/)\/+$/, ''))
      .default(twilioAddress)
      .describe('Base URL of the API of Twilio, by default, or the address of the webhook.'),
    account_sid: ids.account_sid.nullable().default(null),
    api_key_sid: ids.api_key_sid.nullable().default(null),
    secret: z
      .string()
      .max(200)
      .optional()
      .describe(
        'Twilio: the token of the account or the secret of the API key. Webhook: `whsec_` and 24 to 64 bytes as base64, which sign the messages. It is never returned.',
      )
      .meta({ example: 'a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4' }),
    sender: ids.sender.nullable().default(null),
    allowed_prefixes: AllowedPrefixes,
    daily_limit: DailyLimit.default(100),
  })
  .superRefine((gateway, ctx) => {
    const isTwilio = gateway.provider === 'twilio'
    const refuse = (field: string, message: string) =>
      ctx.addIssue({ code: 'custom', path: [field], message })
    if (isTwilio && gateway.account_sid === null) refuse('account_sid', 'is required for twilio')
    if (isTwilio && gateway.sender === null) refuse('sender', 'is required for twilio')
    if (!isTwilio && gateway.base_url === twilioAddress) refuse('base_url', 'is required for a webhook')
    for (const field of ['account_sid', 'api_key_sid'] as const)
      if (!isTwilio && gateway[field] !== null) refuse(field, 'is for twilio only')
    const [pattern, message] = secretPatterns[gateway.provider]
    if (gateway.secret !== undefined && !pattern.test(gateway.secret)) refuse('secret', message)
  })
  .meta({ id: 'PhoneGatewayPut' })
export type PhoneGatewayPut = z.infer<typeof PhoneGatewayPut>
