import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { Message } from './qstash-message.ts'

/** The outcome of one delivery attempt. `status` is null when the destination did not respond. */
export interface DeliveryOutcome {
  ok: boolean
  status: number | null
  body: string
  headers: Record<string, string[]>
  error: string | null
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Sign a delivery as QStash does: a JWT with HS256 whose claims contain the exact URL and the hash of the
 * body. It is issued at real time, because the receiver compares it with its own clock.
 */
export function signMessage(key: string, url: string, body: string): string {
  const now = Math.floor(Date.now() / 1000)
  const hash = createHash('sha256').update(body).digest('base64').replaceAll('+', '-').replaceAll('/', '_')
  const claims = {
    iss: 'Upstash',
    sub: url,
    exp: now + 300,
    nbf: now,
    iat: now,
    jti: `jwt_${randomUUID().replaceAll('-', '')}`,
    body: hash,
  }
  const signedPart = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`
  return `${signedPart}.${createHmac('sha256', key).update(signedPart).digest('base64url')}`
}

/** Create a key that the receiver does not accept. */
export const createForgedKey = (): string => `sig_${randomBytes(24).toString('hex')}`

/** Call the destination of a message. Never throws. A redirect is not followed and counts as a failure. */
export async function deliverMessage(
  message: Message,
  key: string,
  stop: AbortSignal,
): Promise<DeliveryOutcome> {
  try {
    const response = await fetch(message.url, {
      method: message.method,
      headers: buildHeaders(message, key),
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(message.timeoutMs)]),
      ...(message.method === 'GET' ? {} : { body: message.body }),
    })
    const body = await response.text()
    const headers = Object.fromEntries([...response.headers].map(([name, value]) => [name, [value]]))
    return {
      ok: response.ok,
      status: response.status,
      body,
      headers,
      error: response.ok ? null : `HTTP ${response.status}`,
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
    return {
      ok: false,
      status: null,
      body: '',
      headers: {},
      error: cause || (error instanceof Error ? error.message : String(error)),
    }
  }
}

function buildHeaders(message: Message, key: string): Record<string, string> {
  return {
    ...message.headers,
    'user-agent': 'Upstash-QStash',
    'upstash-signature': signMessage(key, message.url, message.method === 'GET' ? '' : message.body),
    'upstash-message-id': message.messageId,
    'upstash-retried': String(message.retried),
    'upstash-caller-ip': '127.0.0.1',
    'upstash-region': 'local',
    ...(message.scheduleId ? { 'upstash-schedule-id': message.scheduleId } : {}),
    ...(message.queueName ? { 'upstash-queue-name': message.queueName } : {}),
  }
}
