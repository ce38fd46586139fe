import { type Context, Hono } from 'hono'
import type { Clock } from '#local/clock.ts'
import { parseJson } from '#rules/text/json.ts'
import { signWebhook } from '#vendors/webhooks/sign.ts'
import type { Records } from './records.ts'

type Refusal = { statusCode: 400 | 401 | 403 | 404 | 409 | 413 | 422 | 429; name: string; message: string }
type Mail = {
  from: string
  to: string[]
  reply_to: string[]
  subject: string
  html: string | null
  text: string | null
  headers: Record<string, string>
}
/** The response to an idempotency key. `expiresAt` is in milliseconds since the epoch. */
type StoredResponse = { body: string; response: object; expiresAt: number }

const dayMs = 24 * 3600 * 1000
const addressPattern = /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;".]+$/
const maxRecipients = 50
const maxBatch = 100
// An e-mail with its attachments: https://resend.com/docs/dashboard/emails/attachments
const maxBytes = 40 * 1024 * 1024

interface ResendOptions {
  records: Records
  clock: Clock
  key: string
  /** Requests per second that a team may make: https://resend.com/docs/api-reference/rate-limit */
  requestsPerSecond?: number | undefined
  /** Where events go, and the secret that signs them. */
  webhook?: { url: string; secret: string }
}

/**
 * Create Resend's routes for sending one e-mail or a batch. Each accepted e-mail becomes one record on the
 * dashboard.
 */
export function createResendRoutes({
  records,
  clock,
  key,
  requestsPerSecond = 5,
  webhook,
}: ResendOptions): Hono {
  const app = new Hono()
  const storedResponses = new Map<string, StoredResponse>()
  const countRequest = createRateLimit(clock, requestsPerSecond)
  const accept = (mail: Mail, idempotencyKey: string | null) => {
    const { id } = records.add('mail', { ...mail, idempotency_key: idempotencyKey })
    if (webhook) void sendEvents(webhook, mail, id, clock)
    return { id }
  }

  app.use('*', async (c, next) => {
    const authorization = c.req.header('authorization')
    if (!authorization)
      return sendError(c, { statusCode: 401, name: 'missing_api_key', message: 'Missing API Key' })
    if (authorization !== `Bearer ${key}`)
      return sendError(c, { statusCode: 403, name: 'invalid_api_key', message: 'API key is invalid' })
    const { remaining, resetSeconds } = countRequest()
    c.header('ratelimit-limit', String(requestsPerSecond))
    c.header('ratelimit-remaining', String(Math.max(0, remaining)))
    c.header('ratelimit-reset', String(resetSeconds))
    if (remaining >= 0) return next()
    c.header('retry-after', String(resetSeconds))
    return sendError(c, rateLimitExceeded(requestsPerSecond))
  })

  app.post('/emails', (c) =>
    sendIdempotently(c, storedResponses, clock, (body, idempotencyKey) =>
      sendOne(accept, body, idempotencyKey),
    ),
  )
  app.post('/emails/batch', (c) => {
    const strict = c.req.header('x-batch-validation') !== 'permissive'
    return sendIdempotently(c, storedResponses, clock, (body, idempotencyKey) =>
      sendBatch(accept, body, idempotencyKey, strict),
    )
  })
  // https://resend.com/docs/api-reference/webhooks/list-webhooks
  app.get('/webhooks', (c) => {
    const events = ['email.bounced', 'email.complained', 'email.suppressed']
    const data = webhook
      ? [
          {
            id: 'wh_local',
            created_at: '2026-01-01T00:00:00.000Z',
            status: 'enabled',
            endpoint: webhook.url,
            events,
          },
        ]
      : []
    return c.json({ object: 'list', has_more: false, data })
  })
  app.get('/emails/:id', (c) => {
    const mail = records.list('mail').find(({ id }) => id === c.req.param('id'))
    if (!mail) return sendError(c, { statusCode: 404, name: 'not_found', message: 'Email not found' })
    const { at, idempotency_key: _key, trace_id: _trace, ...fields } = mail
    return c.json({ object: 'email', ...fields, created_at: at, last_event: 'delivered' })
  })
  app.all('*', (c) =>
    sendError(c, { statusCode: 404, name: 'not_found', message: 'The requested endpoint does not exist' }),
  )
  return app
}

/**
 * Create a function that counts a request. It returns how many are left in this second, or -1 if the request
 * is refused.
 */
function createRateLimit(clock: Clock, requestsPerSecond: number) {
  let times: number[] = []
  return () => {
    const now = clock.now()
    // Start a new second if the clock was set back.
    times = times.filter((time) => time > now - 1000 && time <= now)
    if (times.length >= requestsPerSecond) return { remaining: -1, resetSeconds: 1 }
    times.push(now)
    return { remaining: requestsPerSecond - times.length, resetSeconds: 1 }
  }
}

const rateLimitExceeded = (requestsPerSecond: number): Refusal => ({
  statusCode: 429,
  name: 'rate_limit_exceeded',
  message: `Too many requests. You can only make ${requestsPerSecond} requests per second. See rate limit response headers for more information.`,
})

/** Send once per idempotency key. For a day, the same key with the same body gets the same response. */
async function sendIdempotently(
  c: Context,
  storedResponses: Map<string, StoredResponse>,
  clock: Clock,
  send: (body: unknown, idempotencyKey: string | null) => object | Refusal,
): Promise<Response> {
  const text = await c.req.text()
  const key = c.req.header('idempotency-key')
  if (key !== undefined && (key.length < 1 || key.length > 256))
    return sendError(c, {
      statusCode: 400,
      name: 'invalid_idempotency_key',
      message: 'The idempotency key must be between 1 and 256 characters.',
    })
  const stored = key === undefined ? undefined : storedResponses.get(`${c.req.path} ${key}`)
  if (stored && stored.expiresAt > clock.now())
    return stored.body === text ? c.json(stored.response) : sendError(c, reusedKey)
  if (Buffer.byteLength(text) > maxBytes)
    return sendError(c, {
      statusCode: 413,
      name: 'validation_error',
      message: 'The request is larger than 40 MB.',
    })
  const body = parseJson(text)
  if (body === undefined) return sendError(c, invalid('The request body is not valid JSON.'))
  const response = send(body, key ?? null)
  if (isRefusal(response)) return sendError(c, response)
  if (key !== undefined)
    storedResponses.set(`${c.req.path} ${key}`, { body: text, response, expiresAt: clock.now() + dayMs })
  return c.json(response)
}

const reusedKey: Refusal = {
  statusCode: 409,
  name: 'invalid_idempotent_request',
  message:
    'This idempotency key has been used with a different request body. Modify your request or your idempotency key.',
}

type Accept = (mail: Mail, idempotencyKey: string | null) => { id: string }

function sendOne(accept: Accept, body: unknown, idempotencyKey: string | null): object | Refusal {
  const mail = parseMail(body)
  return isRefusal(mail) ? mail : accept(mail, idempotencyKey)
}

function sendBatch(
  accept: Accept,
  body: unknown,
  idempotencyKey: string | null,
  strict: boolean,
): object | Refusal {
  if (!Array.isArray(body) || body.length === 0)
    return invalid('The request body must be an array of emails.')
  if (body.length > maxBatch) return invalid(`The batch must hold at most ${maxBatch} emails.`)
  const mails = body.map(parseMail)
  const firstRefusal = mails.find(isRefusal)
  if (strict && firstRefusal) return firstRefusal
  const errors = mails.flatMap((mail, index) => (isRefusal(mail) ? [{ index, message: mail.message }] : []))
  const data = mails.flatMap((mail) => (isRefusal(mail) ? [] : [accept(mail, idempotencyKey)]))
  return strict ? { data } : { data, errors }
}

function parseMail(body: unknown): Mail | Refusal {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return invalid('The request body must be an object.')
  const { from, to, reply_to, subject, html, text, headers } = body as Record<string, unknown>
  for (const [name, value] of Object.entries({ from, to, subject }))
    if (value === undefined || value === null || value === '') return missingField(name)
  if (typeof subject !== 'string' || /[\r\n]/.test(subject))
    return invalid('The `subject` must be a string without line breaks.')
  if (typeof from !== 'string' || !isMailbox(from)) return invalidAddress('from')
  const recipients = typeof to === 'string' ? [to] : to
  if (!isMailboxes(recipients)) return invalidAddress('to')
  if (recipients.length > maxRecipients)
    return invalid(`The \`to\` field must hold at most ${maxRecipients} addresses.`)
  const replyTo = typeof reply_to === 'string' ? [reply_to] : (reply_to ?? [])
  if (!Array.isArray(replyTo) || !replyTo.every(isMailbox)) return invalidAddress('reply_to')
  if (!isText(html) && !isText(text)) return invalid('Missing `html` or `text` field.')
  if (!isHeaders(headers ?? {}))
    return invalid('The `headers` must be an object of strings without line breaks.')
  const parts = {
    html: isText(html) ? html : null,
    text: isText(text) ? text : null,
    headers: (headers ?? {}) as Mail['headers'],
  }
  return { from, to: recipients, reply_to: replyTo, subject, ...parts }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isHeaders = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every((text) => typeof text === 'string' && !/[\r\n]/.test(text))
const isMailboxes = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isMailbox)

/** Check for `email@example.com` or `Name <email@example.com>`, on one line. */
function isMailbox(value: unknown): value is string {
  if (typeof value !== 'string' || /[\r\n]/.test(value)) return false
  return addressPattern.test(/^[^<>]*<([^<>]+)>$/.exec(value)?.[1] ?? value)
}

function missingField(field: string): Refusal {
  return { statusCode: 422, name: 'missing_required_field', message: `Missing \`${field}\` field.` }
}

function invalid(message: string): Refusal {
  return { statusCode: 422, name: 'validation_error', message }
}

function invalidAddress(field: string): Refusal {
  return invalid(
    `Invalid \`${field}\` field. The email address needs to follow the \`email@example.com\` or \`Name <email@example.com>\` format.`,
  )
}

function isRefusal(result: object): result is Refusal {
  return 'statusCode' in result
}

function sendError(c: Context, refusal: Refusal): Response {
  return c.json(refusal, refusal.statusCode)
}

// https://resend.com/docs/dashboard/emails/send-test-emails
const testAddresses: Readonly<Record<string, { type: string; fields: object }>> = {
  'bounced@resend.dev': {
    type: 'email.bounced',
    fields: { bounce: { type: 'Permanent', subType: 'General', message: 'The mailbox does not exist' } },
  },
  'complained@resend.dev': { type: 'email.complained', fields: {} },
  'suppressed@resend.dev': {
    type: 'email.suppressed',
    fields: { suppressed: { type: 'OnAccountSuppressionList', message: 'Suppressed' } },
  },
}

/**
 * Send the events of an e-mail to test addresses. A label, as in `bounced+1@resend.dev`, makes an address of
 * its own.
 */
async function sendEvents(
  { url, secret }: { url: string; secret: string },
  mail: Mail,
  emailId: string,
  clock: Clock,
): Promise<void> {
  for (const to of mail.to) {
    const event = testAddresses[to.toLowerCase().replace(/\+[^@]*@/, '@')]
    if (!event) continue
    const createdAt = new Date(clock.now()).toISOString()
    const data = {
      email_id: emailId,
      created_at: createdAt,
      from: mail.from,
      to: [to],
      subject: mail.subject,
      ...event.fields,
    }
    const { body, headers } = await signMailEvent({ type: event.type, created_at: createdAt, data }, secret)
    await fetch(url, { method: 'POST', headers, body }).catch(() => null)
  }
}

/**
 * Sign an event as Resend does. `signedAt` is in seconds; it is the real time, because the receiver checks
 * its age against its own clock.
 */
export async function signMailEvent(event: object, secret: string, signedAt = Math.floor(Date.now() / 1000)) {
  const [id, body] = [`msg_${crypto.randomUUID()}`, JSON.stringify(event)]
  const signature = await signWebhook({ id, timestamp: signedAt, payload: body }, [secret])
  const headers = {
    'content-type': 'application/json',
    'svix-id': id,
    'svix-timestamp': String(signedAt),
    'svix-signature': signature,
  }
  return { body, headers }
}
