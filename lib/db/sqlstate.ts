import { Problem, type ProblemKind, unknownId } from '../problem.ts'

/** The problem for each SQLSTATE. `app.enter` and the triggers raise those with SF. */
const problemKinds: Record<string, ProblemKind> = {
  SF401: 'unauthenticated',
  SF403: 'forbidden',
  SF4EV: 'email_not_verified',
  SF4SL: 'subscription_lapsed',
  SF4PW: 'password_change_required',
  SF4FD: 'feature_disabled',
  SF4LA: 'last_admin',
  SF4LS: 'last_super_admin',
  SF4SE: 'seat_limit_reached',
  SF4IO: 'already_pending',
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
  '40001': 'unavailable',
  '40P01': 'unavailable',
  '55P03': 'unavailable',
  '57014': 'unavailable',
  '57P01': 'unavailable',
  '57P03': 'unavailable',
  '53300': 'unavailable',
}

/** Return the SQLSTATE of an error or of its cause, or undefined. */
export function getSqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)) return error.code
  return 'cause' in error ? getSqlState(error.cause) : undefined
}

/** Return the name of the constraint that an error violates, so that a service can answer each constraint differently. */
export function getViolatedConstraint(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : undefined
}

/** Create a `catch` handler that turns a unique violation into 409 `name_taken`. `resource` includes its article: "A category". */
export function throwNameTaken(resource: string) {
  return (error: unknown): never => {
    throw getSqlState(error) === '23505' ? new Problem('name_taken', `${resource} with this name already exists`) : error
  }
}

/** Create a `catch` handler that turns a foreign key violation into a 422 for `field` of the body. With `constraint`, only keys whose name contains that text. */
export function throwUnknownId(field: string, resource: string, constraint = '') {
  return (error: unknown): never => {
    const isField = getSqlState(error) === '23503' && (!constraint || getViolatedConstraint(error)?.includes(constraint))
    throw isField ? unknownId(field, resource) : error
  }
}

/** Turn an error of the database or of its connection into a Problem. Return undefined for any other error. */
export function toDatabaseProblem(error: unknown): Problem | undefined {
  const state = getSqlState(error)
  if (state) return new Problem(problemKinds[state] ?? 'internal', undefined, { cause: error })
  return isConnectionError(error) ? new Problem('unavailable', undefined, { cause: error, headers: { 'retry-after': '5' } }) : undefined
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    error.name === 'NeonDbError' ||
    error.name === 'TimeoutError' ||
    /timeout|WebSocket|Connection terminated|connection.*closed|Network connection lost/i.test(error.message)
  )
}
