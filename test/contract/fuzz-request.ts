import { randomUUID } from 'node:crypto'
import { type AnyOperation, getMaxBody } from '#http/operation.ts'
import { authorizationHeader, readText, sendHeadersOnly } from '#test/support/app.ts'
import type { Sample } from './fixture-rows.ts'
import type { BodyPlan, FuzzPlan } from './generators.ts'
import type { RawResponse } from './response-check.ts'

/** A complete HTTP request. */
export interface FuzzRequest {
  method: string
  url: string
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | null
  /** Content-Length to announce without sending a body; 0 for none. */
  size: number
}

export interface FuzzContext {
  sample: Sample
  foreign: Sample
  earlier: readonly string[]
  token: string | null
  address: string
}

/** Turn a plan into a request, with the ids and tokens of the run. */
export function toFuzzRequest(
  api: string,
  op: AnyOperation,
  plan: FuzzPlan,
  context: FuzzContext,
): FuzzRequest {
  const params = Object.keys(context.sample.params ?? {}).map(
    (name) => [name, chooseId(plan.ids, name, context)] as const,
  )
  const path = params.reduce(
    (partialPath, [name, id]) => partialPath.replace(`{${name}}`, encodeSegment(id)),
    op.path as string,
  )
  const search = toQuery(plan.query, context.sample)
  const content = context.sample.content
  const body =
    (content && toBytes(plan.body, content.bytes)) ?? toBody(plan.body, replaceBodyIds(plan, context))
  const key: Record<string, string> =
    op.method === 'post' && plan.idempotencyKey !== null
      ? { 'idempotency-key': toHeaderText(plan.idempotencyKey) }
      : {}
  return {
    method: op.method.toUpperCase(),
    url: `${api}/api/v1${path}${search ? `?${search}` : ''}`,
    headers: {
      'cf-connecting-ip': context.address,
      ...(body === null && plan.body.kind !== 'huge' ? {} : { 'content-type': plan.contentType }),
      ...(content && plan.contentType === 'application/json' ? content.headers : {}),
      ...(plan.sender === 'invalidToken'
        ? { authorization: toHeaderText(`Bearer ${plan.token}`) }
        : authorizationHeader(context.token)),
      ...key,
    },
    body,
    size: plan.body.kind === 'huge' ? getMaxBody(op) + 1 : 0,
  }
}

function chooseId(
  { kind, pick, malformed }: FuzzPlan['ids'],
  name: string,
  { sample, foreign, earlier }: FuzzContext,
): string {
  const own = sample.params?.[name] ?? ''
  if (kind === 'earlier') return earlier[pick % Math.max(1, earlier.length)] ?? own
  if (kind === 'foreign') return foreign.params?.[name] ?? own
  if (kind === 'malformed') return malformed || '0'
  return kind === 'random' ? randomUUID() : own
}

/** Encode a path segment. `.` and `..` are replaced, because the client would remove them. */
function encodeSegment(id: string): string {
  const text = encodeURIComponent(id.slice(0, 1000).toWellFormed())
  return /^\.*$/.test(text) ? 'dots' : text
}

/** Replace characters that fetch does not allow in a header value. */
function toHeaderText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a header value must not contain these
  return text.slice(0, 2000).replace(/[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/g, '?')
}

function toQuery({ kind, generated, broken }: FuzzPlan['query'], { query = {} }: Sample): string {
  // Servers in front of the Worker refuse longer URLs.
  if (kind === 'broken') return broken.toWellFormed().slice(0, 8000).replace(/%.?$/, '')
  const values =
    kind === 'generated'
      ? Object.entries(generated).map(([key, value]) => [key, String(value)])
      : Object.entries(query)
  return new URLSearchParams(values).toString()
}

/** Replace the ids in the body by the same rule as those in the path. */
function replaceBodyIds({ ids }: FuzzPlan, context: FuzzContext): Record<string, unknown> | undefined {
  const { body } = context.sample
  if (!body || ids.kind === 'own') return body
  const asParams = {
    ...context,
    sample: { params: body as Record<string, string> },
    foreign: { params: context.foreign.body as Record<string, string> },
  }
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name.endsWith('_id') ? chooseId(ids, name, asParams) : value,
    ]),
  )
}

function toBody(plan: BodyPlan, sample: Record<string, unknown> | undefined): string | null {
  if (plan.kind === 'huge' || plan.kind === 'damaged') return null
  if (plan.kind === 'raw') return plan.text
  if (plan.kind === 'generated') return JSON.stringify(plan.value) ?? null
  if (plan.kind === 'sample') return sample ? JSON.stringify(sample) : null
  const entries = Object.entries(sample ?? {})
  if (plan.kind === 'set')
    return toJsonText([
      ...entries.filter(([name]) => name !== plan.name),
      [plan.name, toValue(plan, sample?.[plan.name])],
    ])
  if (plan.kind === 'extra') return toJsonText([...entries, [plan.name, plan.value]])
  const removed = plan.index % Math.max(1, entries.length)
  return toJsonText(entries.filter((_, index) => index !== removed))
}

function toValue({ value, append }: { value: unknown; append: boolean }, before: unknown): unknown {
  return append && Array.isArray(before) ? [...before, value] : value
}

// Not JSON.stringify of an object, so that `__proto__` stays an ordinary key.
function toJsonText(entries: [string, unknown][]): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`
}

/**
 * Return the sample's bytes: complete, cut off, or with one byte changed. Return undefined for a plan with
 * another body.
 */
function toBytes(plan: BodyPlan, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  if (plan.kind === 'sample') return bytes
  if (plan.kind !== 'damaged') return undefined
  const index = plan.at % Math.max(1, bytes.byteLength)
  if (plan.flip === 0) return bytes.slice(0, index)
  const copy = bytes.slice()
  copy[index] = (copy[index] ?? 0) ^ plan.flip
  return copy
}

export async function sendFuzzRequest({
  method,
  url,
  headers,
  body,
  size,
}: FuzzRequest): Promise<RawResponse> {
  if (size > 0) return sendHeadersOnly(url, method, size, headers)
  const response = await fetch(url, {
    method,
    headers,
    body: method === 'GET' ? null : body,
    redirect: 'manual',
  })
  return { status: response.status, headers: response.headers, text: await readText(method, response) }
}

/** Return the request as a shell command. */
export function toCurl({ method, url, headers, body, size }: FuzzRequest): string {
  const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`
  const parts = Object.entries(headers).map(
    ([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`,
  )
  if (size > 0)
    return `head -c ${size} /dev/zero | curl -i -X ${method} ${quoted(url)} ${parts.join(' ')} --data-binary @-`
  const curl = `curl -i -X ${method} ${quoted(url)} ${parts.join(' ')}`
  if (body instanceof Uint8Array)
    return `base64 -d <<< ${Buffer.from(body).toString('base64')} | ${curl} --data-binary @-`
  // A shell argument cannot contain NUL.
  if (body?.includes('\u0000')) return `printf ${quoted(printf(body))} | ${curl} --data-binary @-`
  return `${curl}${body === null ? '' : ` --data-binary ${quoted(body)}`}`
}

function printf(body: string): string {
  return body.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\u0000', '\\000')
}
