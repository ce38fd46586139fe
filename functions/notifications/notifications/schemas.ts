import * as z from 'zod'
import { caseFields, Urgency } from '#functions/ai/sessions/schemas.ts'
import { EmailProblem } from '#http/email-problem.ts'
import { Email, Id, idParams, Secret, Time } from '#http/fields.ts'
import { eventKeyList } from '#rules/events/keys.ts'
import { AlertContext } from '#rules/events/webhook-schemas.ts'
import { refuseRepeats } from '#rules/text/duplicates.ts'
import { Uuid } from '#rules/uuid.ts'
import { chatChannels } from '#vendors/chat/chat.ts'
import { configChannels } from '#work/claimed-deliveries.ts'

export const ConfigId = idParams('config_id', 'config')
export const NotificationId = idParams('notification_id', 'notification')
export const DeliveryId = idParams('delivery_id', 'delivery')

const Channel = z
  .enum(configChannels)
  .meta({ id: 'NotificationChannel' })
  .describe(
    `Where notifications are sent. ${chatChannels.map((channel) => `\`${channel}\``).join(', ')}: the webhook of a chat tool. \`email\`: e-mail addresses.`,
  )
export const EventKeyName = z
  .enum(eventKeyList)
  .meta({ id: 'NotificationEventKey' })
  .describe('The kind of event.')

const ConfigProblem = EmailProblem.extend({
  address: z.string().describe('The address.').meta({ example: 'oncall@northwind.example' }),
}).meta({
  id: 'NotificationConfigProblem',
})
export type ConfigProblem = z.infer<typeof ConfigProblem>

export const NotificationConfig = z
  .strictObject({
    id: Id,
    account_id: Id.describe('Id of the account.'),
    channel: Channel,
    webhook_url: z
      .string()
      .nullable()
      .describe('Webhook address of the chat tool. Not used for channel `email`, where it may be null.'),
    email_addresses: z
      .array(z.string())
      .nullable()
      .describe('Recipients of the e-mails. Not used for a chat tool, where it may be null.'),
    events_enabled: z.array(EventKeyName).describe('The events that are sent through this channel.'),
    has_signing_secret: z
      .boolean()
      .describe('Whether messages have buttons that act for whoever presses them.')
      .meta({ example: true }),
    actions_url: z
      .string()
      .nullable()
      .describe('The Request URL for the interactivity of the Slack app; null for another channel.')
      .meta({
        example: 'https://api.supportflow.example/api/v1/chat/01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d77/actions',
      }),
    disconnected_at: Time.nullable().describe(
      'When the chat tool said that the webhook no longer exists; null after a message that it accepts, and for another webhook.',
    ),
    email_problems: z
      .array(ConfigProblem)
      .describe(
        'Addresses that get no e-mails, with the reason. Those that bounced get them again when you save `email_addresses`.',
      ),
    created_at: Time,
  })
  .meta({ id: 'NotificationConfigResponse' })

export const signingMessage = 'can be set for channel chat1_webhook only'

const fields = {
  channel: Channel.meta({ example: 'email' }),
  webhook_url: z
    .string()
    .max(2000)
    .nullable()
    .describe('Absolute https address without credentials on a public host. Required for a chat tool.'),
  signing_secret: Secret.regex(/^[\x21-\x7e]{16,200}$/, 'must be the signing secret of the Slack app')
    .nullable()
    .describe(
      'The signing secret of the Slack app, for channel `chat1_webhook` only. With it, messages have buttons that act for whoever presses them. Only an account admin sets it; another one, or null, ends the links of people to it. It is never returned.',
    )
    .meta({ example: null }),
  email_addresses: z
    .array(Email)
    .min(1)
    .max(20)
    .superRefine(refuseRepeats())
    .nullable()
    .describe('1 to 20 different e-mail addresses. Required for channel `email`.'),
  events_enabled: z
    .array(EventKeyName)
    .superRefine(refuseRepeats())
    .describe('The events that are sent through this channel, each at most once. May be empty.')
    .meta({ example: ['session.escalated', 'psa.push_failed'] }),
}

export const NotificationConfigCreate = z
  .strictObject({
    channel: fields.channel,
    webhook_url: fields.webhook_url.optional(),
    signing_secret: fields.signing_secret.optional(),
    email_addresses: fields.email_addresses.optional(),
    events_enabled: fields.events_enabled.default([]),
  })
  .superRefine((config, ctx) => {
    if (config.signing_secret && config.channel !== 'chat1_webhook')
      ctx.addIssue({ code: 'custom', path: ['signing_secret'], message: signingMessage })
    if (config.channel === 'email') {
      if (!config.email_addresses)
        ctx.addIssue({ code: 'custom', path: ['email_addresses'], message: 'is required for channel email' })
    } else if (!config.webhook_url)
      ctx.addIssue({ code: 'custom', path: ['webhook_url'], message: 'is required for a webhook channel' })
  })
  .meta({ id: 'NotificationConfigCreate' })
export type NotificationConfigCreate = z.infer<typeof NotificationConfigCreate>

export const NotificationConfigUpdate = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'NotificationConfigUpdate' })
export type NotificationConfigUpdate = z.infer<typeof NotificationConfigUpdate>

export const NotificationTestRequest = z
  .strictObject({ config_id: Uuid.describe('Id of the config to test.') })
  .meta({ id: 'NotificationTestRequest' })

export const NotificationTestResponse = z
  .strictObject({
    success: z.boolean().describe('Whether the channel accepted the message.'),
    message: z
      .string()
      .describe('The result as a sentence.')
      .meta({ example: 'The test message was accepted' }),
  })
  .meta({ id: 'NotificationTestResponse' })

export const Delivery = z
  .strictObject({
    id: Id,
    config_id: Id.describe('Id of the config.'),
    event_key: EventKeyName.nullable()
      .describe('The kind of event; null for a test message.')
      .meta({ example: 'session.escalated' }),
    channel: Channel,
    state: z
      .enum(['pending', 'retrying', 'delivered', 'failed'])
      .meta({ id: 'DeliveryState' })
      .describe('The state of the delivery. `failed` is final until it is retried manually.'),
    attempts: z.int().describe('Number of attempts so far.'),
    last_error: z
      .string()
      .nullable()
      .describe('Why the last attempt failed, or whom it left out.')
      .meta({ example: 'The mail provider returned 503' }),
    last_status_code: z
      .int()
      .nullable()
      .describe('The HTTP status of the last attempt; null without a response.')
      .meta({ example: 503 }),
    next_attempt_at: Time.nullable().describe('When the next attempt is due; null when there is none.'),
    delivered_at: Time.nullable().describe('When the channel accepted it.'),
    created_at: Time,
  })
  .meta({ id: 'NotificationDelivery' })

export const EventKeyDescription = z
  .strictObject({
    key: EventKeyName,
    description: z
      .string()
      .describe('When the event happens, and who is notified in the app.')
      .meta({ example: 'A colleague claimed a handoff; the engineer who escalated is notified' }),
  })
  .meta({ id: 'EventKey' })

const EscalationDetails = z.strictObject({
  urgency: Urgency,
  client_name: z.string().nullable().describe('The client’s company.'),
  psa_ticket_id: z.string().nullable().describe('Id of the linked ticket.'),
  reason: z
    .string()
    .describe('Why the session was handed over. This and the next texts have at most 2,000 characters.')
    .meta({ example: 'Needs access to the firewall.' }),
  ...caseFields,
  ...AlertContext,
})

export const Notification = z
  .strictObject({
    id: Id,
    user_id: Id.describe('Id of the recipient.'),
    event_key: EventKeyName,
    title: z.string().describe('Title in one line.').meta({
      example: 'Dana Reyes escalated: VPN drops every few minutes for the whole branch (Ticket #4711)',
    }),
    body: z
      .string()
      .describe('Details, as plain text.')
      .meta({ example: 'VPN drops every few minutes for the whole branch' }),
    link: z
      .string()
      .max(500)
      .nullable()
      .describe('A path of the frontend.')
      .meta({ example: '/pilot/01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d15?pickup=true' }),
    escalation: EscalationDetails.nullable().describe('The details of an escalation; null for other events.'),
    is_read: z.boolean().describe('Whether the recipient has read it.'),
    read_at: Time.nullable().describe('When it was first read.'),
    created_at: Time,
  })
  .meta({ id: 'NotificationResponse' })

export const UnreadCount = z
  .strictObject({ count: z.int().describe('Number of my unread notifications.').meta({ example: 3 }) })
  .meta({ id: 'UnreadCountResponse' })
