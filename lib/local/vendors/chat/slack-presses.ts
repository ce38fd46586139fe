import { createHmac, randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import * as z from 'zod'
import { requireThisMachine } from '#local/dashboard/dashboard.ts'
import { parseJsonOrText } from '#local/vendors/parse-json.ts'
import type { Records, RecordTypes } from '#local/vendors/records.ts'
import { parseJson } from '#rules/text/json.ts'
import { findSlackError } from './slack-blocks.ts'

/** How a press arrives: as Slack sends it, or as nobody should. */
const pressModes = ['once', 'twice', 'late', 'forged', 'expired'] as const

const PressInput = z.strictObject({
  /** The Request URL of the app. */
  url: z.url({ protocol: /^https?$/ }),
  secret: z.string().min(1),
  /** The name of the user who presses. */
  user: z.string().regex(/^[\w.-]{1,50}$/),
  team: z
    .string()
    .regex(/^[\w-]{1,50}$/)
    .default('northwind'),
  action: z.string().min(1),
  mode: z.enum(pressModes).default('once'),
})
type PressInput = z.output<typeof PressInput>

// https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
const maxAnswers = 5
const answerMs = 30 * 60_000
const lateSeconds = 6 * 60

interface AnswerAddress {
  messageId: string
  endsAt: number
  uses: number
}

/**
 * Create what the interactivity of Slack adds to its incoming webhooks: `/desk/chat/{id}/press` presses a button
 * of a recorded message as a user, and `/chat/1/actions/{token}` takes the answers. One that replaces the
 * message changes its record.
 */
export function createSlackPressRoutes({ records }: { records: Records }): Hono {
  const app = new Hono()
  const addresses = new Map<string, AnswerAddress>()
  app.post('/desk/chat/:id/press', requireThisMachine, async (c) => {
    const { success, data } = PressInput.safeParse(parseJson(await c.req.text()))
    if (!success) return c.json({ error: 'A press has a url, a secret, a user and an action.' }, 422)
    const message = records.list('chat').find(({ id }) => id === c.req.param('id'))
    const button = message && findButtons(message).find(({ action_id }) => action_id === data.action)
    if (!message || !button) return c.json({ error: 'No such button.' }, 404)
    const token = randomUUID()
    const endsAt = Date.now() + (data.mode === 'expired' ? 0 : answerMs)
    addresses.set(token, { messageId: message.id, endsAt, uses: 0 })
    const responseUrl = `${new URL(c.req.url).origin}/chat/1/actions/${token}`
    const body = writePayload(data, button, message, responseUrl)
    const send = () => sendPress(data, body)
    const answers = [await send(), ...(data.mode === 'twice' ? [await send()] : [])]
    return c.json(answers)
  })
  app.post('/chat/1/actions/:token', async (c, next) => {
    const address = addresses.get(c.req.param('token'))
    if (!address) return next()
    const body = parseJsonOrText(await c.req.text())
    const error = findAnswerError(address, body)
    records.add('chat', { tool: 1, path: c.req.path, body, accepted: error === undefined })
    if (error) return c.json({ ok: false, error }, 404)
    address.uses++
    const message = records.list('chat').find(({ id }) => id === address.messageId)
    if (message && (body as { replace_original?: boolean }).replace_original === true) message.body = body
    return c.text('ok')
  })
  return app
}

function findAnswerError({ endsAt, uses }: AnswerAddress, body: unknown): string | undefined {
  if (Date.now() >= endsAt) return 'expired_url'
  return uses >= maxAnswers ? 'used_url' : findSlackError(body)
}

interface Button {
  type: string
  action_id?: string
  block_id?: string
  value?: string
}

function findButtons({ body }: RecordTypes['chat']): Button[] {
  const { blocks } = (body ?? {}) as { blocks?: { type?: string; elements?: Button[] }[] }
  return (Array.isArray(blocks) ? blocks : [])
    .filter(({ type }) => type === 'actions')
    .flatMap(({ elements = [] }) => elements)
}

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
function writePayload(
  { user, team }: PressInput,
  button: Button,
  { body }: RecordTypes['chat'],
  responseUrl: string,
): string {
  const teamId = `T-${team}`
  const payload = {
    type: 'block_actions',
    user: { id: `U-${user}`, username: user, name: user, team_id: teamId },
    team: { id: teamId, domain: team },
    container: { type: 'message', is_ephemeral: false },
    trigger_id: randomUUID(),
    response_url: responseUrl,
    message: body,
    actions: [{ ...button, action_ts: String(Date.now() / 1000) }],
  }
  return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
async function sendPress({ url, secret, mode }: PressInput, body: string) {
  const timestamp = Math.floor(Date.now() / 1000) - (mode === 'late' ? lateSeconds : 0)
  const key = mode === 'forged' ? `${secret}x` : secret
  const signature = createHmac('sha256', key).update(`v0:${timestamp}:${body}`).digest('hex')
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': `v0=${signature}`,
    },
    body,
  })
  return { status: response.status, body: parseJsonOrText(await response.text()) }
}
