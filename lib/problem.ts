/** Every failure the API can answer with; an operation names those it can throw beyond the ones its declaration implies. */
export const problems = {
  no_billing_customer: { status: 400, detail: 'This account is no customer of the billing provider' },
  invalid_signature: { status: 400, detail: 'The signature is missing, wrong or too old' },
  bad_request: { status: 400, detail: 'Bad request' },
  unauthenticated: { status: 401, detail: 'Not authenticated' },
  forbidden: { status: 403, detail: 'Not allowed' },
  email_not_verified: { status: 403, detail: 'Verify your e-mail address to go on' },
  subscription_lapsed: { status: 403, detail: 'The subscription of this account has lapsed' },
  password_change_required: { status: 403, detail: 'Change your password to go on' },
  feature_disabled: { status: 403, detail: 'This feature is switched off for your account' },
  not_found: { status: 404, detail: 'Not found' },
  method_not_allowed: { status: 405, detail: 'Method not allowed' },
  conflict: { status: 409, detail: 'Conflict' },
  too_large: { status: 413, detail: 'The body is too large' },
  unsupported_media: { status: 415, detail: 'This content type is not taken here' },
  invalid: { status: 422, detail: 'The request is not valid' },
  rate_limited: { status: 429, detail: 'Rate limit exceeded' },
  internal: { status: 500, detail: 'Internal error' },
  billing_provider_error: { status: 502, detail: 'The billing provider failed' },
  provider_error: { status: 502, detail: 'A provider failed' },
  ai_provider_error: { status: 502, detail: 'The AI provider failed; try again' },
  billing_provider_not_configured: { status: 503, detail: 'No billing provider is set up' },
  unavailable: { status: 503, detail: 'Temporarily unavailable, try again' },
} as const

export type ProblemKind = keyof typeof problems

/** Where in the request a value is wrong, as the 422 body lists it. */
export interface Invalid {
  loc: (string | number)[]
  msg: string
  type: string
}

/** Kinds whose name is their code. */
export const coded: ReadonlySet<ProblemKind> = new Set([
  'email_not_verified',
  'subscription_lapsed',
  'password_change_required',
  'feature_disabled',
  'ai_provider_error',
])

/** Billing's own failures answer as `{error: kind}`, by contract. */
const bare: ReadonlySet<ProblemKind> = new Set([
  'billing_provider_not_configured',
  'no_billing_customer',
  'billing_provider_error',
  'invalid_signature',
])

/** What a failure answers when nothing more is said. */
export function bodyOf(kind: ProblemKind): Record<string, unknown> {
  if (bare.has(kind)) return { error: kind }
  return { detail: problems[kind].detail, ...(coded.has(kind) ? { code: kind } : {}) }
}

interface ProblemOptions {
  /** What a client tells apart by machine. */
  code?: string
  /** Facts beside `detail`. */
  facts?: Record<string, unknown>
  headers?: Record<string, string>
  cause?: unknown
}

/** Thrown by services; becomes the answer. `detail` is read by people outside. */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(kind: ProblemKind, detail: string = problems[kind].detail, { code, facts, headers = {}, cause }: ProblemOptions = {}) {
    super(detail, { cause })
    this.kind = kind
    this.status = problems[kind].status
    this.body = bare.has(kind) ? bodyOf(kind) : { ...bodyOf(kind), detail, ...(code ? { code } : {}), ...facts }
    this.headers = kind === 'unauthenticated' ? { 'www-authenticate': 'Bearer', ...headers } : headers
  }
}

/** What was read stands no more, and nothing was written; sent again the request is judged by what stands now. `what` is as in «session». */
export function changedMeanwhile(what: string): Problem {
  return new Problem('conflict', `The ${what} was changed meanwhile; try again`, { code: 'changed_meanwhile' })
}

export function invalid(errors: Invalid[]): Problem {
  return new Problem('invalid', problems.invalid.detail, { facts: { errors } })
}
