import type { Access } from '#db/scope.ts'
import { insufficientScope, Problem, type ProblemKind } from '#problem.ts'
import { type AnyOperation, requiresToken } from './operation.ts'

/**
 * The subjects that keys may use, which are the first parts of operation ids. Those of sign-in, billing,
 * administration and a person's inbox are not among them, and a new subject is closed until it is added.
 */
export const keySubjects = [
  'accounts',
  'ai',
  'analytics',
  'authoring',
  'diagrams',
  'flows',
  'maintenance',
  'oncall',
  'psa',
  'scripts',
  'search',
  'sessions',
  'uploads',
] as const
const readOnlySubjects: readonly string[] = ['accounts', 'analytics', 'search']
const keyAccesses: readonly string[] = ['user', 'engineer', 'team_admin'] satisfies Access[]

/** Every scope that a key can have. `*` stands for all subjects; `write` includes `read`. */
export const keyScopes: readonly string[] = ['*', ...keySubjects].flatMap((subject) =>
  readOnlySubjects.includes(subject) ? [`${subject}:read`] : [`${subject}:read`, `${subject}:write`],
)

/**
 * Return the scope that a key needs for an operation, or null for one that is closed to keys: what anyone may
 * call, what only account admins and super admins may, what needs a second factor, and what a person needs to
 * get past a guard.
 */
export function getKeyScope(op: AnyOperation): string | null {
  const [subject] = op.id.split('.')
  const isOpen = requiresToken(op) && !op.closedToKeys && !op.stepUp && (op.skipGuards ?? 'none') === 'none'
  const scope = `${subject}:${op.method === 'get' ? 'read' : 'write'}`
  return isOpen && keyAccesses.includes(op.access) && keyScopes.includes(scope) ? scope : null
}

/**
 * Return the scopes of which a key needs one, the smallest first. An operation that is closed to keys has
 * none.
 */
export function listSufficientScopes(op: AnyOperation): string[] {
  const scope = getKeyScope(op)
  if (!scope) return []
  const [subject, right] = scope.split(':')
  return right === 'read' ? [scope, `${subject}:write`, '*:read', '*:write'] : [scope, '*:write']
}

/**
 * Throw 403 unless one of the granted scopes suffices. `sufficient` is empty for an operation that is closed
 * to keys.
 */
export function requireScope(sufficient: readonly string[], granted: readonly string[]): void {
  if (sufficient.length === 0) throw new Problem('closed_to_keys')
  if (!sufficient.some((scope) => granted.includes(scope))) throw insufficientScope(sufficient[0] ?? '')
}

/** Failures that only an API key meets. The OpenAPI document describes them once, not per operation. */
export const keyFailures: readonly ProblemKind[] = [
  'address_not_allowed',
  'closed_to_keys',
  'insufficient_scope',
]
