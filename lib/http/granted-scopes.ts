import { accountId } from '#db/expressions.ts'
import type { Caller, ReadDb } from '#db/scope.ts'
import { insufficientScope, Problem } from '#problem.ts'

// What a program may do beyond the scope of the operation that it calls: an API key, or an MCP client that
// acts for a person.

interface Program {
  caller: Caller
  db: ReadDb
}

/**
 * Return whether one of the granted scopes includes a scope. `write` includes `read`, and `*` every subject.
 */
export function includesScope(granted: readonly string[], scope: string): boolean {
  const [subject, right] = scope.split(':')
  const rights = right === 'read' ? ['read', 'write'] : ['write']
  return rights.some((each) => granted.includes(`${subject}:${each}`) || granted.includes(`*:${each}`))
}

/** Return the scopes of a program. Null for a person, who may do everything that their role allows. */
export async function readGrantedScopes({ caller, db }: Program): Promise<readonly string[] | null> {
  if (caller.scopes) return caller.scopes
  if (!caller.key) return null
  const key = await db
    .selectFrom('api_keys')
    .select('scopes')
    .where('account_id', '=', accountId)
    .where('id', '=', caller.userId)
    .executeTakeFirst()
  return key?.scopes ?? []
}

/** Throw 403 for a program without one of these scopes. */
export async function requireGranted(program: Program, scopes: readonly string[]): Promise<void> {
  const granted = await readGrantedScopes(program)
  const missing = granted && scopes.find((scope) => !includesScope(granted, scope))
  if (missing) throw insufficientScope(missing)
}

/** Throw 403 for a program: only a person decides what leaves the account. */
export function requirePerson({ caller }: Pick<Program, 'caller'>): void {
  if (caller.key || caller.scopes) throw new Problem('closed_to_keys', 'Only a person can make a flow public')
}
