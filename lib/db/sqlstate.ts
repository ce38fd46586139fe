import * as z from 'zod'
import { insufficientScope, Problem, type ProblemKind, unknownId } from '#problem.ts'
import { parseJson } from '#rules/text/json.ts'

/** A write was refused because the transaction is read only. */
export const readOnlyState = '25006'

const unknownStatementState = '26000'

/** The problem for each SQLSTATE. `app.enter` and the triggers raise those with SF. */
const problemKinds: Record<string, ProblemKind> = {
  SF401: 'unauthenticated',
  SF403: 'forbidden',
  SF4EV: 'email_not_verified',
  SF4SL: 'subscription_lapsed',
  SF4PW: 'password_change_required',
  SF4FD: 'feature_disabled',
  SF4MF: 'mfa_setup_required',
  SF4SU: 'step_up_required',
  SF4AA: 'account_admin_required',
  SF4LA: 'last_admin',
  SF4LS: 'last_super_admin',
  SF4SE: 'seat_limit_reached',
  SF4SO: 'sso_required',
  SF4IO: 'already_pending',
  SF4LR: 'limit_reached',
  SF4SF: 'flow_invalid',
  SF409: 'stale_version',
  SF4KN: 'closed_to_keys',
  SF4KS: 'insufficient_scope',
  SF4KA: 'address_not_allowed',
  '23505': 'conflict',
  '23503': 'conflict',
  '23514': 'invalid',
  '22001': 'invalid',
  '22003': 'invalid',
  '22007': 'invalid',
  '22008': 'invalid',
  '22009': 'invalid',
  '22021': 'invalid',
  '22P02': 'invalid',
  '22P05': 'invalid',
  '55P03': 'unavailable',
  // PostgreSQL ended the connection, which was idle for too long.
  '25P03': 'unavailable',
  '25P04': 'unavailable',
  // A pooler, or a server that took over, does not know the prepared statement.
  [unknownStatementState]: 'unavailable',
  // A standby, or a server that its provider has set to read only, for example because its disk is full.
  [readOnlyState]: 'unavailable',
  // The server does not let this service in, or not to this database: passwords are rotated, or it moves.
  '28000': 'unavailable',
  '28P01': 'unavailable',
  '3D000': 'unavailable',
}
// Connection exceptions, transactions that PostgreSQL rolled back, insufficient resources such as
// `53300 too_many_connections`, interventions such as `57P01 admin_shutdown`, and system errors such as `58030 io_error`:
// https://www.postgresql.org/docs/18/errcodes-appendix.html
const unavailableClasses = /^(08|40|53|57|58)/
const retryAfter = { 'retry-after': '5' }

/**
 * Return the SQLSTATE of an error or of its cause, or undefined. No class starts with E, but codes of the
 * system do, such as EPIPE.
 */
export function getSqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('code' in error && typeof error.code === 'string' && /^(?!E)[0-9A-Z]{5}$/.test(error.code))
    return error.code
  return 'cause' in error ? getSqlState(error.cause) : undefined
}

/**
 * Return the name of the constraint that an error violates, so that a service can answer each constraint
 * differently.
 */
export function getViolatedConstraint(error: unknown): string | undefined {
  return typeof error === 'object' &&
    error !== null &&
    'constraint' in error &&
    typeof error.constraint === 'string'
    ? error.constraint
    : undefined
}

/**
 * Create a `catch` handler that turns a unique violation into 409 `name_taken`. `resource` includes its
 * article: "A category".
 */
export function throwNameTaken(resource: string) {
  return (error: unknown): never => {
    throw getSqlState(error) === '23505'
      ? new Problem('name_taken', `${resource} with this name already exists`)
      : error
  }
}

/**
 * Create a `catch` handler that turns a foreign key violation into a 422 for `field` of the body. With
 * `constraint`, only keys whose name contains that text.
 */
export function throwUnknownId(field: string, resource: string, constraint = '') {
  return (error: unknown): never => {
    const isField =
      getSqlState(error) === '23503' && (!constraint || getViolatedConstraint(error)?.includes(constraint))
    throw isField ? unknownId(field, resource) : error
  }
}

/**
 * Turn an error of the database or of its connection into a Problem. Return undefined for any other error.
 */
export function toDatabaseProblem(error: unknown): Problem | undefined {
  const state = getSqlState(error)
  const kind = state ? toProblemKind(state, error) : isConnectionError(error) ? 'unavailable' : undefined
  if (kind === 'limit_reached') return createLimitProblem(error)
  if (kind === 'insufficient_scope') return insufficientScope(findDetail(error) ?? '', error)
  return (
    kind && new Problem(kind, undefined, { cause: error, headers: kind === 'unavailable' ? retryAfter : {} })
  )
}

const LimitFacts = z.object({ resource: z.string(), used: z.number(), limit: z.number() })

/** Create the 409 of `app.raise_limit_reached`, whose facts are the error's detail. */
function createLimitProblem(error: unknown): Problem {
  const { data: facts } = LimitFacts.safeParse(parseJson(findDetail(error) ?? ''))
  const detail =
    facts && `The account has reached its limit of ${facts.limit} ${facts.resource.replaceAll('_', ' ')}`
  return new Problem('limit_reached', detail, { facts: facts ?? {}, cause: error })
}

/** Return the detail of an error of PostgreSQL or of its cause, or undefined. */
export function findDetail(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('detail' in error && typeof error.detail === 'string') return error.detail
  return 'cause' in error ? findDetail(error.cause) : undefined
}

/**
 * Failures of Neon's proxy while it starts or moves a database, or after a quota is used up, which have the state of
 * an internal error: https://neon.com/docs/connect/connection-errors
 */
const proxyFailure =
  /control plane request failed|couldn't connect to compute node|failed to acquire permit|exceeded the (limit|[a-z ]+ quota)/i

/**
 * Return whether a prepared statement no longer fits: the schema changed ("cached plan must not change result type"),
 * or who answers now does not know the statement. PostgreSQL translates messages, but not the name of its routine.
 */
export function isStaleStatement(error: unknown): boolean {
  const state = getSqlState(error)
  return (
    state === unknownStatementState || (state === '0A000' && findRoutine(error) === 'RevalidateCachedQuery')
  )
}

function findRoutine(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return undefined
  return 'routine' in error ? error.routine : 'cause' in error ? findRoutine(error.cause) : undefined
}

function toProblemKind(state: string, error: unknown): ProblemKind {
  if (state === 'XX000' && error instanceof Error && proxyFailure.test(error.message)) return 'unavailable'
  if (isStaleStatement(error)) return 'unavailable'
  return problemKinds[state] ?? (unavailableClasses.test(state) ? 'unavailable' : 'internal')
}

// Neon's driver and the `pg` inside it report a lost connection by message only. workerd adds "WebSocket …"
// and "Network connection lost."
const connectionErrorMessage =
  /timeout|WebSocket|Connection terminated|connection.*closed|Network connection lost|is not queryable|establishing an SSL connection/i

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return isErrorEvent(error)
  return (
    error.name === 'NeonDbError' ||
    error.name === 'TimeoutError' ||
    connectionErrorMessage.test(error.message)
  )
}

/**
 * Return whether this is the event of a WebSocket that failed, with which Neon's driver rejects instead of an
 * Error.
 */
function isErrorEvent(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'type' in error && error.type === 'error'
}
