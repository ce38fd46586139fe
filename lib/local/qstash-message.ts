import { createHash, randomUUID } from 'node:crypto'

export interface Message {
  messageId: string
  url: string
  method: string
  /** What the destination gets, names in lower case. */
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
  notBefore: number
  retried: number
}

/** A request's header, by lower-case name. */
export type HeaderSource = (name: string) => string | undefined

/** What QStash answers with 400 and the text as `error`. */
export class BadPublish extends Error {}

const defaultTimeoutMs = 120_000
const maxBodyBytes = 1024 * 1024

/** Reads a publish request; `headers` are all of its headers by lower-case name, `now` the moved clock. Throws BadPublish. */
export function readMessage(destination: string, headers: Record<string, string>, body: string, now: number): Message {
  if (Buffer.byteLength(body) > maxBodyBytes) throw new BadPublish('maximum body size of 1048576 bytes exceeded')
  const header: HeaderSource = (name) => headers[name]
  const url = readDestination(destination)
  const deduplicationId = header('upstash-deduplication-id') ?? contentDeduplication(header, url, body)
  return {
    messageId: `msg_${randomUUID().replaceAll('-', '')}`,
    url,
    method: readMethod(header),
    headers: forwarded(headers),
    body,
    maxRetries: readRetries(header),
    timeoutMs: header('upstash-timeout') ? readDuration('Upstash-Timeout', header('upstash-timeout') ?? '') : defaultTimeoutMs,
    createdAt: now,
    notBefore: readNotBefore(header, now),
    retried: 0,
    ...present({
      deduplicationId,
      label: header('upstash-label'),
      callback: header('upstash-callback'),
      failureCallback: header('upstash-failure-callback'),
    }),
  }
}

/** `30s`, `2m`, `1h`, `1d`, `500ms`, several of them joined, or bare seconds, in milliseconds. */
export function readDuration(name: string, text: string): number {
  const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
  if (/^\d+$/.test(text)) return Number(text) * 1000
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) throw new BadPublish(`${name} is invalid: time: invalid duration "${text}"`)
  return [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0),
    0,
  )
}

/** An absolute http or https URL, given as it is or percent-encoded. */
export function readDestination(destination: string): string {
  const url = /^https?%3a/i.test(destination) ? decodeURIComponent(destination) : destination
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url))
    throw new BadPublish(`invalid destination url: endpoint has invalid scheme, add http:// or https:// in front of your url`)
  return url
}

/** The exact `undefined`s left out, as exactOptionalPropertyTypes wants it. */
export function present<T extends Record<string, string | undefined>>(fields: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: string }
}

function readMethod(header: HeaderSource): string {
  const method = (header('upstash-method') ?? 'POST').toUpperCase()
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) throw new BadPublish(`invalid method ${method}`)
  return method
}

function readRetries(header: HeaderSource): number {
  const text = header('upstash-retries') ?? '3'
  if (!/^\d{1,4}$/.test(text)) throw new BadPublish(`Upstash-Retries is invalid: ${text}`)
  return Number(text)
}

function readNotBefore(header: HeaderSource, now: number): number {
  const at = header('upstash-not-before')
  if (at !== undefined) {
    if (!/^\d{1,12}$/.test(at)) throw new BadPublish(`Upstash-Not-Before is invalid: ${at}`)
    return Number(at) * 1000
  }
  const delay = header('upstash-delay')
  return delay === undefined ? now : now + readDuration('Upstash-Delay', delay)
}

function contentDeduplication(header: HeaderSource, url: string, body: string): string | undefined {
  if (header('upstash-content-based-deduplication') !== 'true') return undefined
  return createHash('sha256').update(`${url}\n${body}`).digest('hex')
}

function forwarded(headers: Record<string, string>): Record<string, string> {
  const prefix = 'upstash-forward-'
  const sent: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) if (name.startsWith(prefix)) sent[name.slice(prefix.length)] = value
  if (headers['content-type']) sent['content-type'] ??= headers['content-type']
  return sent
}
