/**
 * How one kind of failure is answered: its status, and the `detail` when the code that throws it adds nothing
 * more precise.
 */
interface ProblemType {
  status: number
  detail: string
}

/** Failures whose status says enough. They are answered as `{detail}`. */
const plainProblems = {
  bad_request: { status: 400, detail: 'Bad request' },
  unauthenticated: { status: 401, detail: 'Not authenticated' },
  forbidden: { status: 403, detail: 'Not allowed' },
  not_found: { status: 404, detail: 'Not found' },
  method_not_allowed: { status: 405, detail: 'Method not allowed' },
  conflict: { status: 409, detail: 'The request conflicts with what is stored' },
  too_large: { status: 413, detail: 'The body is too large' },
  unsupported_media: { status: 415, detail: 'This content type is not accepted here' },
  invalid: { status: 422, detail: 'The request is not valid' },
  rate_limited: { status: 429, detail: 'Rate limit exceeded' },
  internal: { status: 500, detail: 'Internal error' },
  provider_error: { status: 502, detail: 'A provider failed; try again' },
  unavailable: { status: 503, detail: 'Temporarily unavailable; try again' },
} as const satisfies Record<string, ProblemType>

/** Billing's own failures. The contract answers them as `{error: code}`. */
const billingProblems = {
  no_billing_customer: { status: 400, detail: 'This account is not a customer of the billing provider' },
  invalid_signature: { status: 400, detail: 'The signature is missing, wrong or too old' },
  billing_provider_error: { status: 502, detail: 'The billing provider failed; try again' },
  mail_events_not_configured: { status: 503, detail: 'No secret of the mail provider is configured' },
  billing_provider_not_configured: { status: 503, detail: 'No billing provider is configured' },
} as const satisfies Record<string, ProblemType>

/**
 * Failures that a client must tell apart. They are answered as `{detail, code}`, one code per situation in
 * every group.
 */
export const codedProblems = {
  email_complaint: {
    status: 409,
    detail: 'The owner of the address called an e-mail spam; only they can take that back',
  },
  flow_empty: { status: 400, detail: 'The flow has no steps yet' },
  flow_invalid: { status: 400, detail: 'The flow has errors; see `errors`' },
  invalid_targets: { status: 400, detail: 'The targets do not match the flow' },
  invite_code_invalid: { status: 400, detail: 'This invite code is wrong, used or expired' },
  invite_code_required: { status: 400, detail: 'Registering needs an invite code' },
  invite_email_mismatch: { status: 400, detail: 'This invite was sent to another address' },
  managed_by_flow: { status: 400, detail: 'This step belongs to a flow; change it there' },
  markdown_invalid: { status: 400, detail: 'The file cannot be read; see `problems`' },
  mfa_code_invalid: { status: 400, detail: 'The code is wrong or was used; enter the next one' },
  no_password: { status: 400, detail: 'You have no password yet; request a link to set one' },
  no_script: { status: 400, detail: 'This fix has no script; write one first' },
  no_target_list: { status: 400, detail: 'You cannot see the target list of this schedule' },
  not_own_team: { status: 400, detail: 'The flow belongs to another team; fork it first' },
  not_published: { status: 400, detail: 'The flow is not published; publish it first' },
  oauth_email_missing: { status: 400, detail: 'The identity provider returned no e-mail address' },
  oauth_email_unverified: {
    status: 400,
    detail: 'The identity provider has not verified your e-mail address',
  },
  oauth_refused: { status: 400, detail: 'The identity provider did not confirm this sign-in; start again' },
  oauth_state_invalid: {
    status: 400,
    detail: 'This sign-in was completed, has expired or was not started here; start again',
  },
  passkey_invalid: { status: 400, detail: 'The passkey was not accepted; start again' },
  platform_flow: {
    status: 400,
    detail: 'A flow that ships with the service cannot be changed; fork it first',
  },
  token_invalid_or_expired: {
    status: 400,
    detail: 'This link was used, has expired or is wrong; request a new one',
  },
  unknown_category: { status: 400, detail: 'This category does not exist' },
  unsupported_version: { status: 400, detail: 'This version of the format is not supported' },
  wrong_flow_type: { status: 400, detail: 'This needs a flow of another type' },
  wrong_password: { status: 400, detail: 'The current password is wrong' },
  mfa_token_invalid: { status: 401, detail: 'This sign-in has expired or was completed; sign in again' },
  refresh_token_reused: { status: 401, detail: 'This refresh token was used before; sign in again' },
  user_deactivated: {
    status: 401,
    detail: 'This user is deactivated; an admin of the account can activate them again',
  },
  account_admin_required: { status: 403, detail: 'Only an account admin may change this; ask one' },
  address_not_allowed: {
    status: 403,
    detail: 'This API key cannot be used from your address; an admin can change its addresses',
  },
  closed_to_keys: { status: 403, detail: 'API keys cannot call this operation; sign in as a user' },
  email_not_verified: { status: 403, detail: 'Verify your e-mail address to continue' },
  feature_disabled: {
    status: 403,
    detail: 'This feature is switched off for your account; ask who runs the service',
  },
  insufficient_scope: {
    status: 403,
    detail: 'The scopes of this API key do not include this operation; use one with `required_scope`',
  },
  kb_quota_exceeded: { status: 403, detail: 'Your plan allows no more knowledge imports; change the plan' },
  mfa_setup_required: { status: 403, detail: 'Set up two-factor sign-in to continue' },
  password_change_required: { status: 403, detail: 'Change your password to continue' },
  sso_required: {
    status: 403,
    detail: 'Your organisation signs in with its identity provider; sign in there',
  },
  step_up_required: { status: 403, detail: 'Verify your second factor again to continue' },
  subscription_lapsed: {
    status: 403,
    detail: "This account's subscription has lapsed; an admin can renew it in the billing portal",
  },
  invite_invalid_or_expired_or_revoked: { status: 404, detail: 'invite_invalid_or_expired_or_revoked' },
  link_ended: { status: 410, detail: 'This link was used, or what it leads to has ended' },
  account_not_empty: {
    status: 409,
    detail: 'The account already has flows, scripts, diagrams or target lists; import into a new account',
  },
  approval_required: { status: 409, detail: 'A colleague must approve this first; request an approval' },
  client_mismatch: {
    status: 409,
    detail: 'The machine belongs to another client than the case; name its client to confirm it',
  },
  already_claimed: { status: 409, detail: 'Another colleague has already claimed this' },
  already_committed: { status: 409, detail: 'This import has already become a flow' },
  already_decided: { status: 409, detail: 'This has already been decided' },
  already_has_ticket: { status: 409, detail: 'The session already has a ticket number' },
  already_member: { status: 409, detail: 'This address already belongs to a member' },
  already_pending: { status: 409, detail: 'An earlier one is still open' },
  already_pushed: { status: 409, detail: 'This output is already queued or pushed' },
  already_subscribed: {
    status: 409,
    detail: 'This account has a paid subscription; change it in the billing portal',
  },
  already_started: { status: 409, detail: 'Another user started this a few seconds ago' },
  domain_taken: { status: 409, detail: 'Another account has proved this domain' },
  domain_not_proved: {
    status: 409,
    detail: 'The TXT record is not there yet; a new record may take an hour to be seen',
  },
  email_taken: { status: 409, detail: 'This address is already taken' },
  idempotency_key_in_use: {
    status: 409,
    detail: 'The first request with this Idempotency-Key is still running',
  },
  in_use: { status: 409, detail: 'Something still uses this' },
  invite_closed: { status: 409, detail: 'This invite has already been accepted or revoked' },
  identity_taken: { status: 409, detail: 'This identity signs in another user; unlink it there first' },
  last_admin: { status: 409, detail: 'An account keeps at least one active admin' },
  last_sign_in_method: {
    status: 409,
    detail: 'You could not sign in without it; set a password or link another identity first',
  },
  last_super_admin: { status: 409, detail: 'The platform keeps at least one active super admin' },
  limit_reached: { status: 409, detail: 'The limit is reached' },
  mfa_already_enabled: { status: 409, detail: 'An authenticator app is set up already; remove it first' },
  mfa_not_enabled: { status: 409, detail: 'No second factor is set up' },
  name_taken: { status: 409, detail: 'This name is already taken' },
  no_approver: { status: 409, detail: 'Nobody else may approve this; ask an admin' },
  no_phone_gateway: { status: 409, detail: 'No gateway to phones is set up in this account' },
  no_decision: { status: 409, detail: 'There is no decision to undo' },
  no_draft: { status: 409, detail: 'There is no draft yet' },
  no_ticket: { status: 409, detail: 'This session has no ticket' },
  not_converted: { status: 409, detail: 'Convert the import first' },
  not_failed: { status: 409, detail: 'Only a failed one can be retried' },
  not_on_trial: { status: 409, detail: 'This account is not on a trial' },
  onboarding_step_passed: { status: 409, detail: 'A later step was already sent' },
  provider_id_taken: { status: 409, detail: 'Another plan already uses one of these provider ids' },
  provider_linked: {
    status: 409,
    detail: 'Another identity of this provider is linked to you; unlink it first',
  },
  psa_member_not_mapped: { status: 409, detail: 'You are not mapped to a member of the ticketing system' },
  psa_not_connected: { status: 409, detail: 'No ticketing system is connected to this account' },
  runner_not_connected: { status: 409, detail: 'No runner of scripts is connected to this account' },
  schedule_busy: { status: 409, detail: 'The schedule is catching up; try again in a minute' },
  seat_limit_reached: { status: 409, detail: 'Every seat of the plan is taken' },
  session_limit_reached: { status: 409, detail: 'Too many sessions are open; delete one first' },
  sso_not_connected: { status: 409, detail: 'No identity provider of an organisation is connected here' },
  stale_version: { status: 409, detail: 'Someone else changed this. Reload it and apply your change again' },
  step_not_current: { status: 409, detail: 'This is not the current step' },
  subflow_running: { status: 409, detail: 'A sub-flow is running; complete or abandon its session first' },
  subflow_unavailable: {
    status: 409,
    detail: 'The flow of this step cannot be run; answer the step by hand',
  },
  target_gone: { status: 409, detail: 'The flow to update no longer exists' },
  unsettled_items: {
    status: 409,
    detail: 'The case has proposals, questions or actions that nobody has decided on',
  },
  wrong_session_type: { status: 409, detail: 'This needs a session of another type' },
  wrong_state: { status: 409, detail: 'This is not possible in the current state' },
  websocket_unavailable: {
    status: 426,
    detail: 'There are no WebSockets here; request the server-sent events, without `Upgrade`',
  },
  ai_budget_exhausted: { status: 429, detail: "This month's AI budget is used up" },
  ai_quota_exceeded: { status: 429, detail: "This month's quota is used up" },
  sign_in_locked: { status: 429, detail: 'Too many failed sign-ins for this address; try again later' },
  masking_failed: { status: 500, detail: 'Masking failed; nothing was exported' },
  ai_provider_error: { status: 502, detail: 'The AI provider failed; try again' },
  ai_not_configured: { status: 503, detail: 'This service has no AI provider; its operator can add one' },
  mail_not_configured: {
    status: 503,
    detail: 'This service sends no e-mails; its operator can add a mail provider',
  },
  web_push_not_configured: {
    status: 503,
    detail: 'This service sends no notifications to browsers; its operator can add a key',
  },
  oauth_provider_error: {
    status: 502,
    detail: 'The identity provider does not answer as it should; try again',
  },
  psa_auth_failed: { status: 502, detail: 'The ticketing system refuses the credentials' },
  psa_error: { status: 502, detail: 'The ticketing system failed' },
  psa_rate_limited: { status: 502, detail: 'The ticketing system limits our calls; try again later' },
  psa_unavailable: { status: 502, detail: 'The ticketing system does not answer; try again' },
  runner_auth_failed: { status: 502, detail: 'The runner refuses the API key' },
  runner_error: { status: 502, detail: 'The runner failed or does not answer' },
} as const satisfies Record<string, ProblemType>

/**
 * Every failure the API can answer with. An operation declares those it throws beyond the ones its
 * declaration implies.
 */
export const problems = { ...plainProblems, ...billingProblems, ...codedProblems }

export type ErrorCode = keyof typeof codedProblems
export type ProblemKind = keyof typeof problems

/** One invalid value of a request, as the 422 body lists it. */
export interface FieldError {
  /** The place of the value: `path`, `query`, `body` or `header`, then the keys that lead to it. */
  loc: (string | number)[]
  /** Completes the sentence "<field> …". */
  msg: string
  type: string
}

export function isErrorCode(kind: ProblemKind): kind is ErrorCode {
  return kind in codedProblems
}

/** Return the body of a failure: `{detail}`, `{detail, code}`, or billing's `{error}`. */
export function problemBody(
  kind: ProblemKind,
  detail: string = problems[kind].detail,
): Record<string, unknown> {
  if (kind in billingProblems) return { error: kind }
  return isErrorCode(kind) ? { detail, code: kind } : { detail }
}

interface ProblemOptions {
  /** Facts that a client needs beside `detail`, such as the current version. */
  facts?: Record<string, unknown>
  headers?: Record<string, string>
  cause?: unknown
}

/** Thrown by services and turned into the answer. `detail` is shown to API callers. */
export class Problem extends Error {
  readonly kind: ProblemKind
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(kind: ProblemKind, detail?: string, { facts, headers = {}, cause }: ProblemOptions = {}) {
    super(detail ?? problems[kind].detail, { cause })
    this.kind = kind
    this.status = problems[kind].status
    this.body = kind in billingProblems ? problemBody(kind) : { ...problemBody(kind, detail), ...facts }
    this.headers = this.status === 401 ? { 'www-authenticate': 'Bearer', ...headers } : headers
  }

  /**
   * Return the body as JSON. It may name what was sent, cut or with half of a character, which strict readers
   * refuse.
   */
  toJson(): string {
    return JSON.stringify(this.body, (_, value: unknown) =>
      typeof value === 'string' ? value.toWellFormed() : value,
    )
  }
}

/** 404 for a row that does not exist or that the caller may not see. `resource` names it, as in "Team". */
export function notFound(resource: string): Problem {
  return new Problem('not_found', `${resource} not found`)
}

/** 404 as an expression: `return row ?? throwNotFound('Team')`. */
export function throwNotFound(resource: string): never {
  throw notFound(resource)
}

/**
 * 409 when another request changed the row first. Nothing was written. `resource` names it, as in "session".
 */
export function staleVersion(resource: string, facts: Record<string, unknown> = {}): Problem {
  return new Problem(
    'stale_version',
    `Someone else changed this ${resource}. Reload it and apply your change again`,
    { facts },
  )
}

/**
 * Throw 409 `stale_version` with `current_version` when a change is based on another version. `resource`
 * names the row, as in "script".
 */
export function requireVersion(
  resource: string,
  current: { version: number },
  expectedVersion: number | undefined,
): void {
  if (expectedVersion !== undefined && expectedVersion !== current.version)
    throw staleVersion(resource, { current_version: current.version })
}

/**
 * 409 when an account or a parent row holds as many of something as it may. `resource` is plural, as in
 * "branches".
 */
export function limitReached(resource: string, limit: number, detail: string): Problem {
  return new Problem('limit_reached', detail, { facts: { resource, limit } })
}

/** 422 for one value. `msg` completes the sentence "<field> …". */
export function invalidField(loc: FieldError['loc'], msg: string, type = 'invalid'): Problem {
  return invalidRequest([{ loc, msg, type }])
}

/** 422 for an id in the body that leads nowhere in this account. */
export function unknownId(field: string, resource: string): Problem {
  return invalidField(['body', field], `must be the id of an existing ${resource}`, 'unknown')
}

/** The errors that an answer lists at most. */
export const maxListedErrors = 50
const maxKeyLength = 200

/**
 * 422 with the invalid values: all of them, or the first 50 and their number. A caller could otherwise get an
 * answer larger than the request.
 */
export function invalidRequest(errors: readonly FieldError[]): Problem {
  const listedErrors = errors.slice(0, maxListedErrors).map(shortenKeys)
  if (errors.length <= maxListedErrors)
    return new Problem('invalid', undefined, { facts: { errors: listedErrors } })
  const detail = `The request is not valid; ${maxListedErrors} of ${errors.length.toLocaleString('en')} errors are listed`
  return new Problem('invalid', detail, { facts: { errors: listedErrors, error_count: errors.length } })
}

/** Shorten keys that the caller chose: each error under a long key would repeat it. */
function shortenKeys({ loc, ...error }: FieldError): FieldError {
  return { ...error, loc: loc.map((key) => (typeof key === 'string' ? key.slice(0, maxKeyLength) : key)) }
}

/** 403 for an API key that lacks a scope, such as `flows:write`. */
export function insufficientScope(required_scope: string, cause?: unknown): Problem {
  return new Problem('insufficient_scope', `This needs the scope ${required_scope}`, {
    facts: { required_scope },
    cause,
  })
}
