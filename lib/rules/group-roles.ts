export type MemberRole = 'viewer' | 'engineer' | 'admin'

/** What the members of a group of the organisation get. */
export interface GroupRole {
  group: string
  role: MemberRole
  /** Null to leave the team as it is. */
  team_id: string | null
}

const rank: Record<MemberRole, number> = { viewer: 0, engineer: 1, admin: 2 }

/**
 * Return the highest role of a person's groups, and the team of the first that has one. Return null when the
 * provider decides nothing: no group has a role, or it has left the groups out.
 */
export function grantByGroups(
  groupRoles: readonly GroupRole[],
  defaultRole: MemberRole,
  groups: readonly string[] | null,
): { role: MemberRole; teamId: string | null } | null {
  if (groupRoles.length === 0 || groups === null) return null
  const theirGroups = new Set(groups)
  const grants = groupRoles.filter(({ group }) => theirGroups.has(group))
  const role = grants.reduce<MemberRole>(
    (highest, grant) => (rank[grant.role] > rank[highest] ? grant.role : highest),
    grants[0]?.role ?? defaultRole,
  )
  return { role, teamId: grants.find(({ team_id }) => team_id !== null)?.team_id ?? null }
}
