import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { Message } from './qstash-message.ts'

export interface Outcome {
  ok: boolean
  status: number | null
  body: string
  headers: Record<string, string[]>
  error: string | null
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** QStash's own signature: HS256 over claims that name the exact url and the body's hash, stamped with real time. */
export function sign(key: string, url: string, body: string): string {
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
  const signed = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}

/** A key that is neither the current nor the next. */
export const forgedKey = (): string => `sig_${randomBytes(24).toString('hex')}`

/** One HTTP call of the destination; never throws. Redirects are not followed and count as failures. */
export async function deliver(message: Message, key: string, stop: AbortSignal): Promise<Outcome> {
  try {
    const response = await fetch(message.url, {
      method: message.method,
      headers: deliveredHeaders(message, key),
      redirect: 'manual',
      signal: AbortSignal.any([stop, AbortSignal.timeout(message.timeoutMs)]),
      ...(message.method === 'GET' ? {} : { body: message.body }),
    })
    const body = await response.text()
    const headers = Object.fromEntries([...response.headers].map(([name, value]) => [name, [value]]))
    return { ok: response.ok, status: response.status, body, headers, error: response.ok ? null : `HTTP ${response.status}` }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
    return { ok: false, status: null, body: '', headers: {}, error: cause || (error instanceof Error ? error.message : String(error)) }
  }
}

function deliveredHeaders(message: Message, key: string): Record<string, string> {
  return {
    ...message.headers,
    'user-agent': 'Upstash-QStash',
    'upstash-signature': sign(key, message.url, message.method === 'GET' ? '' : message.body),
    'upstash-message-id': message.messageId,
    'upstash-retried': String(message.retried),
    'upstash-caller-ip': '127.0.0.1',
    'upstash-region': 'local',
    ...(message.scheduleId ? { 'upstash-schedule-id': message.scheduleId } : {}),
    ...(message.queueName ? { 'upstash-queue-name': message.queueName } : {}),
  }
}
