import { type NotNull, sql } from 'kysely'
import { toFoldedPattern } from '#db/like.ts'
import { latestIdFirst, newestFirst, type Order, type PageQuery, selectPage } from '#db/page.ts'
import { auditColumns } from '#db/rows/audit.ts'
import type { PlatformDb, StaffDb } from '#db/scope.ts'
import type { AccountQuery, AdminAccount, AdminUser, AuditQuery, Subscription, UserQuery } from './schemas.ts'

// Ids grow with time, so `order by id desc` lists the newest first and uses the primary key.

const userColumns = [
  'u.id',
  'u.email',
  'u.full_name',
  'u.account_id',
  'a.name as account_name',
  'u.role',
  'u.team_id',
  'u.team_role',
  'u.is_super_admin',
  'u.is_active',
  sql<boolean>`u.email_verified_at is not null`.as('email_verified'),
  'u.must_change_password',
  'u.timezone',
  'u.created_at',
  'u.last_login_at',
] as const
const userCount = sql<number>`(select count(*)::integer from users m where m.account_id = a.id and m.is_active)`
const accountColumns = ['a.id', 'a.name', 'a.timezone', userCount.as('user_count'), 'a.created_at'] as const
const plan = sql<string>`app.plan_of(a)`
const subscriptionStatus = sql<Subscription['status']>`app.subscription_of(a)`
const planLimits = sql<Subscription['limits']>`
  (select jsonb_build_object('max_users', l.max_users, 'max_kb_imports', l.max_kb_imports, 'max_ai_builds_per_month', l.max_ai_builds_per_month)
     from plan_limits l where l.plan = app.plan_of(a))`
const subscriptionColumns = [
  'a.id as account_id',
  plan.as('plan'),
  subscriptionStatus.as('status'),
  'a.trial_ends_at',
  'a.past_due_since',
  planLimits.as('limits'),
] as const

function selectUserRows(db: PlatformDb) {
  return db
    .selectFrom('users as u')
    .innerJoin('accounts as a', 'a.id', 'u.account_id')
    .select(userColumns)
    .where('u.is_service', '=', false)
}

export function selectUsers(
  db: StaffDb,
  { q, account_id, ...page }: UserQuery & PageQuery,
): Promise<AdminUser[]> {
  let users = selectUserRows(db)
  if (q)
    users = users.where(sql<boolean>`app.fold(u.email || E'\\n' || u.full_name) like ${toFoldedPattern(q)}`)
  if (account_id) users = users.where('u.account_id', '=', account_id)
  return users.$call(selectPage(latestIdFirst, page, 'u')).execute()
}

export function selectUser(db: StaffDb, id: string): Promise<AdminUser | undefined> {
  return selectUserRows(db).where('u.id', '=', id).executeTakeFirst()
}

function selectAccountId(db: PlatformDb, userId: string) {
  return db.selectFrom('users').select('account_id').where('id', '=', userId).where('is_service', '=', false)
}

// Staff also act in accounts other than their own, so the join does not compare the account of the actor.
function selectAuditRows(db: PlatformDb) {
  return db
    .selectFrom('audit_logs as l')
    .leftJoin('users as actor', 'actor.id', 'l.actor_id')
    .select(auditColumns)
}

function selectLastSignIns(db: PlatformDb, userId: string) {
  return db
    .selectFrom('sign_ins')
    .select(['id', 'user_agent', 'ip', 'created_at', 'last_used_at', 'expires_at', 'ended_at'])
    .where('account_id', '=', selectAccountId(db, userId))
    .where('user_id', '=', userId)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(50)
}

function selectLastAuditRows(db: PlatformDb, userId: string) {
  return selectAuditRows(db)
    .where('l.account_id', '=', selectAccountId(db, userId))
    .where((eb) => eb.or([eb('l.actor_id', '=', userId), eb('l.resource_id', '=', userId)]))
    .orderBy('l.created_at', 'desc')
    .orderBy('l.id', 'desc')
    .limit(50)
}

/**
 * Return a user with account, subscription, and the last sign-ins and audit rows, in one round trip;
 * undefined for an unknown user.
 */
export async function selectUserDetail(db: StaffDb, id: string) {
  const [users, accounts, subscriptions, sessions, audit_logs] = await db.batch([
    selectUserRows(db).where('u.id', '=', id),
    db.selectFrom('accounts as a').select(accountColumns).where('a.id', '=', selectAccountId(db, id)),
    selectSubscriptionRow(db, id),
    selectLastSignIns(db, id),
    selectLastAuditRows(db, id),
  ])
  const [user, account, subscription] = [users[0], accounts[0], subscriptions[0]]
  return user && account && subscription ? { user, account, subscription, sessions, audit_logs } : undefined
}

/** Return undefined for an unknown user. */
export function updateSuperAdmin(
  db: StaffDb,
  id: string,
  isSuperAdmin: boolean,
): Promise<AdminUser | undefined> {
  return db
    .with('u', (query) =>
      query.updateTable('users').set({ is_super_admin: isSuperAdmin }).where('id', '=', id).returningAll(),
    )
    .selectFrom('u')
    .innerJoin('accounts as a', 'a.id', 'u.account_id')
    .select(userColumns)
    .executeTakeFirst()
}

function selectSubscriptionRow(db: PlatformDb, userId: string) {
  return db
    .selectFrom('accounts as a')
    .innerJoin('users as u', 'u.account_id', 'a.id')
    .select(subscriptionColumns)
    .where('u.id', '=', userId)
}

export function selectSubscription(db: StaffDb, userId: string): Promise<Subscription | undefined> {
  return selectSubscriptionRow(db, userId).executeTakeFirst()
}

/**
 * Set the plan of a user's account and the subscription status that goes with it. Return undefined for an
 * unknown user. Violates a foreign key for an unknown plan.
 */
export function updatePlan(db: StaffDb, userId: string, plan: string): Promise<Subscription | undefined> {
  const paidStatus = sql<
    Subscription['status']
  >`case when app.subscription_of(a) = 'free' then 'active' else a.subscription_status end`
  return db
    .updateTable('accounts as a')
    .from('users as u')
    .set(({ ref }) => ({
      plan,
      subscription_status: plan === 'free' ? 'free' : paidStatus,
      past_due_since: plan === 'free' ? null : ref('a.past_due_since'),
    }))
    .where('u.id', '=', userId)
    .whereRef('a.id', '=', 'u.account_id')
    .returning(subscriptionColumns)
    .executeTakeFirst()
}

/**
 * Extend a trial, from now if it has ended. Return null for an account that is not on a trial, and undefined
 * for an unknown user.
 */
export async function extendTrial(
  db: StaffDb,
  userId: string,
  days: number,
): Promise<Subscription | null | undefined> {
  const trialEnd = sql<string>`greatest(a.trial_ends_at, app.now()) + make_interval(days => ${days})`
  const row = await db
    .with('found_user', (query) => query.selectFrom('users').select('account_id').where('id', '=', userId))
    .with('extended_account', (query) =>
      query
        .updateTable('accounts as a')
        .from('found_user as f')
        .set({ trial_ends_at: trialEnd })
        .whereRef('a.id', '=', 'f.account_id')
        .where('a.subscription_status', '=', 'trialing')
        .returning(subscriptionColumns),
    )
    .selectFrom('found_user')
    .leftJoin('extended_account as e', (join) => join.onTrue())
    .selectAll('e')
    // The join makes every column nullable, but only together with account_id.
    .$narrowType<{ plan: NotNull; status: NotNull; limits: NotNull }>()
    .executeTakeFirst()
  return row && (row.account_id === null ? null : { ...row, account_id: row.account_id })
}

export function selectAccounts(
  db: StaffDb,
  { q, ...page }: AccountQuery & PageQuery,
): Promise<AdminAccount[]> {
  let accounts = db
    .selectFrom('accounts as a')
    .select([
      ...accountColumns,
      plan.as('plan'),
      subscriptionStatus.as('subscription_status'),
      'a.trial_ends_at',
    ])
  if (q) accounts = accounts.where(sql<boolean>`app.fold(a.name) like ${toFoldedPattern(q)}`)
  return accounts.$call(selectPage(latestIdFirst, page, 'a')).execute()
}

/** With an account filter, the index on account and creation time provides the order. */
export const auditOrder = ({ account_id }: Pick<AuditQuery, 'account_id'>): Order<'created_at' | 'id'> =>
  account_id ? newestFirst : latestIdFirst

export function selectAuditLogs(db: StaffDb, { skip, limit, after, ...filter }: AuditQuery & PageQuery) {
  let entries = selectAuditRows(db)
  if (filter.account_id) entries = entries.where('l.account_id', '=', filter.account_id)
  if (filter.actor_id) entries = entries.where('l.actor_id', '=', filter.actor_id)
  if (filter.action) entries = entries.where('l.action', '=', filter.action)
  if (filter.created_after) entries = entries.where('l.created_at', '>=', filter.created_after)
  if (filter.created_before) entries = entries.where('l.created_at', '<', filter.created_before)
  return entries.$call(selectPage(auditOrder(filter), { skip, limit, after }, 'l')).execute()
}
