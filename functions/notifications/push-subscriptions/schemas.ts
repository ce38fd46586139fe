import * as z from 'zod'
import { Id, idParams, Secret, Time } from '#http/fields.ts'

export const PushSubscriptionId = idParams('subscription_id', 'subscription')

export const PushSubscription = z
  .strictObject({
    id: Id,
    user_agent: z.string().describe('The User-Agent header of the browser.'),
    current: z.boolean().describe('Whether it is the browser of this request.'),
    created_at: Time,
  })
  .meta({ id: 'PushSubscriptionResponse' })
export type PushSubscription = z.infer<typeof PushSubscription>

export const PushSubscriptions = z
  .strictObject({
    application_server_key: z
      .string()
      .describe('The `applicationServerKey` for `pushManager.subscribe`.')
      .meta({
        example: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
      }),
    subscriptions: z.array(PushSubscription).describe('My browsers, the newest first.'),
  })
  .meta({ id: 'PushSubscriptionListResponse' })
export type PushSubscriptions = z.infer<typeof PushSubscriptions>

/** What `PushSubscription.toJSON()` returns: https://www.w3.org/TR/push-api/#dom-pushsubscription-tojson */
export const PushSubscriptionCreate = z
  .strictObject({
    endpoint: Secret.min(1).max(1000).describe('The https address at the push service of the browser.').meta({
      example: 'https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV',
    }),
    expirationTime: z
      .number()
      .nullable()
      .optional()
      .describe('When the browser ends it. The push service says so as well.')
      .meta({ example: null }),
    keys: z
      .strictObject({
        p256dh: Secret.regex(/^[\w-]{87}$/, 'must be 65 bytes in base64url')
          .describe('The public key of the browser.')
          .meta({
            example:
              'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
          }),
        auth: Secret.regex(/^[\w-]{22}$/, 'must be 16 bytes in base64url')
          .describe('The secret of the browser.')
          .meta({ example: 'BTBZMqHH6r4Tts7J_aSIgg' }),
      })
      .describe('What the messages are encrypted with.'),
  })
  .meta({ id: 'PushSubscriptionCreate' })
export type PushSubscriptionCreate = z.infer<typeof PushSubscriptionCreate>
