import * as z from 'zod'
import { webhookEvents } from '#rules/events/webhook-keys.ts'
import { type WebhookType, webhookData } from '#rules/events/webhook-schemas.ts'
import { type JsonComponents, toPascalCase } from './components.ts'
import type { Json } from './json.ts'

const headers = [
  ['webhook-id', 'Identifies the message. The same in every attempt: ignore an id that you have seen.'],
  ['webhook-timestamp', 'Unix time of the attempt in seconds. Refuse one that is more than 5 minutes off.'],
  [
    'webhook-signature',
    '`v1,` and the base64 of HMAC-SHA256 over `{id}.{timestamp}.{body}`; two, with a space between, after a rotation.',
  ],
] as const

const answers = [
  ['2XX', 'WebhookAccepted', 'Accepted.'],
  ['410', 'WebhookEnded', 'Switches the webhook off.'],
  ['default', 'WebhookFailed', 'Repeated later, also without an answer within 15 seconds.'],
] as const

/** Return the `webhooks` of the document: each message that webhooks receive. */
export function describeWebhooks(components: JsonComponents): Record<string, Json> {
  const descriptions: Record<WebhookType, string> = {
    ...webhookEvents,
    'webhook.test': 'A test message, sent on request',
  }
  const parameters = headers.map(([name, description]) =>
    components.parameter(
      { name, in: 'header', required: true, description, schema: { type: 'string' } },
      'webhooks',
    ),
  )
  const responses = Object.fromEntries(
    answers.map(([status, name, description]) => [status, components.response(name, { description })]),
  )
  return Object.fromEntries(
    Object.entries(webhookData).map(([type, data]) => {
      const summary = descriptions[type as WebhookType]
      const requestBody = {
        required: true,
        content: { 'application/json': components.content(toMessage(type, data), 'output') },
      }
      return [
        type,
        {
          post: {
            operationId: `webhook.${type}`,
            summary,
            tags: ['webhooks'],
            security: [],
            parameters,
            requestBody,
            responses,
          },
        },
      ]
    }),
  )
}

function toMessage(type: string, data: z.ZodObject): z.ZodObject {
  const timestamp = z.iso
    .datetime({ precision: 3 })
    .meta({ id: 'WebhookTimestamp' })
    .describe('When the event happened.')
  const literal = z.literal(type).describe('The event.')
  return z
    .strictObject({ type: literal, timestamp, data: data.describe('What happened.') })
    .meta({ id: `Webhook${toPascalCase(type)}` })
}
