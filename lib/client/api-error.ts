import type { ErrorCode, OperationId, Operations } from './types.ts'

/** One invalid value of a request. */
export interface FieldError {
  /** The place of the value: `path`, `query`, `body` or `header`, then the keys that lead to it. */
  loc: (string | number)[]
  /** Completes the sentence "<field> …". */
  msg: string
  type: string
}

/** An error code that some operation declares. */
export type AnyCode = ErrorCode | Operations[OperationId]['code']

/** A failure that the service answered. */
export class ApiError<Code extends string = AnyCode> extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** Error code, or null when the status says enough. */
  readonly code: Code | null
  /** The invalid values, for status 422 and for 400 `flow_invalid`. */
  readonly errors: FieldError[]
  /** The complete body, with facts such as `current_version`. */
  readonly body: Record<string, unknown>
  /** Id of the request in the log of the service. */
  readonly requestId: string | null
  /** Milliseconds to wait before the next attempt, if the service named them. */
  readonly retryAfterMs: number | null

  constructor(status: number, body: Record<string, unknown>, headers: Headers = new Headers()) {
    super(typeof body.detail === 'string' ? body.detail : `The service answered ${status}`)
    this.status = status
    // The billing operations call their code `error`.
    const code = body.code ?? body.error
    this.code = typeof code === 'string' ? (code as Code) : null
    this.errors = Array.isArray(body.errors) ? body.errors : []
    this.body = body
    this.requestId = headers.get('x-request-id')
    this.retryAfterMs = parseRetryAfter(headers.get('retry-after'))
  }
}

/**
 * Return whether a value is a failure that the service answered. With an operation id, `code` is one that the
 * operation declares.
 */
export function isApiError<Id extends OperationId = OperationId>(
  error: unknown,
  _operation?: Id,
): error is ApiError<Operations[Id]['code']> {
  return error instanceof ApiError
}

/** Read a failed response. */
export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text()
  return new ApiError(response.status, parseBody(text), response.headers)
}

/** Parse the body of a failure. A proxy may have answered with something other than a JSON object. */
function parseBody(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Return the milliseconds of a Retry-After header, which is a number of seconds or a date. */
function parseRetryAfter(value: string | null): number | null {
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
