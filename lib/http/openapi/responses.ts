import * as z from 'zod'
import { keyFailures } from '#http/key-scopes.ts'
import { type AnyOperation, type EventSchemas, listFailures } from '#http/operation.ts'
import { codedProblems, isErrorCode, type ProblemKind, problemBody, problems } from '#problem.ts'
import { Uuid } from '#rules/uuid.ts'
import { type JsonComponents, toPascalCase } from './components.ts'
import type { Json } from './json.ts'

const codeList = Object.entries(codedProblems).map(
  ([code, { status, detail }]) => `- \`${code}\` (${status}): ${detail}.`,
)
const ErrorCode = z
  .enum(Object.keys(codedProblems) as [keyof typeof codedProblems, ...(keyof typeof codedProblems)[]])
  .meta({
    id: 'ErrorCode',
    description: `Every error code of the API, with its status.\n\n${codeList.join('\n')}`,
  })

const ProblemSchema = z
  .object({
    detail: z.string().describe('Human-readable message: what is wrong and what to do.'),
    code: ErrorCode.optional().describe('Machine-readable error code.'),
  })
  .meta({ id: 'Problem' })

const BillingProblem = z
  .object({ error: z.string().describe('Machine-readable error code of the billing operations.') })
  .meta({ id: 'BillingProblem' })

const ValidationProblem = ProblemSchema.extend({
  errors: z
    .array(
      z.object({
        loc: z
          .array(z.union([z.string(), z.int()]))
          .describe('The place: `path`, `query`, `body` or `header`, then the keys that lead to the value.'),
        msg: z.string().describe('Completes the sentence "<field> …".'),
        type: z.string().describe('Machine-readable kind of the error.'),
      }),
    )
    .optional()
    .describe('The invalid values, at most 50.'),
  error_count: z.int().optional().describe('Their number, if there are more.'),
}).meta({ id: 'ValidationProblem' })

const limitHeaders = {
  'RateLimit-Limit': 'Calls allowed in the window.',
  'RateLimit-Remaining': 'Calls left in the window.',
  'RateLimit-Reset': 'Seconds until the oldest counted call leaves the window and frees one call.',
}

/** Build the responses of a success, by status. */
export function buildSuccessResponses(op: AnyOperation, components: JsonComponents): Record<string, Json> {
  const success = buildSuccessResponse(op, components)
  const notModified = { description: 'The client already has this content (`If-None-Match`).' }
  return {
    ...(op.getOrCreate ? { 200: { ...success, description: 'The resource already existed.' } } : {}),
    [op.success]: success,
    ...(op.background ? { 202: buildAcceptedResponse(components) } : {}),
    ...(op.transport?.hasEtag || op.transport?.maxAgeSeconds
      ? { 304: components.response('NotModified', notModified) }
      : {}),
  }
}

const AcceptedTask = z
  .strictObject({
    task_id: Uuid.describe('Id of the task.'),
    state: z.literal('queued').describe('A job will start it.'),
  })
  .meta({ id: 'AcceptedTask' })

/** Build the response to `Prefer: respond-async`. */
function buildAcceptedResponse(components: JsonComponents): Json {
  return components.response('Accepted', {
    description: 'Accepted, for `Prefer: respond-async`. The task has the answer when it has finished.',
    headers: buildHeaders(
      { Location: 'Where to get the task.', 'Preference-Applied': '`respond-async`.' },
      components,
    ),
    content: { 'application/json': components.content(AcceptedTask, 'output') },
  })
}

function buildSuccessResponse(op: AnyOperation, components: JsonComponents): Json {
  const headers = {
    ...(op.success === 307 ? { Location: 'Where to repeat the request.' } : {}),
    ...(op.paged ? { Link: 'URL of the next page (`rel="next"`); absent on the last page.' } : {}),
    ...(op.transport?.hasEtag || op.transport?.maxAgeSeconds
      ? { ETag: 'Identifies this content.', 'Cache-Control': 'Who may cache it, and for how long.' }
      : {}),
  }
  const baseResponse = {
    description: statusText[op.success] ?? 'Success',
    ...(Object.keys(headers).length > 0 ? { headers: buildHeaders(headers, components) } : {}),
  }
  if (op.produces)
    return {
      ...baseResponse,
      content: Object.fromEntries(
        op.produces.map((type: string) => [type, buildContent(op, type, components)]),
      ),
    }
  return op.returns
    ? { ...baseResponse, content: { 'application/json': components.content(op.returns, 'output') } }
    : baseResponse
}

function buildContent(op: AnyOperation, type: string, components: JsonComponents): Json {
  if (type === 'text/event-stream' && op.events)
    return { schema: buildEventSchema(op.events, op.method === 'get', components) }
  if (op.returns && type === 'application/json') return components.content(op.returns, 'output')
  return { schema: type.startsWith('text/') ? { type: 'string' } : binarySchema }
}

/**
 * Bytes. OpenAPI 3.1 wants no schema, or one with `contentMediaType`; generators of clients read `format` of
 * 3.0, and would take a text for anything else:
 * https://spec.openapis.org/oas/v3.1.1.html#migrating-binary-descriptions-from-oas-3-0
 */
export const binarySchema = { type: 'string', format: 'binary' } as const

/**
 * Build the schema of one server-sent event, as generators of clients read it. OpenAPI 3.2 calls it
 * `itemSchema`:
 * https://spec.openapis.org/oas/v3.2.0.html#sequential-media-types
 */
function buildEventSchema(events: EventSchemas, isResumable: boolean, components: JsonComponents): Json {
  const anyOf = Object.entries(events).map(([event, data]) => ({
    type: 'object',
    properties: {
      event: { type: 'string', const: event, description: 'Name of the event.' },
      data: { description: 'Its JSON.', ...components.schema(data, 'output') },
      ...(isResumable ? { id: { type: 'string', description: 'For `Last-Event-ID`.' } } : {}),
    },
    required: ['event', 'data', ...(isResumable ? ['id'] : [])],
  }))
  return { anyOf, description: 'One server-sent event.' }
}

/**
 * Failures of nearly every operation. One `default` response describes them, instead of eight responses per
 * operation.
 */
export const commonFailures: readonly ProblemKind[] = [
  'unauthenticated',
  ...keyFailures,
  'not_found',
  'too_large',
  'unsupported_media',
  'invalid',
  'rate_limited',
  'internal',
  'unavailable',
]

/**
 * Return whether the `default` response describes a failure of the operation. 404 is one of them where the
 * path names a resource.
 */
export function isCommonFailure(op: AnyOperation, kind: ProblemKind): boolean {
  return commonFailures.includes(kind) && (kind !== 'not_found' || op.params !== undefined)
}

/**
 * Build the responses of failures, by status. Each is a shared response that lists the possible codes.
 * `default` stands for the common failures.
 */
export function buildErrorResponses(op: AnyOperation, components: JsonComponents): Record<string, Json> {
  const byStatus = [...Map.groupBy(listFailures(op), (kind) => problems[kind].status)].sort(
    ([a], [b]) => a - b,
  )
  const specificFailures = byStatus.filter(([, kinds]) => !kinds.every((kind) => isCommonFailure(op, kind)))
  const responses = specificFailures.map(
    ([status, kinds]) => [status, buildErrorResponse(kinds.toSorted(), components)] as const,
  )
  const common = buildCommonResponse(components)
  const hasClientFailure = specificFailures.some(([status]) => status < 500)
  // Linters of OpenAPI ask for a 4xx of every operation. It is a number, because not every generator knows
  // `4XX`.
  const clientFailures = byStatus
    .flatMap(([status]) => (status < 500 && !hasClientFailure ? [[status, common] as const] : []))
    .slice(-1)
  return { ...Object.fromEntries([...responses, ...clientFailures]), default: common }
}

function buildCommonResponse(components: JsonComponents): Json {
  const lines = commonFailures.map((kind) => `${problems[kind].status}: ${problems[kind].detail}.`)
  return components.response('Failure', {
    description: `Failures of any operation. ${lines.join(' ')}`,
    headers: buildHeaders(
      { ...limitHeaders, 'Retry-After': 'Seconds to wait.', ...buildAuthenticateHeader('unauthenticated') },
      components,
    ),
    content: {
      'application/json': {
        schema: components.schema(ValidationProblem, 'output'),
        example: problemBody('rate_limited'),
      },
    },
  })
}

const statusText: Record<number, string> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No content',
  307: 'Repeat the request there',
}

const guardCodes: ProblemKind[] = [
  'email_not_verified',
  'mfa_setup_required',
  'password_change_required',
  'subscription_lapsed',
]

/**
 * Return the name of a shared response: its status in words, and its possible codes. The four guards count as
 * one.
 */
function buildResponseName(kinds: readonly ProblemKind[]): string {
  const hasGuards = guardCodes.every((code) => kinds.includes(code))
  const codes = kinds.filter((kind) => kind in codedProblems && !(hasGuards && guardCodes.includes(kind)))
  const status = problems[kinds[0] ?? 'internal'].status
  return [hasGuards ? 'Guards' : statusNames[status], ...codes].join('.')
}

const statusNames: Record<number, string> = {
  400: 'BadRequest',
  401: 'Unauthenticated',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  426: 'UpgradeRequired',
  429: 'RateLimited',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'Unavailable',
}

function buildErrorResponse(kinds: readonly ProblemKind[], components: JsonComponents): Json {
  const [first = 'internal'] = kinds
  const isInvalid = kinds.includes('invalid')
  const billing = kinds.filter((kind) => 'error' in problemBody(kind))
  const shapes = [
    ...(kinds.length > billing.length ? [buildProblemSchema(kinds, components)] : []),
    ...(billing.length > 0 ? [components.schema(BillingProblem, 'output')] : []),
  ]
  const example = {
    ...problemBody(first),
    ...(isInvalid ? { errors: [{ loc: ['body', 'name'], msg: 'is required', type: 'missing' }] } : {}),
  }
  const headers =
    problems[first].status === 429
      ? { ...limitHeaders, 'Retry-After': 'Seconds to wait.' }
      : buildAuthenticateHeader(first)
  const name = [
    buildResponseName(kinds),
    ...(billing.length > 0 ? [toPascalCase(billing.join('_'))] : []),
  ].join('.')
  return components.response(name, {
    description: kinds.length > 1 ? 'See `code`.' : `${problems[first].detail}.`,
    ...(Object.keys(headers).length > 0 ? { headers: buildHeaders(headers, components) } : {}),
    content: { 'application/json': { schema: shapes.length > 1 ? { anyOf: shapes } : shapes[0], example } },
  })
}

function buildAuthenticateHeader(kind: ProblemKind): Record<string, string> {
  return problems[kind].status === 401 ? { 'WWW-Authenticate': '`Bearer`.' } : {}
}

/**
 * Build the problem schema, restricted to the possible codes. `code` is required when every failure has one.
 */
function buildProblemSchema(kinds: readonly ProblemKind[], components: JsonComponents): Json {
  const base = components.schema(kinds.includes('invalid') ? ValidationProblem : ProblemSchema, 'output')
  const codes = kinds.filter(isErrorCode)
  if (codes.length === 0) return base
  const codeRestriction = { properties: { code: { enum: codes, description: 'Cause.' } } }
  return {
    allOf: [
      base,
      codes.length === kinds.length ? { ...codeRestriction, required: ['code'] } : codeRestriction,
    ],
  }
}

function buildHeaders(headers: Record<string, string>, components: JsonComponents): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, components.header(name, description)]),
  )
}
