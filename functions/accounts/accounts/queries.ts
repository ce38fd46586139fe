import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, byName, jsonb, now } from '#db/expressions.ts'
import type { JsonColumns } from '#db/json-columns.ts'
import { nameOrder, newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import { auditColumns } from '#db/rows/audit.ts'
import type { PlatformDb, ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { waitingWork } from '#db/waiting-work.ts'
import {
  type Account,
  type AccountUpdate,
  type AuditLogQuery,
  type Member,
  type MemberUpdate,
  Usage,
} from './schemas.ts'

function buildAccountQuery(db: ReadDb) {
  return db
    .selectFrom('accounts as a')
    .select([
      'a.id',
      'a.name',
      'a.timezone',
      'a.settings',
      'a.require_mfa',
      'a.brand_colour',
      'a.flow_review_months',
      'a.audit_log_days',
      'a.notification_days',
      'a.ai_message_days',
      'a.session_days',
      sql<string>`app.plan_of(a)`.as('plan'),
      sql<Account['subscription_status']>`app.subscription_of(a)`.as('subscription_status'),
      'a.trial_ends_at',
      'a.deletes_at',
      sql<number | null>`app.seats_of(a)`.as('max_users'),
      'a.created_at',
      sql<number>`(select count(*)::integer from users u where u.is_active)`.as('users'),
      sql<number>`(select count(*)::integer from invites i where app.is_open(i))`.as('open_invites'),
    ])
    .where('a.id', '=', accountId)
}

const quota = (name: keyof Usage) => sql`
  (select jsonb_build_object('used', app.quota_used(app.account_id(), ${sql.lit(name)}), 'limit', app.quota_limit(app.account_id(), ${sql.lit(name)})))
  as ${sql.ref(name)}`
const quotaNames = Object.keys(Usage.shape) as (keyof Usage)[]

/**
 * Return what the account uses of each quota. Counters and one account's slices of indexes are read, no
 * contents.
 */
export const selectUsage = readStatement(Usage, () => sql`select ${sql.join(quotaNames.map(quota))}`)

export function selectAccount(db: ReadDb) {
  return buildAccountQuery(db).executeTakeFirstOrThrow()
}

/**
 * Update the account and return it. Both statements run in one transaction: after the update, the caller may
 * lack the second factor that the account now requires.
 */
export async function updateAccount(db: WriteDb, { settings, retention, ...columns }: AccountUpdate) {
  const update = db
    .updateTable('accounts')
    .set({ ...columns, ...retention, settings: settings && jsonb(settings) })
    .where('id', '=', accountId)
  const [, [account]] = await db.batch([update, buildAccountQuery(db)])
  return account
}

const insertAdminMails = (purpose: 'account_deletion_requested' | 'account_deletion_cancelled') => sql`
  insert into deliveries (channel, recipient, purpose, user_id)
  select 'email', u.email, ${purpose}, u.id from a, users u
   where u.account_id = app.account_id() and u.role = 'admin' and u.is_active and u.email_verified_at is not null returning id`
const AdminMails = z.object({ delivery_id: z.string() })

/**
 * Set when the account is erased, unless that is set, and insert an e-mail to each admin. Return no row if
 * the account has another name, and for the platform's own account.
 */
export const requestDeletion = writeStatement(
  AdminMails,
  (name: string) => sql`
    with a as (
      update accounts set deletes_at = app.now() + interval '14 days', deletion_requested_by = app.user_id()
       where id = app.account_id() and id <> app.platform_account() and name = ${name} and deletes_at is null returning id
    ), mail as (${insertAdminMails('account_deletion_requested')})
    select id as delivery_id from mail`,
)

/** Cancel a scheduled deletion whose erasure has not begun, and insert an e-mail to each admin. */
export const restoreAccount = writeStatement(
  AdminMails,
  () => sql`
    with a as (
      update accounts set deletes_at = null, deletion_requested_by = null
       where id = app.account_id() and deletes_at is not null and erasing_at is null returning id
    ), mail as (${insertAdminMails('account_deletion_cancelled')})
    select id as delivery_id from mail`,
)

export async function selectPreferences(db: ReadDb): Promise<JsonColumns['accounts.preferences']> {
  const { preferences } = await db
    .selectFrom('accounts')
    .select('preferences')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return preferences
}

/**
 * Merge `changes` into the preferences at the top level, in one statement. Remove keys whose value is null.
 * Return all preferences.
 */
export async function mergePreferences(
  db: WriteDb,
  changes: Record<string, unknown>,
): Promise<JsonColumns['accounts.preferences']> {
  const mergedPreferences = sql<JsonColumns['accounts.preferences']>`(
    select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(preferences || ${jsonb(changes)}) where value <> 'null')`
  const { preferences } = await db
    .updateTable('accounts')
    .set({ preferences: mergedPreferences })
    .where('id', '=', accountId)
    .returning('preferences')
    .executeTakeFirstOrThrow()
  return preferences
}

const lastSeen = sql<string | null>`
  (select s.last_used_at from sign_ins s where s.account_id = u.account_id and s.user_id = u.id order by s.last_used_at desc limit 1)`
const memberColumns = [
  'u.id',
  'u.email',
  'u.full_name',
  'u.role',
  'u.team_id',
  'u.team_role',
  'u.is_active',
  sql<boolean>`u.email_verified_at is not null`.as('email_verified'),
  'u.created_at',
  lastSeen.as('last_seen_at'),
  sql<Member['email_problem']>`app.mail_problem(u.email)`.as('email_problem'),
] as const

/** Select a page of members by name. The inner query skips rows without reading their sign-ins. */
export function selectMembers(db: ReadDb, page: PageQuery): Promise<Member[]> {
  const users = db
    .selectFrom('users')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('is_service', '=', false)
    .where('erased_at', 'is', null)
    .$call(selectPage(nameOrder('full_name'), page))
  return db
    .selectFrom(users.as('u'))
    .select(memberColumns)
    .orderBy(byName('u.full_name'))
    .orderBy('u.id')
    .execute()
}

export async function isMember(db: ReadDb, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('is_service', '=', false)
    .where('erased_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

/** Count what waits for a member, by kind: with the platform role, because colleagues do not see all of it. */
export const selectWaitingWork = readStatement(
  z.object({ kind: z.string(), count: z.int() }),
  (account: string, id: string) => {
    const counts = Object.entries(waitingWork).map(([place, { kind, isOpen }]) => {
      const [table = '', column = ''] = place.split('.')
      const isTheirs =
        place === 'approvals.approver_ids'
          ? sql`${id}::uuid = any (t.approver_ids)`
          : sql`t.${sql.ref(column)} = ${id}::uuid`
      return sql`select ${kind} as kind, count(*)::integer as count from ${sql.table(table)} t
      where t.account_id = ${account} and ${isTheirs} and ${sql.raw(isOpen)}`
    })
    return sql`select * from (${sql.join(counts, sql` union all `)}) counts where count > 0`
  },
)

/**
 * End the problem of a member's address, unless it is a complaint. `is_complaint` is null for an unknown
 * member.
 */
export const endEmailProblem = writeStatement(
  z.object({ is_complaint: z.boolean().nullable() }),
  (id: string) => sql`select ${callFunction('app.end_email_problem', { p_user: id })} as is_complaint`,
)

/** Return the new team role: none without a team, and by default `member` in a new team. */
function toTeamRole({ team_id, team_role: newRole }: MemberUpdate): RawBuilder<Member['team_role']> | null {
  if (team_id === null) return null
  const role = newRole ?? null
  if (team_id === undefined) return sql`case when team_id is not null then coalesce(${role}, team_role) end`
  return sql`coalesce(${role}, case when team_id is distinct from ${team_id}::uuid then 'member' end, team_role)`
}

/**
 * Update the fields that are present. Clear the team role of a member who leaves a team; it defaults to
 * `member` for one who joins a team. Revoke the sign-ins of a deactivated member in the same statement.
 * Return the updated member, because a second query could fail: the update may have removed the caller's own
 * rights. Return undefined for an unknown member.
 */
export function updateMember(db: WriteDb, id: string, changes: MemberUpdate): Promise<Member | undefined> {
  const { role, team_id, is_active } = changes
  return db
    .with('u', (query) =>
      query
        .updateTable('users')
        .set({ role, team_id, is_active, team_role: toTeamRole(changes) })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .returningAll(),
    )
    .with('ended_sign_ins', (query) =>
      query
        .updateTable('sign_ins as s')
        .from('u')
        .set({ ended_at: now })
        .where('u.is_active', '=', false)
        .whereRef('s.user_id', '=', 'u.id')
        .where('s.ended_at', 'is', null),
    )
    .selectFrom('u')
    .select(memberColumns)
    .executeTakeFirst()
}

/**
 * Select a page of the audit log, newest first. The inner query skips entries within the index
 * `audit_logs_newest`.
 */
export function selectAuditLog(
  db: ReadDb,
  { from_sequence, to_sequence, ...page }: AuditLogQuery & PageQuery,
) {
  let entries = db.selectFrom('audit_logs').select('id').where('account_id', '=', accountId)
  if (from_sequence !== undefined) entries = entries.where('sequence', '>=', from_sequence)
  if (to_sequence !== undefined) entries = entries.where('sequence', '<=', to_sequence)
  return db
    .selectFrom(entries.$call(selectPage(newestFirst, page)).as('page'))
    .innerJoin('audit_logs as l', 'l.id', 'page.id')
    .leftJoin('users as actor', (join) =>
      join.onRef('actor.account_id', '=', 'l.account_id').onRef('actor.id', '=', 'l.actor_id'),
    )
    .select(auditColumns)
    .where('l.account_id', '=', accountId)
    .orderBy('l.created_at', 'desc')
    .orderBy('l.id', 'desc')
    .execute()
}

/**
 * Return the first and the last number of a range of the audit log, null if it is empty, and the number of the
 * entry that follows the first `most`, if there are more.
 */
export const selectAuditRange = readStatement(
  z.object({
    first_sequence: z.int().nullable(),
    last_sequence: z.int().nullable(),
    next_sequence: z.int().nullable(),
  }),
  ({ from_sequence = 1, to_sequence = Number.MAX_SAFE_INTEGER }: AuditLogQuery, most: number) => sql`
    with entries as not materialized (
      select l.sequence from audit_logs l
       where l.account_id = app.account_id() and l.sequence between ${from_sequence}::bigint and ${to_sequence}::bigint)
    select min(sequence) as first_sequence, max(sequence) as last_sequence,
           (select sequence from entries order by sequence offset ${most} limit 1) as next_sequence
      from entries`,
)

/** Select up to `limit` entries from one number to another, oldest first. */
export function selectAuditEntries(db: ReadDb, from: number, to: number, limit: number) {
  return db
    .selectFrom('audit_logs as l')
    .leftJoin('users as actor', (join) =>
      join.onRef('actor.account_id', '=', 'l.account_id').onRef('actor.id', '=', 'l.actor_id'),
    )
    .select(auditColumns)
    .where('l.account_id', '=', accountId)
    .where('l.sequence', '>=', from)
    .where('l.sequence', '<=', to)
    .orderBy('l.sequence')
    .limit(limit)
    .execute()
}

/** Return a user, of one account if `accountId` is given. */
export function selectUser(db: PlatformDb, userId: string, accountId: string | null) {
  const users = db
    .selectFrom('users')
    .select(['is_super_admin', 'has_second_factor'])
    .where('id', '=', userId)
  return (accountId ? users.where('account_id', '=', accountId) : users).executeTakeFirst()
}

/**
 * Delete the second factors of a user and revoke the sign-ins. Insert the audit entry and the e-mail. Return
 * undefined for a user without a second factor.
 */
export const resetFactors = writeStatement(
  z.object({ delivery_id: z.string().nullable() }),
  (userId: string, actorId: string, ip: string) => sql`
    with u as (
      select id, account_id from users where id = ${userId} and has_second_factor for no key update
    ), deleted_totp as (
      delete from totp_factors f using u where f.user_id = u.id
    ), deleted_passkeys as (
      delete from passkeys k using u where k.user_id = u.id
    ), ended_sign_ins as (
      update sign_ins s set ended_at = app.now() from u where s.account_id = u.account_id and s.user_id = u.id and s.ended_at is null
    )
    select app.record_factor_change(u.id, ${actorId}, 'second_factor.reset', ${ip}, 'second_factor_removed') as delivery_id from u`,
)
