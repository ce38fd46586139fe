import { type RawBuilder, sql } from 'kysely'
import { contains } from '../../../lib/db/like.ts'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { StaffDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { AccountQuery, AdminAccount, AdminDevice, AdminUser, AuditQuery, Subscription, UserQuery } from './schemas.ts'

// Ids grow with time: `order by id desc` is newest first, by the primary key.

const userColumns = sql`
  u.id, u.email, u.full_name, u.account_id, a.name as account_name, u.role, u.team_id, u.team_role, u.is_super_admin, u.is_active,
  u.email_verified_at is not null as email_verified, u.must_change_password, u.timezone, u.created_at, u.last_login_at`
const userCount = sql`(select count(*)::integer from users m where m.account_id = a.id and m.is_active) as user_count`
const subscriptionColumns = sql`
  a.id as account_id, app.plan_of(a) as plan, app.subscription_of(a) as status, a.trial_ends_at, a.past_due_since,
  (select jsonb_build_object('max_users', l.max_users, 'max_kb_imports', l.max_kb_imports, 'max_ai_builds_per_month', l.max_ai_builds_per_month)
     from plan_limits l where l.plan = app.plan_of(a)) as limits`

function allOf(conditions: (RawBuilder<unknown> | null)[]): RawBuilder<unknown> {
  return sql.join([sql`true`, ...conditions.filter((condition) => condition !== null)], sql` and `)
}

export async function selectUsers(db: StaffDb, { q, account_id, skip, limit }: UserQuery & PageQuery): Promise<AdminUser[]> {
  const where = allOf([
    q ? sql`(u.email ilike ${contains(q)} or u.full_name ilike ${contains(q)})` : null,
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

type Account = Pick<AdminAccount, 'id' | 'name' | 'timezone' | 'user_count' | 'created_at'>

/** A person, their account, what it pays for, and the last of their devices and of what they did: one round trip. */
export async function selectDetail(db: StaffDb, id: string) {
  const theirs = sql`(select account_id from users where id = ${id})`
  const [users, accounts, subscriptions, sessions, logs] = await db.batch([
    statement(db, sql<AdminUser>`select ${userColumns} from users u join accounts a on a.id = u.account_id where u.id = ${id}`),
    statement(db, sql<Account>`select a.id, a.name, a.timezone, ${userCount}, a.created_at from accounts a where a.id = ${theirs}`),
    statement(db, sql<Subscription>`select ${subscriptionColumns} from accounts a where a.id = ${theirs}`),
    statement(
      db,
      sql<AdminDevice>`
      select id, user_agent, ip, created_at, last_used_at, expires_at, ended_at from sign_ins
       where account_id = ${theirs} and user_id = ${id} order by last_used_at desc, id desc limit 50`,
    ),
    statement(
      db,
      sql<AuditRow>`
      ${auditSelection} where l.account_id = ${theirs} and (l.actor_id = ${id} or l.resource_id = ${id})
       order by l.created_at desc, l.id desc limit 50`,
    ),
  ])
  const [user, account, subscription] = [users[0], accounts[0], subscriptions[0]]
  return user && account && subscription ? { user, account, subscription, sessions, audit_logs: logs } : undefined
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

/** The plan that the account shows from now on, whatever its trial has come to. Violates a foreign key for a plan that is not there. */
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

/** Moves the end of a trial later, from now if it is over. Null for an account without one, undefined for nobody. */
export async function extendTrial(db: StaffDb, userId: string, days: number): Promise<Subscription | null | undefined> {
  const { rows } = await sql<Subscription & { account_id: string | null }>`
    with found as (select account_id from users where id = ${userId}), extended as (
      update accounts a set trial_ends_at = greatest(a.trial_ends_at, app.now()) + make_interval(days => ${days})
        from found f where a.id = f.account_id and a.subscription_status = 'trialing'
      returning ${subscriptionColumns}
    )
    select e.* from found left join extended e on true`.execute(db)
  return rows[0]?.account_id === null ? null : rows[0]
}

export async function selectAccounts(db: StaffDb, { q, skip, limit }: AccountQuery & PageQuery): Promise<AdminAccount[]> {
  const { rows } = await sql<AdminAccount>`
    select a.id, a.name, a.timezone, ${userCount}, a.created_at, app.plan_of(a) as plan, app.subscription_of(a) as subscription_status, a.trial_ends_at
      from accounts a where ${allOf([q ? sql`a.name ilike ${contains(q)}` : null])} order by a.id desc offset ${skip} limit ${limit + 1}`.execute(
    db,
  )
  return rows
}

// Staff act in accounts that are not theirs, so the actor is looked for everywhere.
const auditSelection = sql`
  select l.id, l.account_id, l.actor_id, actor.full_name as actor_name, l.action, l.resource_type, l.resource_id, l.changes, l.ip, l.created_at
    from audit_logs l left join users actor on actor.id = l.actor_id`

export async function selectAuditLogs(db: StaffDb, { skip, limit, ...asked }: AuditQuery & PageQuery): Promise<AuditRow[]> {
  const where = allOf([
    asked.account_id ? sql`l.account_id = ${asked.account_id}::uuid` : null,
    asked.actor_id ? sql`l.actor_id = ${asked.actor_id}::uuid` : null,
    asked.action ? sql`l.action = ${asked.action}` : null,
    asked.created_after ? sql`l.created_at >= ${asked.created_after}::timestamptz` : null,
    asked.created_before ? sql`l.created_at < ${asked.created_before}::timestamptz` : null,
  ])
  // Within an account its own index has the order.
  const order = asked.account_id ? sql`l.created_at desc, l.id desc` : sql`l.id desc`
  const { rows } = await sql<AuditRow>`${auditSelection} where ${where} order by ${order} offset ${skip} limit ${limit + 1}`.execute(db)
  return rows
}

interface AuditRow {
  id: string
  account_id: string
  actor_id: string | null
  actor_name: string | null
  action: string
  resource_type: string
  resource_id: string | null
  changes: Record<string, never>
  ip: string | null
  created_at: string
}
