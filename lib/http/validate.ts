import { z } from 'zod'
import { PageQuery } from '../db/page.ts'
import { type Invalid, invalid, Problem } from '../problem.ts'
import { maxDepth, storable, tooDeep, unstorable } from '../text/json.ts'
import { readForm } from './form.ts'
import type { AnyOperation } from './operation.ts'

export interface Input {
  params: unknown
  query: unknown
  body: unknown
  /** The body as it came, or the file in it, for what must be compared. */
  rawBody: string | Uint8Array<ArrayBuffer>
}

const megabyte = 1024 * 1024
const json = 'application/json'
const decoder = new TextDecoder()
const querySchemas = new WeakMap<AnyOperation, z.ZodType>()

/** The query an operation takes, paging included. */
export function querySchema(op: AnyOperation): z.ZodObject {
  return op.paged
    ? PageQuery.extend((op.query as z.ZodObject | undefined)?.shape ?? {})
    : ((op.query as z.ZodObject | undefined) ?? z.strictObject({}))
}

/** What reading a request gave: the input, or the problem it has. */
export interface Reading {
  input?: Input
  problem?: Problem
  rawBody: string | Uint8Array<ArrayBuffer>
}

/** Reads and checks a request in the contract's order: 404 malformed id, 413, 415, 422. */
export async function readInput(op: AnyOperation, request: Request, pathParams: Record<string, string>, url: URL): Promise<Reading> {
  let rawBody: Input['rawBody'] = ''
  try {
    const params = op.params ? parseParams(op.params, pathParams) : undefined
    const sent = op.method === 'get' ? empty : await readBody(request, op.maxBody ?? megabyte)
    requireMedia(op, request, sent)
    const errors: Invalid[] = []
    const query = parseQuery(op, url, errors)
    const read = await readContent(op, request, sent, errors)
    rawBody = read.rawBody
    if (errors.length > 0) throw invalid(errors)
    return { input: { params, query, ...read }, rawBody }
  } catch (error) {
    if (error instanceof Problem) return { problem: error, rawBody }
    throw error
  }
}

type Bytes = Uint8Array<ArrayBuffer>

async function readContent(op: AnyOperation, request: Request, sent: Bytes, errors: Invalid[]): Promise<Pick<Input, 'body' | 'rawBody'>> {
  if (op.takes === 'raw') return { body: { bytes: sent, headers: request.headers }, rawBody: sent }
  if (op.takes === 'file' && !(op.body && mediaOf(request) === json)) {
    const file = await readForm(sent, request.headers.get('content-type') ?? '', errors)
    return { body: file, rawBody: file?.bytes ?? '' }
  }
  const rawBody = decoder.decode(sent)
  return { body: op.body ? parseBody(op, rawBody, errors) : undefined, rawBody }
}

function parseParams(schema: z.ZodObject, pathParams: Record<string, string>): unknown {
  const parsed = schema.safeParse(pathParams)
  if (!parsed.success || !Object.values(pathParams).every(storable)) throw new Problem('not_found')
  return parsed.data
}

const empty = new Uint8Array()

async function readBody(request: Request, maxBytes: number): Promise<Bytes> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw new Problem('too_large')
  if (!request.body) return empty
  const chunks: Bytes[] = []
  let size = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Bytes>) {
    size += chunk.byteLength
    if (size > maxBytes) throw new Problem('too_large')
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : joined(chunks, size)
}

function joined(chunks: Bytes[], size: number): Bytes {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

/** The media types an operation takes; none where it takes no body, or any. */
function mediaTaken(op: AnyOperation): string[] {
  return [...(op.body ? [json] : []), ...(op.takes === 'file' ? ['multipart/form-data'] : [])]
}

function mediaOf(request: Request): string {
  return request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
}

function requireMedia(op: AnyOperation, request: Request, sent: Uint8Array): void {
  const taken = mediaTaken(op)
  if (sent.byteLength === 0 || taken.length === 0 || taken.includes(mediaOf(request))) return
  throw new Problem('unsupported_media', `Send ${taken.join(' or ')}`)
}

function parseQuery(op: AnyOperation, url: URL, errors: Invalid[]): unknown {
  const schema = querySchemas.get(op) ?? querySchema(op)
  querySchemas.set(op, schema)
  const given: Record<string, string> = {}
  for (const [key, value] of url.searchParams) {
    if (key in given) errors.push({ loc: ['query', key], msg: 'Given more than once', type: 'repeated' })
    given[key] = value
  }
  errors.push(...unstorable(given, ['query']))
  return collect(schema, given, 'query', errors)
}

function parseBody(op: AnyOperation, rawBody: string, errors: Invalid[]): unknown {
  const schema: z.ZodType = op.body
  // A change that names nothing changes nothing.
  if (rawBody === '') return collect(schema, op.method === 'patch' || op.method === 'put' ? {} : undefined, 'body', errors)
  const most = op.maxDepth ?? maxDepth
  if (tooDeep(rawBody, most)) return void errors.push({ loc: ['body'], msg: `Nested deeper than ${most} levels`, type: 'too_deep' })
  let given: unknown
  try {
    given = JSON.parse(rawBody)
  } catch {
    return void errors.push({ loc: ['body'], msg: 'Malformed JSON', type: 'invalid_json' })
  }
  errors.push(...unstorable(given, ['body']))
  return collect(schema, given, 'body', errors)
}

function collect(schema: z.ZodType, value: unknown, place: string, errors: Invalid[]): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) errors.push(...toInvalid(issue, place))
  return undefined
}

function toInvalid(issue: z.core.$ZodIssue, place: string): Invalid[] {
  if (issue.code === 'invalid_union' && issue.errors.length > 0)
    return closest(issue.errors).flatMap((inner) => toInvalid({ ...inner, path: [...issue.path, ...inner.path] }, place))
  const loc = [place, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ loc: [...loc, key], msg: 'Unknown key', type: 'unknown_key' }))
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.path.length === 0)
    return [{ loc, msg: 'A body is required', type: 'missing' }]
  return [{ loc, msg: issue.message, type: issue.code }]
}

/** What is wrong by the alternative that was most likely meant: the one whose first fault lies deepest, then the one with the fewest. */
function closest(alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const depth = (issues: readonly z.core.$ZodIssue[]) => Math.min(...issues.map(({ path }) => path.length))
  return alternatives.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? []
}
