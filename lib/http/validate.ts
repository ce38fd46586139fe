import { z } from 'zod'
import { PageQuery } from '../db/page.ts'
import { maxDepth, tooDeep, unstorable } from './json.ts'
import type { AnyOperation } from './operation.ts'
import { type Invalid, invalid, Problem } from './problem.ts'

export interface Input {
  params: unknown
  query: unknown
  body: unknown
  /** The body as it came, for what must be signed or compared. */
  rawBody: string
}

const megabyte = 1024 * 1024
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
  rawBody: string
}

/** Reads and checks a request in the contract's order: 404 malformed id, 413, 415, 422. */
export async function readInput(op: AnyOperation, request: Request, pathParams: Record<string, string>, url: URL): Promise<Reading> {
  let rawBody = ''
  try {
    const params = op.params ? parseParams(op.params, pathParams) : undefined
    rawBody = op.method === 'get' ? '' : await readBody(request, op.maxBody ?? megabyte)
    requireJson(op, request, rawBody)
    const errors: Invalid[] = []
    const query = parseQuery(op, url, errors)
    const body = op.body ? parseBody(op, rawBody, errors) : undefined
    if (errors.length > 0) throw invalid(errors)
    return { input: { params, query, body, rawBody }, rawBody }
  } catch (error) {
    if (error instanceof Problem) return { problem: error, rawBody }
    throw error
  }
}

function parseParams(schema: z.ZodObject, pathParams: Record<string, string>): unknown {
  const parsed = schema.safeParse(pathParams)
  if (!parsed.success) throw new Problem('not_found')
  return parsed.data
}

async function readBody(request: Request, maxBytes: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw new Problem('too_large')
  if (!request.body) return ''
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of request.body as unknown as AsyncIterable<Uint8Array<ArrayBuffer>>) {
    size += chunk.byteLength
    if (size > maxBytes) throw new Problem('too_large')
    chunks.push(chunk)
  }
  return new Blob(chunks).text()
}

function requireJson(op: AnyOperation, request: Request, rawBody: string): void {
  if (rawBody === '' || !op.body) return
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new Problem('unsupported_media', 'Send application/json')
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
