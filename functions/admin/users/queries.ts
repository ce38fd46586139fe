import { type RawBuilder, sql } from 'kysely'
import { toContainsPattern } from '../../../lib/db/like.ts'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { AuditRow } from '../../../lib/db/rows/audit.ts'
import type { StaffDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { AccountQuery, AdminAccount, AdminSignIn, AdminUser, AuditQuery, Subscription, UserQuery } from './schemas.ts'

// Ids grow with time, so `order by id desc` lists the newest first and uses the primary key.

const userColumns = sql`
  u.id, u.email, u.full_name, u.account_id, a.name as account_name, u.role, u.team_id, u.team_role, u.is_super_admin, u.is_active,
  u.email_verified_at is not null as email_verified, u.must_change_password, u.timezone, u.created_at, u.last_login_at`
const userCount = sql`(select count(*)::integer from users m where m.account_id = a.id and m.is_active) as user_count`
const subscriptionColumns = sql`
  a.id as account_id, app.plan_of(a) as plan, app.subscription_of(a) as status, a.trial_ends_at, a.past_due_since,
  (select jsonb_build_object('max_users', l.max_users, 'max_kb_imports', l.max_kb_imports, 'max_ai_builds_per_month', l.max_ai_builds_per_month)
     from plan_limits l where l.plan = app.plan_of(a)) as limits`

function joinConditions(conditions: (RawBuilder<unknown> | null)[]): RawBuilder<unknown> {
  return sql.join([sql`true`, ...conditions.filter((condition) => condition !== null)], sql` and `)
}

export async function selectUsers(db: StaffDb, { q, account_id, skip, limit }: UserQuery & PageQuery): Promise<AdminUser[]> {
  const where = joinConditions([
    q ? sql`(u.email ilike ${toContainsPattern(q)} or u.full_name ilike ${toContainsPattern(q)})` : null,
    account_id ? sql`u.account_id = ${account_id}::uuid` : null,
  ])
  const { rows } = await sql<AdminUser>`
    select ${userColumns} from users u join accounts a on a.id = u.account_id where ${where} order by u.id desc offset ${skip} limit ${limit + 1}`.execute(
    db,
  )
  return rows
}

export async function selectUser(db: StaffDb, id: string): Promise<AdminUser | undefined> {
  const { rows } = await sql<AdminUser>`
    select ${userColumns} from users u join accounts a on a.id = u.account_id where u.id = ${id}`.execute(db)
  return rows[0]
}

type AccountSummary = Pick<AdminAccount, 'id' | 'name' | 'timezone' | 'user_count' | 'created_at'>

/** Return a user with account, subscription, and the last sign-ins and audit rows, in one round trip; undefined for an unknown user. */
export async function selectUserDetail(db: StaffDb, id: string) {
  const accountIdOfUser = sql`(select account_id from users where id = ${id})`
  const [users, accounts, subscriptions, sessions, audit_logs] = await db.batch([
    statement(db, sql<AdminUser>`select ${userColumns} from users u join accounts a on a.id = u.account_id where u.id = ${id}`),
    statement(
      db,
      sql<AccountSummary>`select a.id, a.name, a.timezone, ${userCount}, a.created_at from accounts a where a.id = ${accountIdOfUser}`,
    ),
    statement(db, sql<Subscription>`select ${subscriptionColumns} from accounts a where a.id = ${accountIdOfUser}`),
    statement(
      db,
      sql<AdminSignIn>`
      select id, user_agent, ip, created_at, last_used_at, expires_at, ended_at from sign_ins
       where account_id = ${accountIdOfUser} and user_id = ${id} order by last_used_at desc, id desc limit 50`,
    ),
    statement(
      db,
      sql<AuditRow>`
      ${selectAuditSql} where l.account_id = ${accountIdOfUser} and (l.actor_id = ${id} or l.resource_id = ${id})
       order by l.created_at desc, l.id desc limit 50`,
    ),
  ])
  const [user, account, subscription] = [users[0], accounts[0], subscriptions[0]]
  return user && account && subscription ? { user, account, subscription, sessions, audit_logs } : undefined
}

export async function updateSuperAdmin(db: StaffDb, id: string, isSuperAdmin: boolean): Promise<AdminUser | undefined> {
  const { rows } = await sql<AdminUser>`
    with u as (update users set is_super_admin = ${isSuperAdmin} where id = ${id} returning *)
    select ${userColumns} from u join accounts a on a.id = u.account_id`.execute(db)
  return rows[0]
}

export async function selectSubscription(db: StaffDb, userId: string): Promise<Subscription | undefined> {
  const { rows } = await sql<Subscription>`
    select ${subscriptionColumns} from accounts a join users u on u.account_id = a.id where u.id = ${userId}`.execute(db)
  return rows[0]
}

/**
 * Set the plan of a user's account and the subscription status that goes with it. Return undefined for an unknown user. Violates a foreign
 * key for an unknown plan.
 */
export async function updatePlan(db: StaffDb, userId: string, plan: string): Promise<Subscription | undefined> {
  const { rows } = await sql<Subscription>`
    update accounts a set
      plan = ${plan},
      subscription_status = case when ${plan} = 'free' then 'free' when app.subscription_of(a) = 'free' then 'active' else a.subscription_status end,
      past_due_since = case when ${plan} = 'free' then null else a.past_due_since end
      from users u where u.id = ${userId} and a.id = u.account_id
    returning ${subscriptionColumns}`.execute(db)
  return rows[0]
}

/** Extend a trial, from now if it has ended. Return null for an account that is not on a trial, and undefined for an unknown user. */
export async function extendTrial(db: StaffDb, userId: string, days: number): Promise<Subscription | null | undefined> {
  const { rows } = await sql<Subscription & { account_id: string | null }>`
    with found_user as (select account_id from users where id = ${userId}), extended_account as (
      update accounts a set trial_ends_at = greatest(a.trial_ends_at, app.now()) + make_interval(days => ${days})
        from found_user f where a.id = f.account_id and a.subscription_status = 'trialing'
      returning ${subscriptionColumns}
    )
    select e.* from found_user left join extended_account e on true`.execute(db)
  return rows[0]?.account_id === null ? null : rows[0]
}

export async function selectAccounts(db: StaffDb, { q, skip, limit }: AccountQuery & PageQuery): Promise<AdminAccount[]> {
  const { rows } = await sql<AdminAccount>`
    select a.id, a.name, a.timezone, ${userCount}, a.created_at, app.plan_of(a) as plan, app.subscription_of(a) as subscription_status, a.trial_ends_at
      from accounts a where ${joinConditions([q ? sql`a.name ilike ${toContainsPattern(q)}` : null])} order by a.id desc offset ${skip} limit ${limit + 1}`.execute(
    db,
  )
  return rows
}

// Staff also act in accounts other than their own, so the join does not compare the account of the actor.
const selectAuditSql = sql`
  select l.id, l.account_id, l.actor_id, actor.full_name as actor_name, l.action, l.resource_type, l.resource_id, l.changes, l.ip, l.created_at
    from audit_logs l left join users actor on actor.id = l.actor_id`

export async function selectAuditLogs(db: StaffDb, { skip, limit, ...filter }: AuditQuery & PageQuery): Promise<AuditRow[]> {
  const where = joinConditions([
    filter.account_id ? sql`l.account_id = ${filter.account_id}::uuid` : null,
    filter.actor_id ? sql`l.actor_id = ${filter.actor_id}::uuid` : null,
    filter.action ? sql`l.action = ${filter.action}` : null,
    filter.created_after ? sql`l.created_at >= ${filter.created_after}::timestamptz` : null,
    filter.created_before ? sql`l.created_at < ${filter.created_before}::timestamptz` : null,
  ])
  // With an account filter, the index on account and creation time provides this order.
  const order = filter.account_id ? sql`l.created_at desc, l.id desc` : sql`l.id desc`
  const { rows } = await sql<AuditRow>`${selectAuditSql} where ${where} order by ${order} offset ${skip} limit ${limit + 1}`.execute(db)
  return rows
}
