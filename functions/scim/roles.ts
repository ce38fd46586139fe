import type { WriteDb } from '#db/scope.ts'
import { announceLeaver } from '#functions/oncall/shift-notices/service.ts'
import { grantByGroups } from '#rules/group-roles.ts'
import { ScimError } from './errors.ts'
import * as queries from './queries.ts'

/** Give members the roles and teams of their groups, as a sign-in does. The last admin stays one: 403. */
export async function applyGroupRoles(db: WriteDb, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const { group_roles, default_role } = await queries.selectConnection(db)
  if (group_roles.length === 0) return
  const changes = (await queries.selectGrants.all(db, ids)).flatMap(({ id, role, team_id, groups }) => {
    const grant = grantByGroups(group_roles, default_role, groups)
    if (!grant || (grant.role === role && (grant.teamId === null || grant.teamId === team_id))) return []
    return [{ id, role: grant.role, team_id: grant.teamId }]
  })
  if (changes.length > 0) await announceLeaver(db, null, (inner) => queries.saveGrants.run(inner, changes))
}

/** Do a change that keeps an admin who can sign in while the provider is away, where it is enforced. */
export async function keepWayPastProvider<T>(db: WriteDb, change: () => Promise<T>): Promise<T> {
  const before = await queries.hasWayPastProvider.one(db)
  const result = await change()
  if (before.has_way && !(await queries.hasWayPastProvider.one(db)).has_way)
    throw new ScimError(
      403,
      'This is the last admin with a password and a second factor, who signs in while the provider is away. Name another one first',
    )
  return result
}
