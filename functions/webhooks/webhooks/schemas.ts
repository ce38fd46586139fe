import * as z from 'zod'
import { WebhookDisabledReason } from '#functions/staff/status.ts'
import { Id, InputTime, idParams, Secret, Time } from '#http/fields.ts'
import { webhookEventList } from '#rules/events/webhook-keys.ts'
import { MissedAuditEntries } from '#rules/events/webhook-schemas.ts'
import { refuseRepeats } from '#rules/text/duplicates.ts'
import { Uuid } from '#rules/uuid.ts'

export const WebhookId = idParams('webhook_id', 'webhook')

const WebhookEvent = z.enum(webhookEventList).meta({ id: 'WebhookEvent' }).describe('The kind of event.')

const webhookFields = {
  id: Id,
  url: z
    .string()
    .describe('Where the messages are sent.')
    .meta({ example: 'https://hooks.northwind.example/support-flow' }),
  description: z.string().describe('A note for people.').meta({ example: 'Ticket mirror' }),
  events: z.array(WebhookEvent).describe('The events that are sent.'),
  is_active: z
    .boolean()
    .describe(
      'Whether messages are sent. Events that happen while it is off are not sent later, except that a replay sends entries of the audit log.',
    ),
  disabled_reason: WebhookDisabledReason.nullable().describe(
    'Why the service switched it off. `gone`: the receiver returned 410. `failing`: no success for five days.',
  ),
  failures: z.int().describe('Failed attempts since the last success.'),
  failing_since: Time.nullable().describe('The first of these failures.'),
  missed_audit_entries: MissedAuditEntries,
  previous_secret_until: Time.nullable().describe(
    'Until then the secret before the last rotation also signs.',
  ),
  created_at: Time,
  updated_at: Time,
}

export const Webhook = z.strictObject(webhookFields).meta({ id: 'WebhookResponse' })
export type Webhook = z.infer<typeof Webhook>

export const WebhookWithSecret = z
  .strictObject({
    ...webhookFields,
    secret: Secret.describe('The signing secret, `whsec_…`. It is shown only once.').meta({
      example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    }),
  })
  .meta({ id: 'WebhookWithSecret' })
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>

const Url = z.string().max(2000).describe('Absolute https address without credentials on a public host.')
const Description = z.string().trim().max(200).describe('A note for people.')
const Events = z
  .array(WebhookEvent)
  .min(1)
  .superRefine(refuseRepeats())
  .describe('The events that are sent, each at most once.')

export const WebhookCreate = z
  .strictObject({
    url: Url.meta({ example: 'https://hooks.northwind.example/support-flow' }),
    events: Events,
    description: Description.default('').meta({ example: 'Ticket mirror' }),
  })
  .meta({ id: 'WebhookCreate' })
export type WebhookCreate = z.infer<typeof WebhookCreate>

export const WebhookUpdate = z
  .strictObject({
    url: Url,
    events: Events.meta({ example: ['flow.published'] }),
    description: Description,
    is_active: z
      .boolean()
      .describe('`false` fails the open deliveries. `true` starts again without the failures so far.')
      .meta({ example: true }),
  })
  .partial()
  .meta({ id: 'WebhookUpdate' })
export type WebhookUpdate = z.infer<typeof WebhookUpdate>

export const WebhookTestResult = z
  .strictObject({
    success: z.boolean().describe('Whether the receiver accepted the message.'),
    message: z
      .string()
      .describe('The result as a sentence.')
      .meta({ example: 'The receiver accepted the message' }),
    status: z.int().nullable().describe('The HTTP status; null without a response.').meta({ example: 204 }),
    duration_ms: z.int().nullable().describe('How long the attempt took.').meta({ example: 87 }),
  })
  .meta({ id: 'WebhookTestResult' })
export type WebhookTestResult = z.infer<typeof WebhookTestResult>

const DeliveryState = z
  .enum(['pending', 'retrying', 'delivered', 'failed'])
  .meta({ id: 'DeliveryState' })
  .describe('The state of the delivery. `failed` is final until it is replayed.')

export const DeliveryQuery = z.strictObject({
  state: DeliveryState.optional().describe('Only deliveries in this state.'),
})
export type DeliveryQuery = z.infer<typeof DeliveryQuery>

export const WebhookDelivery = z
  .strictObject({
    id: Id,
    webhook_id: Id.describe('Id of the webhook.'),
    message_id: z
      .string()
      .describe('The header `webhook-id`. It stays the same in every attempt and replay.')
      .meta({ example: 'msg_01934b6e7d1a7c3e9f205b8f0a6c3a03' }),
    type: z
      .enum([...webhookEventList, 'webhook.test'])
      .meta({ id: 'WebhookMessageType' })
      .describe('The kind of event.'),
    state: DeliveryState,
    attempts: z.int().describe('Number of attempts so far.'),
    request_body: z.string().describe('The exact body of the request.').meta({
      example:
        '{"type":"member.joined","timestamp":"2026-11-21T09:30:00.000Z","data":{"user_id":"01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d14","name":"Sam Ortiz","invited_by":"01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d15","team_id":null}}',
    }),
    last_status_code: z
      .int()
      .nullable()
      .describe('The HTTP status of the last attempt; null without a response.')
      .meta({ example: 503 }),
    response_body: z
      .string()
      .nullable()
      .describe('The first 2,048 bytes of the last response, masked.')
      .meta({ example: 'maintenance' }),
    last_error: z
      .string()
      .nullable()
      .describe('Why the last attempt failed.')
      .meta({ example: 'The receiver returned 503' }),
    duration_ms: z.int().nullable().describe('How long the last attempt took.').meta({ example: 41 }),
    last_attempt_at: Time.nullable().describe('When the last attempt ended.'),
    next_attempt_at: Time.nullable().describe('When the next attempt is due; null when there is none.'),
    delivered_at: Time.nullable().describe('When the receiver accepted it.'),
    created_at: Time,
  })
  .meta({ id: 'WebhookDelivery' })
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const WebhookReplay = z
  .strictObject({
    delivery_id: Uuid.describe('Replay this delivery, delivered or failed.'),
    failed_since: InputTime.describe('Replay every failed delivery of an event since this time.').meta({
      example: '2026-11-20T00:00:00.000Z',
    }),
  })
  .partial()
  .refine(({ delivery_id, failed_since }) => (delivery_id === undefined) !== (failed_since === undefined), {
    message: 'must have either delivery_id or failed_since',
  })
  .meta({ id: 'WebhookReplay' })
export type WebhookReplay = z.infer<typeof WebhookReplay>

export const WebhookReplayResult = z
  .strictObject({
    queued: z
      .int()
      .describe(
        'Deliveries that are sent again. Not those that are open or were replayed in the last 10 seconds.',
      )
      .meta({ example: 3 }),
  })
  .meta({ id: 'WebhookReplayResult' })
