import { invalid, Problem, type ProblemKind } from '../problem.ts'

/** app.enter's refusals, and what a constraint says about the request when no service said it better. */
const kinds: Record<string, ProblemKind> = {
  SF401: 'unauthenticated',
  SF403: 'forbidden',
  SF4EV: 'email_not_verified',
  SF4SL: 'subscription_lapsed',
  SF4PW: 'password_change_required',
  SF4FD: 'feature_disabled',
  SF4LA: 'conflict',
  SF4LS: 'conflict',
  SF4SE: 'conflict',
  SF4IO: 'conflict',
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

/** PostgreSQL's code of an error, its own or that of a cause; undefined when the database did not speak. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('code' in error && typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code)) return error.code
  return 'cause' in error ? sqlState(error.cause) : undefined
}

/** The constraint a refused row ran into, for a service that has a better word for it. */
export function violated(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : undefined
}

/** Says of a row that would be the second of its name that the name is taken; other errors go on. `what` is as in «A category». */
export function nameTaken(what: string) {
  return (error: unknown): never => {
    const detail = `${what} of this name is there already`
    throw sqlState(error) === '23505' ? new Problem('conflict', detail, { code: 'name_taken' }) : error
  }
}

/** Says of a body's id that leads nowhere, in this account, that there is no such thing; other errors go on. */
export function noSuch(field: string, what: string, constraint = '') {
  return (error: unknown): never => {
    const ours = sqlState(error) === '23503' && (!constraint || violated(error)?.includes(constraint))
    throw ours ? invalid([{ loc: ['body', field], msg: `No such ${what}`, type: 'unknown' }]) : error
  }
}

/** What the rules that live in triggers say, and the code by which a client tells it apart. */
const rules: Record<string, { detail: string; code: string }> = {
  SF4LA: { detail: 'An account keeps at least one active admin', code: 'last_admin' },
  SF4LS: { detail: 'The platform keeps at least one active super admin', code: 'last_super_admin' },
  SF4SE: { detail: 'Every seat of the plan is taken', code: 'seat_limit_reached' },
  SF4IO: { detail: 'An open invite for this address is there already', code: 'invite_open' },
}

/** Turns a database error into the problem the caller sees, or undefined when it is none of the database's. */
export function problemOf(error: unknown): Problem | undefined {
  const state = sqlState(error)
  const rule = rules[state ?? '']
  if (rule) return new Problem('conflict', rule.detail, { code: rule.code, cause: error })
  if (state) return new Problem(kinds[state] ?? 'internal', undefined, { cause: error })
  return unreachable(error) ? new Problem('unavailable', undefined, { cause: error, headers: { 'retry-after': '5' } }) : undefined
}

function unreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    error.name === 'NeonDbError' ||
    error.name === 'TimeoutError' ||
    /timeout|WebSocket|Connection terminated|connection.*closed|Network connection lost/i.test(error.message)
  )
}
