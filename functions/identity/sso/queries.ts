import { sql } from 'kysely'
import * as z from 'zod'
import { selectGroupNames } from '#db/rows/provisioned-groups.ts'
import type { PlatformDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { MemberRole } from '#rules/group-roles.ts'

/** Who a person is at the provider of an organisation. */
export interface IdentityKey {
  accountId: string
  connectionId: string
  issuer: string
  subject: string
}

const memberColumns = ['u.id', 'u.role', 'u.team_id', 'u.is_active'] as const

/** Select the member whom the provider knows by this subject. */
export function selectLinked(platform: PlatformDb, { accountId, issuer, subject }: IdentityKey) {
  return platform
    .selectFrom('sso_identities as i')
    .innerJoin('users as u', (join) =>
      join.onRef('u.account_id', '=', 'i.account_id').onRef('u.id', '=', 'i.user_id'),
    )
    .select(memberColumns)
    .where('i.account_id', '=', accountId)
    .where('i.issuer', '=', issuer)
    .where('i.subject', '=', subject)
    .executeTakeFirst()
}
export type LinkedMember = NonNullable<Awaited<ReturnType<typeof selectLinked>>>

/** The groups of a member that the provider provisions, by name and by id at the provider. */
export const selectGroups = readStatement(
  z.object({ name: z.string() }),
  (accountId: string, userId: string) => selectGroupNames(accountId, userId),
)

/** Select the member of an account who has an address, an active one if there are several. */
export function selectByAddress(platform: PlatformDb, accountId: string, email: string) {
  return platform
    .selectFrom('users as u')
    .select(memberColumns)
    .where('u.account_id', '=', accountId)
    .where(sql<string>`lower(u.email)`, '=', email.toLowerCase())
    .where('u.is_service', '=', false)
    .orderBy('u.is_active', 'desc')
    .executeTakeFirst()
}

/** Link a member, whose address the provider vouches for. Violates a key if they or the subject are linked. */
export const linkMember = writeStatement(
  null,
  ({ accountId, connectionId, issuer, subject }: IdentityKey, userId: string) => sql`
    with verified as (
      update users set email_verified_at = app.now() where account_id = ${accountId} and id = ${userId} and email_verified_at is null
    )
    insert into sso_identities (account_id, connection_id, issuer, subject, user_id)
    values (${accountId}, ${connectionId}, ${issuer}, ${subject}, ${userId})`,
)

export interface NewMember {
  email: string
  fullName: string
  role: MemberRole
  /** Null for the first team of the account. */
  teamId: string | null
  inviteId: string | null
}

/** Insert a member who joins by the provider. Violates `users_email` if somebody has the address. */
export const insertMember = writeStatement(
  z.object({ id: z.string() }),
  ({ accountId, connectionId, issuer, subject }: IdentityKey, member: NewMember) => sql`
    with t as (
      select coalesce(
        (select id from teams where account_id = ${accountId} and id = ${member.teamId}::uuid),
        (select id from teams where account_id = ${accountId} order by created_at, id limit 1)) as id
    ), u as (
      insert into users (account_id, email, full_name, role, team_id, team_role, email_verified_at)
      select ${accountId}, ${member.email}, ${member.fullName}, ${member.role}, t.id, case when t.id is not null then 'member' end, app.now() from t
      returning id
    ), updated_invite as (
      update invites set accepted_by = u.id from u where account_id = ${accountId} and invites.id = ${member.inviteId}::uuid
    ), i as (
      insert into sso_identities (account_id, connection_id, issuer, subject, user_id)
      select ${accountId}, ${connectionId}, ${issuer}, ${subject}, id from u
    )
    select id from u`,
)

/** Set the role and the team that the groups of a member give. A team that does not exist any more changes nothing. */
export const updateByGroups = writeStatement(
  null,
  (accountId: string, userId: string, role: MemberRole, teamId: string | null) => sql`
    with t as (select id from teams where account_id = ${accountId} and id = ${teamId}::uuid)
    update users u set role = ${role}, team_id = coalesce((select id from t), u.team_id),
           team_role = case when coalesce((select id from t), u.team_id) is distinct from u.team_id then 'member' else u.team_role end
     where u.account_id = ${accountId} and u.id = ${userId}`,
)
