import { sql } from 'kysely'
import type { AuditRow } from '../../../lib/db/rows/audit.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { AccountUpdate, Member, MemberUpdate } from './schemas.ts'

interface AccountRow {
  id: string
  name: string
  timezone: string
  settings: Record<string, never>
  plan: string
  subscription_status: 'trialing' | 'free' | 'active' | 'past_due' | 'unpaid' | 'canceled'
  trial_ends_at: string | null
  max_users: number | null
  users: number
  open_invites: number
  created_at: string
}

export async function selectAccount(db: ReadDb): Promise<AccountRow> {
  const { rows } = await sql<AccountRow>`
    select a.id, a.name, a.timezone, a.settings, app.plan_of(a) as plan, app.subscription_of(a) as subscription_status, a.trial_ends_at,
           app.seats_of(a) as max_users, a.created_at,
           (select count(*)::integer from users u where u.is_active) as users,
           (select count(*)::integer from invites i where app.is_open(i)) as open_invites
      from accounts a where a.id = app.account_id()`.execute(db as WriteDb)
  return rows[0] as AccountRow
}

export async function updateAccount(db: WriteDb, { settings, ...columns }: AccountUpdate): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ ...columns, ...(settings ? { settings: JSON.stringify(settings) } : {}) } as { name?: string })
    .where('id', '=', sql<string>`app.account_id()`)
    .execute()
}

export async function selectPreferences(db: ReadDb): Promise<Record<string, never>> {
  const { rows } = await sql<{ preferences: Record<string, never> }>`select preferences from accounts where id = app.account_id()`.execute(
    db as WriteDb,
  )
  return rows[0]?.preferences ?? {}
}

/** Merge `changes` into the preferences at the top level, in one statement. Remove keys whose value is null. Return all preferences. */
export async function mergePreferences(db: WriteDb, changes: Record<string, unknown>): Promise<Record<string, never>> {
  const { rows } = await sql<{ preferences: Record<string, never> }>`
    update accounts set preferences = (
      select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(preferences || ${JSON.stringify(changes)}::jsonb) where value <> 'null')
     where id = app.account_id() returning preferences`.execute(db)
  return rows[0]?.preferences ?? {}
}

const memberColumns = sql`
  u.id, u.email, u.full_name, u.role, u.team_id, u.team_role, u.is_active, u.email_verified_at is not null as email_verified, u.created_at,
  (select max(s.last_used_at) from sign_ins s where s.account_id = u.account_id and s.user_id = u.id) as last_seen_at`

export async function selectMembers(db: ReadDb, skip: number, limit: number): Promise<Member[]> {
  const { rows } = await sql<Member>`
    select ${memberColumns} from users u where u.account_id = app.account_id()
     order by u.full_name, u.id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

/**
 * Update the fields that are present. Clear the team role of a member who leaves a team; it defaults to `member` for one who joins a team.
 * Revoke the sign-ins of a deactivated member in the same statement. Return the updated member, because a second query could fail: the
 * update may have removed the caller's own rights. Return undefined for an unknown member.
 */
export async function updateMember(
  db: WriteDb,
  id: string,
  { role, team_id, team_role, is_active }: MemberUpdate,
): Promise<Member | undefined> {
  const { rows } = await sql<Member>`
    with updated_member as (
      update users set
        role = coalesce(${role ?? null}, role),
        team_id = case when ${team_id !== undefined} then ${team_id ?? null}::uuid else team_id end,
        team_role = case when ${team_id === null} or (${team_id === undefined} and team_id is null) then null
                         else coalesce(${team_role ?? null}, case when ${team_id !== undefined} and team_id is distinct from ${team_id ?? null}::uuid then 'member' end, team_role) end,
        is_active = coalesce(${is_active ?? null}::boolean, is_active)
       where id = ${id} returning *
    ), ended_sign_ins as (
      update sign_ins s set ended_at = app.now() from updated_member u where not u.is_active and s.user_id = u.id and s.ended_at is null
    )
    select ${memberColumns} from updated_member u`.execute(db)
  return rows[0]
}

export async function selectAuditLog(db: ReadDb, skip: number, limit: number) {
  const { rows } = await sql<AuditRow>`
    select l.id, l.account_id, l.actor_id, u.full_name as actor_name, l.action, l.resource_type, l.resource_id, l.changes, l.ip, l.created_at
      from audit_logs l left join users u on u.account_id = l.account_id and u.id = l.actor_id
     where l.account_id = app.account_id()
     order by l.created_at desc, l.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}
