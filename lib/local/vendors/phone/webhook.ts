import { Hono } from 'hono'
import { Webhook } from 'standardwebhooks'
import * as z from 'zod'
import type { Records } from '#local/vendors/records.ts'
import { parseJson } from '#rules/text/json.ts'
import { phoneChannels } from '#vendors/phone/phone.ts'
import { phoneCredentials } from './credentials.ts'

const Message = z.object({
  type: z.literal('phone.message'),
  data: z.object({
    kind: z.enum(phoneChannels),
    to: z.string().regex(/^\+[1-9]\d{6,14}$/),
    from: z.string().nullable(),
    text: z.string().min(1).max(1600),
  }),
})

/** Create a program that takes the messages of a gateway of the provider `webhook`, and checks their signature. */
export function createPhoneWebhookRoutes({ records }: { records: Records }): Hono {
  const app = new Hono()
  const webhook = new Webhook(phoneCredentials.webhookSecret)
  app.post('/', async (c) => {
    const body = await c.req.text()
    const { data: message } = Message.safeParse(parseJson(body))
    if (!isSigned(webhook, body, c.req.header())) return c.json({ error: 'The signature is wrong.' }, 401)
    if (!message) return c.json({ error: 'This is no message to a phone.' }, 422)
    records.add('phone', { provider: 'webhook', ...message.data, refused: undefined })
    return c.body(null, 204)
  })
  return app
}

/** The age of the message does not matter here: a test moves the clock. */
function isSigned(webhook: Webhook, body: string, headers: Record<string, string>): boolean {
  const time = new Date(Number(headers['webhook-timestamp']) * 1000)
  const signatures = (headers['webhook-signature'] ?? '').split(' ')
  return (
    !Number.isNaN(time.getTime()) &&
    signatures.includes(webhook.sign(headers['webhook-id'] ?? '', time, body))
  )
}
