import { createHash, randomUUID } from 'node:crypto'

/** An accepted message. Times are in milliseconds since the epoch, of the moved clock. */
export interface Message {
  messageId: string
  url: string
  method: string
  /** The headers for the destination, with lower-case names. */
  headers: Record<string, string>
  body: string
  queueName?: string
  scheduleId?: string
  label?: string
  maxRetries: number
  timeoutMs: number
  callback?: string
  failureCallback?: string
  deduplicationId?: string
  createdAt: number
  /** The time of the next delivery. */
  notBefore: number
  /** The number of retries so far. */
  retried: number
}

/** Return a request header by its lower-case name. */
export type GetHeader = (name: string) => string | undefined

/** An invalid request. QStash answers it with 400 and this message. */
export class InvalidPublishError extends Error {}

const defaultTimeoutMs = 120_000
const maxBodyBytes = 1024 * 1024

/**
 * Parse a publish request. `headers` contains all its headers with lower-case names, `now` is the time of the
 * moved clock. Throws InvalidPublishError.
 */
export function parseMessage(
  destination: string,
  headers: Record<string, string>,
  body: string,
  now: number,
): Message {
  if (Buffer.byteLength(body) > maxBodyBytes)
    throw new InvalidPublishError('maximum body size of 1048576 bytes exceeded')
  const getHeader: GetHeader = (name) => headers[name]
  const url = parseDestination(destination)
  const timeout = getHeader('upstash-timeout')
  const deduplicationId =
    getHeader('upstash-deduplication-id') ?? contentDeduplicationId(getHeader, url, body)
  return {
    messageId: `msg_${randomUUID().replaceAll('-', '')}`,
    url,
    method: parseMethod(getHeader),
    headers: selectForwardedHeaders(headers),
    body,
    maxRetries: parseRetries(getHeader),
    timeoutMs: timeout ? parseDuration('Upstash-Timeout', timeout) : defaultTimeoutMs,
    createdAt: now,
    notBefore: parseNotBefore(getHeader, now),
    retried: 0,
    ...omitUndefined({
      deduplicationId,
      label: getHeader('upstash-label'),
      callback: getHeader('upstash-callback'),
      failureCallback: getHeader('upstash-failure-callback'),
    }),
  }
}

/** Parse a duration such as `30s`, `500ms`, `1h30m` or plain seconds, and return milliseconds. */
export function parseDuration(name: string, text: string): number {
  const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
  if (/^\d+$/.test(text)) return Number(text) * 1000
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text))
    throw new InvalidPublishError(`${name} is invalid: time: invalid duration "${text}"`)
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0),
    0,
  )
}

/** Parse an absolute http or https URL, which may be percent-encoded. */
export function parseDestination(destination: string): string {
  const url = /^https?%3a/i.test(destination) ? decodeURIComponent(destination) : destination
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
    throw new InvalidPublishError(
      `invalid destination url: endpoint has invalid scheme, add http:// or https:// in front of your url`,
    )
  return url
}

/** Remove undefined values, as exactOptionalPropertyTypes requires. */
export function omitUndefined<T extends Record<string, string | undefined>>(
  fields: T,
): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: string
  }
}

function parseMethod(getHeader: GetHeader): string {
  const method = (getHeader('upstash-method') ?? 'POST').toUpperCase()
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method))
    throw new InvalidPublishError(`invalid method ${method}`)
  return method
}

function parseRetries(getHeader: GetHeader): number {
  const text = getHeader('upstash-retries') ?? '3'
  if (!/^\d{1,4}$/.test(text)) throw new InvalidPublishError(`Upstash-Retries is invalid: ${text}`)
  return Number(text)
}

function parseNotBefore(getHeader: GetHeader, now: number): number {
  const notBefore = getHeader('upstash-not-before')
  if (notBefore !== undefined) {
    if (!/^\d{1,12}$/.test(notBefore))
      throw new InvalidPublishError(`Upstash-Not-Before is invalid: ${notBefore}`)
    return Number(notBefore) * 1000
  }
  const delay = getHeader('upstash-delay')
  return delay === undefined ? now : now + parseDuration('Upstash-Delay', delay)
}

/** Return a deduplication id for the URL and body, if the request asks for content-based deduplication. */
function contentDeduplicationId(getHeader: GetHeader, url: string, body: string): string | undefined {
  if (getHeader('upstash-content-based-deduplication') !== 'true') return undefined
  return createHash('sha256').update(`${url}\n${body}`).digest('hex')
}

function selectForwardedHeaders(headers: Record<string, string>): Record<string, string> {
  const prefix = 'upstash-forward-'
  const forwarded: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith(prefix)) forwarded[name.slice(prefix.length)] = value
  if (headers['content-type']) forwarded['content-type'] ??= headers['content-type']
  return forwarded
}
