import * as z from 'zod'
import { PageQuery } from '../db/page.ts'
import { type FieldError, invalidRequest, Problem } from '../problem.ts'
import { findUnstorableText, isStorable, isTooDeep, maxJsonDepth } from '../text/json.ts'
import { readForm } from './form.ts'
import type { AnyOperation } from './operation.ts'

export interface RequestInput {
  params: unknown
  query: unknown
  body: unknown
  /** The body before parsing, or the file in it. Idempotency keys compare it. */
  rawBody: string | Uint8Array<ArrayBuffer>
}

const megabyte = 1024 * 1024
const json = 'application/json'
const decoder = new TextDecoder()
const querySchemas = new WeakMap<AnyOperation, z.ZodType>()

/** Return the query schema of an operation, paging included. */
export function getQuerySchema(op: AnyOperation): z.ZodObject {
  return op.paged
    ? PageQuery.extend((op.query as z.ZodObject | undefined)?.shape ?? {})
    : ((op.query as z.ZodObject | undefined) ?? z.strictObject({}))
}

/** The input of a request, or what is wrong with it. */
export interface ReadResult {
  input?: RequestInput
  problem?: Problem
  rawBody: string | Uint8Array<ArrayBuffer>
}

/** Read and check a request in the contract's order: 404 malformed id, 413, 415, 422. */
export async function readInput(op: AnyOperation, request: Request, pathParams: Record<string, string>, url: URL): Promise<ReadResult> {
  let rawBody: RequestInput['rawBody'] = ''
  try {
    const params = op.params ? parseParams(op.params, pathParams) : undefined
    const sent = op.method === 'get' ? empty : await readBody(request, op.maxBody ?? megabyte)
    requireMediaType(op, request, sent)
    const errors: FieldError[] = []
    const query = parseQuery(op, url, errors)
    const read = await readContent(op, request, sent, errors)
    rawBody = read.rawBody
    if (errors.length > 0) throw invalidRequest(errors)
    return { input: { params, query, ...read }, rawBody }
  } catch (error) {
    if (error instanceof Problem) return { problem: error, rawBody }
    throw error
  }
}

type BodyBytes = Uint8Array<ArrayBuffer>

async function readContent(
  op: AnyOperation,
  request: Request,
  sent: BodyBytes,
  errors: FieldError[],
): Promise<Pick<RequestInput, 'body' | 'rawBody'>> {
  if (op.bodyFormat === 'raw') return { body: { bytes: sent, headers: request.headers }, rawBody: sent }
  if (op.bodyFormat === 'file' && !(op.body && getMediaType(request) === json)) {
    const file = await readForm(sent, request.headers.get('content-type') ?? '', errors)
    return { body: file, rawBody: file?.bytes ?? '' }
  }
  const rawBody = decoder.decode(sent)
  return { body: op.body ? parseBody(op, rawBody, errors) : undefined, rawBody }
}

function parseParams(schema: z.ZodObject, pathParams: Record<string, string>): unknown {
  const parsed = schema.safeParse(pathParams)
  if (!parsed.success || !Object.values(pathParams).every(isStorable)) throw new Problem('not_found')
  return parsed.data
}

const empty = new Uint8Array()

async function readBody(request: Request, maxBytes: number): Promise<BodyBytes> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw new Problem('too_large')
  if (!request.body) return empty
  const chunks: BodyBytes[] = []
  let size = 0
  for await (const chunk of request.body as unknown as AsyncIterable<BodyBytes>) {
    size += chunk.byteLength
    if (size > maxBytes) throw new Problem('too_large')
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : concatenate(chunks, size)
}

function concatenate(chunks: BodyBytes[], size: number): BodyBytes {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

/** Return the media types that an operation accepts; an empty list accepts any. */
function listAcceptedMediaTypes(op: AnyOperation): string[] {
  return [...(op.body ? [json] : []), ...(op.bodyFormat === 'file' ? ['multipart/form-data'] : [])]
}

function getMediaType(request: Request): string {
  return request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
}

function requireMediaType(op: AnyOperation, request: Request, sent: Uint8Array): void {
  const accepted = listAcceptedMediaTypes(op)
  if (sent.byteLength === 0 || accepted.length === 0 || accepted.includes(getMediaType(request))) return
  throw new Problem('unsupported_media', `Send ${accepted.join(' or ')}`)
}

function parseQuery(op: AnyOperation, url: URL, errors: FieldError[]): unknown {
  const schema = querySchemas.get(op) ?? getQuerySchema(op)
  querySchemas.set(op, schema)
  const parameters: Record<string, string> = {}
  for (const [key, value] of url.searchParams) {
    if (key in parameters) errors.push({ loc: ['query', key], msg: 'must be given only once', type: 'repeated' })
    parameters[key] = value
  }
  errors.push(...findUnstorableText(parameters, ['query']))
  return parseWith(schema, parameters, 'query', errors)
}

function parseBody(op: AnyOperation, rawBody: string, errors: FieldError[]): unknown {
  const schema: z.ZodType = op.body
  // An empty body of PATCH or PUT changes nothing.
  if (rawBody === '') return parseWith(schema, op.method === 'patch' || op.method === 'put' ? {} : undefined, 'body', errors)
  const maxLevels = op.maxDepth ?? maxJsonDepth
  if (isTooDeep(rawBody, maxLevels))
    return void errors.push({ loc: ['body'], msg: `must not nest deeper than ${maxLevels} levels`, type: 'too_deep' })
  let body: unknown
  try {
    body = JSON.parse(rawBody)
  } catch {
    return void errors.push({ loc: ['body'], msg: 'must be valid JSON', type: 'invalid_json' })
  }
  errors.push(...findUnstorableText(body, ['body']))
  return parseWith(schema, body, 'body', errors)
}

function parseWith(schema: z.ZodType, value: unknown, place: string, errors: FieldError[]): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  for (const issue of parsed.error.issues) errors.push(...toInvalid(issue, place))
  return undefined
}

function toInvalid(issue: z.core.$ZodIssue, place: string): FieldError[] {
  if (issue.code === 'invalid_union' && issue.errors.length > 0)
    return findClosestAlternative(issue.errors).flatMap((inner) => toInvalid({ ...inner, path: [...issue.path, ...inner.path] }, place))
  const loc = [place, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ loc: [...loc, key], msg: 'is not a known field', type: 'unknown_key' }))
  if (issue.code === 'invalid_type' && issue.input === undefined && issue.path.length === 0)
    return [{ loc, msg: 'is required', type: 'missing' }]
  return [{ loc, msg: issue.message, type: issue.code }]
}

/** Return the issues of the alternative that was most likely meant: its issues lie deepest; among equals, it has the fewest issues. */
function findClosestAlternative(alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const depth = (issues: readonly z.core.$ZodIssue[]) => Math.min(...issues.map(({ path }) => path.length))
  return alternatives.toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)[0] ?? []
}
