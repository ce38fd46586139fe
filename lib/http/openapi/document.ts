import { z } from 'zod'
import { bodyOf, type ProblemKind, problems } from '../problem.ts'
import { type AnyOperation, failuresOf, needsToken, takesIdempotencyKey } from './operation.ts'
import { querySchema } from './validate.ts'

type Json = Record<string, unknown>

const Failure = z
  .object({
    detail: z.string().describe('What went wrong, for people.'),
    code: z.string().optional().describe('What went wrong, where a client must tell it apart.'),
  })
  .meta({ id: 'Problem' })

const BareFailure = z.object({ error: z.string().describe('What went wrong, for a client to tell apart.') }).meta({ id: 'BillingProblem' })

const Invalidity = Failure.extend({
  errors: z
    .array(
      z.object({
        loc: z.array(z.union([z.string(), z.int()])).describe('Where: `path`, `query`, `body` or `header`, then the way to the value.'),
        msg: z.string().describe('What is wrong with it.'),
        type: z.string().describe('The kind of mistake.'),
      }),
    )
    .optional()
    .describe('One per mistake.'),
}).meta({ id: 'ValidationProblem' })

const limited = {
  'RateLimit-Limit': 'Calls allowed in the window.',
  'RateLimit-Remaining': 'Calls left in it.',
  'RateLimit-Reset': 'Seconds until a call is free again.',
}

const conventions = `Guided flows, AI-assisted diagnosis and escalation for IT support teams.

- **Values.** Ids are UUIDs that sort by age, times RFC 3339 in UTC with milliseconds, money whole cents with an ISO currency. PUT and PATCH
  change the fields they are given and leave the others.
- **Errors** are \`{"detail"}\` for people, with a \`code\` where a client must tell one from another, and facts beside it. 422 lists every mistake
  with its place. What belongs to another account is 404, what your role may not do 403. 409 \`changed_meanwhile\` means that nothing was written
  since somebody else was faster: read again, or send again. 503 passes: send again after a few seconds. Billing answers \`{"error"}\` alone.
- **Sending twice.** Most POSTs take an \`Idempotency-Key\`: for 24 hours the same request under the same key has one effect and one
  answer, so it may be sent again whenever no answer came.
- **Lists** are arrays, cut by \`skip\` and \`limit\`; while more rows follow, \`Link\` names the next page.
- **Limits** stand in \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds); past one it is 429 with \`Retry-After\`.
- **\`X-Request-Id\`** is on every answer, your own if you send one: name it when you ask us about a call.`

/** OpenAPI 3.1 from the declarations alone; schemas with an id become shared components. Deterministic. */
export function openApi(operations: readonly AnyOperation[], version: string): Json {
  const components = new Map<string, unknown>()
  const schema = (type: z.ZodType, io: 'input' | 'output') => hoist(type, io, components)
  const paths: Record<string, Json> = {}
  for (const op of operations) {
    const path = `/api/v1${op.path}`
    paths[path] = { ...paths[path], [op.method]: describeOperation(op, schema) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Support Flow Service',
      version,
      description: conventions,
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}

/** An operation's group: its id without the verb, `flows.versions` of `flows.versions.list`. */
export function groupOf(op: AnyOperation): string {
  return op.id.slice(0, op.id.lastIndexOf('.'))
}

type ToSchema = (type: z.ZodType, io: 'input' | 'output') => unknown

function describeOperation(op: AnyOperation, schema: ToSchema): Json {
  return {
    operationId: op.id,
    summary: op.summary,
    ...(op.description ? { description: op.description } : {}),
    tags: [groupOf(op)],
    ...parameters(op, schema),
    ...requestBody(op, schema),
    responses: responses(op, schema),
    security: needsToken(op) ? [{ bearer: [] }] : [],
    'x-access': op.access,
    'x-rate-limit': op.limit,
    ...(op.feature ? { 'x-feature': op.feature } : {}),
  }
}

function requestBody(op: AnyOperation, schema: ToSchema): Json {
  const media = {
    ...(op.body ? { 'application/json': content(op.body, 'input', schema) } : {}),
    ...(op.takes === 'file' ? { 'multipart/form-data': { schema: form } } : {}),
    // The provider documents it; what is said here is that its very bytes are signed.
    ...(op.takes === 'raw' ? { 'application/json': { schema: { type: 'object' } } } : {}),
  }
  if (Object.keys(media).length === 0) return {}
  return { requestBody: { required: op.method === 'post', content: media } }
}

const form = {
  type: 'object',
  properties: { file: { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file.' } },
  required: ['file'],
}

function parameters(op: AnyOperation, schema: ToSchema): Json {
  const of = (place: string, shape: z.ZodObject | undefined) =>
    Object.entries(shape?.shape ?? {}).map(([name, field]) => ({
      name,
      in: place,
      required: place === 'path' || !(field as z.ZodType).safeParse(undefined).success,
      description: (field as z.ZodType).description ?? '',
      schema: schema(field as z.ZodType, 'input'),
    }))
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'The first answer under this key is kept 24 hours and given again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  }
  const all = [...of('path', op.params), ...of('query', querySchema(op)), ...(takesIdempotencyKey(op) ? [key] : [])]
  return all.length > 0 ? { parameters: all } : {}
}

function content(type: z.ZodType, io: 'input' | 'output', schema: ToSchema): Json {
  const example = exampleOf(type)
  return { schema: schema(type, io), ...(example === undefined ? {} : { example }) }
}

/** The example a schema carries, or a list of its element's one. */
export function exampleOf(type: z.ZodType): unknown {
  const [example] = (type.meta()?.examples as unknown[] | undefined) ?? []
  if (example !== undefined) return example
  if (!(type instanceof z.ZodArray)) return undefined
  const element = exampleOf(type.element as z.ZodType)
  return element === undefined ? undefined : [element]
}

function responses(op: AnyOperation, schema: ToSchema): Json {
  const byStatus = new Map<number, ProblemKind[]>()
  for (const kind of failuresOf(op)) byStatus.set(problems[kind].status, [...(byStatus.get(problems[kind].status) ?? []), kind])
  const failures = [...byStatus].sort(([a], [b]) => a - b).map(([status, kinds]) => [status, failure(op, kinds, schema)] as const)
  const held = op.cached || op.freshSeconds ? { 304: { description: 'The caller holds it already (`If-None-Match`).' } } : {}
  const there = op.getOrCreate ? { 200: { ...success(op, schema), description: 'It was there already.' } } : {}
  return { ...there, [op.success]: success(op, schema), ...held, ...Object.fromEntries(failures) }
}

function success(op: AnyOperation, schema: ToSchema): Json {
  const headers = {
    ...(op.limit === 'none' ? {} : limited),
    'X-Request-Id': "The request's id in our logs.",
    ...(op.success === 307 ? { Location: 'The other place.' } : {}),
    ...(op.paged ? { Link: 'The next page (`rel="next"`), when rows follow.' } : {}),
    ...(op.cached ? { ETag: 'Names this content.', 'Cache-Control': '`private`: for the caller alone.' } : {}),
    ...(op.freshSeconds ? { ETag: 'Names this content.', 'Cache-Control': '`public`: any cache may give it for that long.' } : {}),
  }
  const described = { description: op.summary, headers: headerObjects(headers) }
  if (op.produces)
    return { ...described, content: Object.fromEntries(op.produces.map((type: string) => [type, produced(op, type, schema)])) }
  return op.returns ? { ...described, content: { 'application/json': content(op.returns, 'output', schema) } } : described
}

function produced(op: AnyOperation, type: string, schema: ToSchema): Json {
  return op.returns && type === 'application/json' ? content(op.returns, 'output', schema) : { schema: { type: 'string' } }
}

function failure(op: AnyOperation, kinds: ProblemKind[], schema: ToSchema): Json {
  const [first = 'internal'] = kinds
  const invalidKind = first === 'invalid'
  const shapes = new Set(kinds.map((kind) => (kind === 'invalid' ? Invalidity : 'error' in bodyOf(kind) ? BareFailure : Failure)))
  const [only, ...others] = [...shapes].map((shape) => schema(shape, 'output'))
  const body = {
    ...bodyOf(first),
    ...(invalidKind ? { errors: [{ loc: [op.body ? 'body' : 'query', 'name'], msg: 'Unknown key', type: 'unknown_key' }] } : {}),
  }
  const headers =
    first === 'rate_limited'
      ? { ...limited, 'Retry-After': 'Seconds to wait.' }
      : first === 'unauthenticated'
        ? { 'WWW-Authenticate': '`Bearer`.' }
        : {}
  return {
    description: kinds.map((kind) => problems[kind].detail).join('; '),
    ...(Object.keys(headers).length > 0 ? { headers: headerObjects(headers) } : {}),
    content: { 'application/json': { schema: others.length > 0 ? { anyOf: [only, ...others] } : only, example: body } },
  }
}

function headerObjects(headers: Record<string, string>): Json {
  return Object.fromEntries(Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]))
}

/** A schema as JSON Schema; what has an id moves to the components and leaves a reference. */
function hoist(type: z.ZodType, io: 'input' | 'output', components: Map<string, unknown>): unknown {
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(type, { io, unrepresentable: 'any' }) as Json
  for (const [name, definition] of Object.entries($defs as Json)) components.set(name, clean(definition))
  const { id } = root
  if (typeof id !== 'string') return clean(root)
  components.set(id, clean(root))
  return { $ref: `#/components/schemas/${id}` }
}

// What stands under these is a value, not a schema.
const values = new Set(['example', 'examples', 'default', 'const', 'enum'])

function clean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key, item]) => key !== 'id' || typeof item !== 'string')
  return Object.fromEntries(entries.map(([key, item]) => [key, cleanEntry(key, item)]))
}

function cleanEntry(key: string, item: unknown): unknown {
  if (key === '$ref') return String(item).replace('#/$defs/', '#/components/schemas/')
  return values.has(key) ? item : clean(item)
}
