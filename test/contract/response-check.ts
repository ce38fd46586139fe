import { type AnyOperation, listFailures } from '#http/operation.ts'
import { isErrorCode, problemBody, problems } from '#problem.ts'
import { parseJson } from '#rules/text/json.ts'

export interface RawResponse {
  status: number
  headers: Headers
  text: string
}

const places = new Set(['path', 'query', 'body', 'header'])

/**
 * Return the statuses that an operation declares: success, 200 for an existing resource, 304, and failures.
 */
export function listDeclaredStatuses(op: AnyOperation): Set<number> {
  const failures = listFailures(op).map((kind) => problems[kind].status)
  return new Set([
    op.success,
    ...(op.getOrCreate ? [200] : []),
    ...(op.transport?.hasEtag || op.transport?.maxAgeSeconds ? [304] : []),
    ...failures,
  ])
}

/** Return how a response differs from the operation's declaration, or null. */
export function findFault(op: AnyOperation, { status, headers, text }: RawResponse): string | null {
  if (status >= 500) return `returned ${status}`
  if (!listDeclaredStatuses(op).has(status)) return `returned ${status}, which it does not declare`
  if (!headers.get('x-request-id')) return 'returned without X-Request-Id'
  if (status === 304) return null
  const isSuccess = status === op.success || (op.getOrCreate && status === 200)
  if (isSuccess && op.produces)
    return op.produces.includes(headers.get('content-type')?.split(';')[0] ?? '')
      ? null
      : 'returned content of a type it does not declare'
  if (isSuccess && !op.returns) return text === '' ? null : 'returned content where it declares none'
  if (!headers.get('content-type')?.startsWith('application/json'))
    return `returned ${headers.get('content-type')} instead of JSON`
  const body = parseJson(text)
  if (body === undefined) return 'returned malformed JSON'
  return isSuccess ? findSuccessFault(op, body) : findFailureFault(op, status, headers, body)
}

function findSuccessFault(op: AnyOperation, body: unknown): string | null {
  const parsed = op.returns.safeParse(body)
  return parsed.success ? null : `returned a body that does not match its schema: ${parsed.error.message}`
}

/** Return the codes that an operation may return as `{error: code}` with a status. */
function listBillingCodes(op: AnyOperation, status: number): unknown[] {
  return listFailures(op)
    .filter((kind) => problems[kind].status === status)
    .map((kind) => problemBody(kind).error)
}

function findFailureFault(op: AnyOperation, status: number, headers: Headers, body: unknown): string | null {
  const { error } = (body ?? {}) as Record<string, unknown>
  if (error !== undefined)
    return listBillingCodes(op, status).includes(error)
      ? null
      : 'refused with a billing code that it does not declare'
  const { detail, code, errors } = (body ?? {}) as Record<string, unknown>
  if (typeof detail !== 'string' || detail === '') return 'refused without a detail'
  const codes = listFailures(op).filter((kind) => problems[kind].status === status && isErrorCode(kind))
  if (code !== undefined && !codes.some((kind) => kind === code))
    return `refused with the code ${code}, which it does not declare`
  if (
    status === 401 &&
    headers.get('www-authenticate') !== 'Bearer' &&
    code === undefined &&
    detail === 'Not authenticated'
  )
    return 'returned 401 without WWW-Authenticate: Bearer'
  if (status === 429 && !/^\d+$/.test(headers.get('retry-after') ?? ''))
    return 'returned 429 without Retry-After'
  if (status !== 422) return null
  if (!Array.isArray(errors) || errors.length === 0) return 'returned 422 without errors'
  const malformed = errors.find(
    ({ loc, msg, type }) => !places.has(loc?.[0]) || typeof msg !== 'string' || typeof type !== 'string',
  )
  return malformed ? `returned 422 with a malformed entry: ${JSON.stringify(malformed)}` : null
}
