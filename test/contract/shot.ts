import { randomUUID } from 'node:crypto'
import type { AnyOperation } from '../../lib/http/operation.ts'
import { authorizationHeader, readText, sendHeadersOnly } from '../support/app.ts'
import type { Sample } from './fixture-rows.ts'
import type { Body, Plan } from './generators.ts'
import type { Given } from './verdict.ts'

/** A request as it goes over the wire. */
export interface Shot {
  method: string
  url: string
  headers: Record<string, string>
  body: string | Uint8Array<ArrayBuffer> | null
  /** Bytes announced instead of a body. */
  size: number
}

export interface Known {
  sample: Sample
  foreign: Sample
  earlier: readonly string[]
  token: string | null
  address: string
}

const megabyte = 1024 * 1024

/** The request a plan stands for, with what the run knows filled in. */
export function shotOf(api: string, op: AnyOperation, plan: Plan, known: Known): Shot {
  const params = Object.keys(known.sample.params ?? {}).map((name) => [name, idOf(plan.ids, name, known)] as const)
  const path = params.reduce((made, [name, id]) => made.replace(`{${name}}`, segment(id)), op.path as string)
  const search = queryOf(plan.query, known.sample)
  const content = known.sample.content
  const body = (content && bytesOf(plan.body, content.bytes)) ?? bodyOf(plan.body, withBodyIds(plan, known))
  const key = op.method === 'post' && plan.key !== null ? { 'idempotency-key': headerText(plan.key) } : {}
  return {
    method: op.method.toUpperCase(),
    url: `${api}/api/v1${path}${search ? `?${search}` : ''}`,
    headers: {
      'cf-connecting-ip': known.address,
      ...(body === null && plan.body.kind !== 'huge' ? {} : { 'content-type': plan.media }),
      ...(content && plan.media === 'application/json' ? content.headers : {}),
      ...(plan.who === 'garbage' ? { authorization: headerText(`Bearer ${plan.garbage}`) } : authorizationHeader(known.token)),
      ...key,
    },
    body,
    size: plan.body.kind === 'huge' ? (op.maxBody ?? megabyte) + 1 : 0,
  }
}

function idOf({ kind, pick, malformed }: Plan['ids'], name: string, { sample, foreign, earlier }: Known): string {
  const own = sample.params?.[name] ?? ''
  if (kind === 'earlier') return earlier[pick % Math.max(1, earlier.length)] ?? own
  if (kind === 'foreign') return foreign.params?.[name] ?? own
  if (kind === 'malformed') return malformed || '0'
  return kind === 'random' ? randomUUID() : own
}

/** `.` and `..` would be taken out of the path before it is sent. */
function segment(id: string): string {
  const text = encodeURIComponent(id.slice(0, 1000).toWellFormed())
  return /^\.*$/.test(text) ? 'dots' : text
}

/** What fetch lets through in a header's value. */
function headerText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a header holds none of them
  return text.slice(0, 2000).replace(/[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/g, '?')
}

function queryOf({ kind, made, broken }: Plan['query'], { query = {} }: Sample): string {
  // Servers in front of the Worker refuse longer addresses by themselves.
  if (kind === 'broken') return broken.toWellFormed().slice(0, 8000).replace(/%.?$/, '')
  const values = kind === 'made' ? Object.entries(made).map(([key, value]) => [key, String(value)]) : Object.entries(query)
  return new URLSearchParams(values).toString()
}

/** Ids in a body are threaded like those in a path. */
function withBodyIds({ ids }: Plan, known: Known): Record<string, unknown> | undefined {
  const { body } = known.sample
  if (!body || ids.kind === 'own') return body
  const asParams = {
    ...known,
    sample: { params: body as Record<string, string> },
    foreign: { params: known.foreign.body as Record<string, string> },
  }
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, name.endsWith('_id') ? idOf(ids, name, asParams) : value]))
}

function bodyOf(plan: Body, sample: Record<string, unknown> | undefined): string | null {
  if (plan.kind === 'huge' || plan.kind === 'torn') return null
  if (plan.kind === 'raw') return plan.text
  if (plan.kind === 'made') return JSON.stringify(plan.value) ?? null
  if (plan.kind === 'sample') return sample ? JSON.stringify(sample) : null
  const entries = Object.entries(sample ?? {})
  if (plan.kind === 'set') return text([...entries.filter(([name]) => name !== plan.name), [plan.name, valueIn(plan, sample?.[plan.name])]])
  if (plan.kind === 'extra') return text([...entries, [plan.name, plan.leaf]])
  const left = plan.leaf % Math.max(1, entries.length)
  return text(entries.filter((_, index) => index !== left))
}

function valueIn({ value, append }: { value: unknown; append: boolean }, before: unknown): unknown {
  return append && Array.isArray(before) ? [...before, value] : value
}

// Written by hand, so that `__proto__` stays a key like any other.
function text(entries: [string, unknown][]): string {
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`
}

/** The sample's own bytes, whole, cut short or with one changed; undefined for a plan that makes a body of its own. */
function bytesOf(plan: Body, bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  if (plan.kind === 'sample') return bytes
  if (plan.kind !== 'torn') return undefined
  const at = plan.at % Math.max(1, bytes.byteLength)
  if (plan.flip === 0) return bytes.slice(0, at)
  const copy = bytes.slice()
  copy[at] = (copy[at] ?? 0) ^ plan.flip
  return copy
}

export async function fire({ method, url, headers, body, size }: Shot): Promise<Given> {
  if (size > 0) return sendHeadersOnly(url, method, size, headers)
  const response = await fetch(url, { method, headers, body: method === 'GET' ? null : body, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await readText(method, response) }
}

/** The same request for a shell. */
export function curlOf({ method, url, headers, body, size }: Shot): string {
  const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`
  const parts = Object.entries(headers).map(([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`)
  if (size > 0) return `head -c ${size} /dev/zero | curl -i -X ${method} ${quoted(url)} ${parts.join(' ')} --data-binary @-`
  const to = `curl -i -X ${method} ${quoted(url)} ${parts.join(' ')}`
  if (body instanceof Uint8Array) return `base64 -d <<< ${Buffer.from(body).toString('base64')} | ${to} --data-binary @-`
  // A NUL cannot stand in a shell's argument.
  if (body?.includes('\u0000')) return `printf ${quoted(printf(body))} | ${to} --data-binary @-`
  return `${to}${body === null ? '' : ` --data-binary ${quoted(body)}`}`
}

function printf(body: string): string {
  return body.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\u0000', '\\000')
}
