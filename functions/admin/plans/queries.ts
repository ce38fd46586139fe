import { sql, type Updateable } from 'kysely'
import { now } from '#db/expressions.ts'
import { latestIdFirst, type PageQuery, pageEnd, selectPage } from '#db/page.ts'
import type { Json, PlanBillingTable, PlanLimitsTable } from '#db/schema.ts'
import type { PlatformDb, StaffDb } from '#db/scope.ts'
import { queryBuilder, readStatement, writeStatement } from '#db/statement.ts'
import {
  FeatureFlag,
  FeatureOverride,
  InviteCode,
  type InviteCodeCreate,
  type LeadQuery,
  PlanLimits,
  type SalesLead,
} from './schemas.ts'

const selectPlanSql = sql`
  select l.plan, l.max_users, l.max_kb_imports, l.max_ai_builds_per_month, jsonb_build_object(
           'flows', l.max_flows, 'open_ai_sessions', l.max_open_ai_sessions, 'schedules', l.max_schedules,
           'notification_configs', l.max_notification_configs, 'webhooks', l.max_webhooks, 'mails_per_day', l.max_mails_per_day, 'stored_bytes', l.max_stored_bytes,
           'ai_cost_micros', l.max_ai_cost_micros_per_month) as quotas,
         b.display_name, b.description, b.monthly_price_cents,
         b.annual_price_cents, b.currency, b.features, b.is_public, b.is_archived, b.sort_order, b.provider_product_id,
         b.provider_monthly_price_id, b.provider_annual_price_id
    from plan_limits l left join plan_billing b on b.plan = l.plan`

export const selectPlans = readStatement(
  PlanLimits,
  (page: PageQuery) => sql`
    ${selectPlanSql} order by b.sort_order nulls last, l.plan collate "C" offset ${page.skip} limit ${page.limit + 1}`,
)

interface PlanChanges {
  plan: string
  /** Absent values stay unchanged, in a new plan null. */
  limits: Updateable<PlanLimitsTable>
  /**
   * Absent values stay unchanged, in a new plan the default. Without any value no billing row is inserted.
   */
  billing: Updateable<PlanBillingTable>
}

export const selectPlan = readStatement(
  PlanLimits,
  (plan: string) => sql`${selectPlanSql} where l.plan = ${plan}`,
)

/**
 * Insert or update a plan with its limits and billing, and insert one audit row unless nothing changes.
 * `lockPlan` comes before it, so that the statement sees the rows as the update before it left them.
 */
export const writePlan = writeStatement(null, ({ plan, limits, billing }: PlanChanges) => {
  const savedLimits = queryBuilder
    .insertInto('plan_limits')
    .values({ ...limits, plan })
    .onConflict((conflict) => conflict.column('plan').doUpdateSet({ ...limits, plan }))
    .returning(['plan', ...selectChange('plan_limits')])
  const savedBilling = queryBuilder
    .insertInto('plan_billing')
    .values({
      ...billing,
      display_name: billing.display_name ?? capitalise(plan),
      plan: sql<string>`(select plan from saved_limits)`,
    })
    .onConflict((conflict) => conflict.column('plan').doUpdateSet({ ...billing, updated_at: now }))
    .returning(selectChange('plan_billing'))
  const hasBilling = Object.values(billing).some((value) => value !== undefined)
  return sql`
    with saved_limits as (${savedLimits}),
    saved_billing as (${hasBilling ? savedBilling : sql`select null::jsonb as before, null::jsonb as after where false`}),
    change as (
      select l.plan, l.before,
             app.changes(coalesce(l.before, '{}'), l.after, '{}')
               || coalesce((select app.changes(coalesce(b.before, '{}'), b.after, '{}') from saved_billing b), '{}') as fields
        from saved_limits l)
    insert into audit_logs (account_id, actor_id, action, resource_type, changes, ip)
    select app.platform_account(), app.user_id(), case when before is null then 'plan.created' else 'plan.updated' end, 'plan',
           jsonb_build_object('plan', jsonb_build_object('from', before -> 'plan', 'to', plan)) || fields,
           app.client_address()
      from change where fields <> '{}'`
})

/**
 * Insert or update a plan and return it. Violates a unique key if another plan has one of the provider's ids.
 */
export async function upsertPlan(db: StaffDb, changes: PlanChanges): Promise<PlanLimits> {
  const [, , rows] = await db.batch([
    lockPlan.query(changes.plan),
    writePlan.query(changes),
    selectPlan.query(changes.plan),
  ])
  return rows[0] as PlanLimits
}

/** Wait for another update of the plan. */
export const lockPlan = writeStatement(
  null,
  (plan: string) => sql`select from pg_advisory_xact_lock(hashtextextended('plan:' || ${plan}::text, 0))`,
)

/**
 * Return expressions for the row before and after a write; null before an insert. A subquery reads what the
 * statement has not changed yet.
 */
function selectChange(table: 'plan_limits' | 'plan_billing') {
  const row = sql.table(table)
  return [
    sql<Json>`(select to_jsonb(earlier) from ${row} earlier where earlier.plan = ${row}.plan)`.as('before'),
    sql<Json>`to_jsonb(${row})`.as('after'),
  ] as const
}

function capitalise(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

const selectFlagSql = sql`
  select f.key, f.description,
         coalesce((select jsonb_object_agg(l.plan, coalesce(p.enabled, false))
                     from plan_limits l left join plan_features p on p.plan = l.plan and p.feature = f.key), '{}') as plans,
         (select count(*)::integer from feature_overrides o where o.feature = f.key) as override_count,
         coalesce((select jsonb_agg(jsonb_build_object('account_id', o.account_id, 'account_name', a.name, 'enabled', o.enabled)
                                    order by o.created_at desc, o.account_id)
                     from (select * from feature_overrides where feature = f.key order by created_at desc, account_id limit 100) o
                     join accounts a on a.id = o.account_id), '[]') as overrides
    from features f`

export const selectFlags = readStatement(FeatureFlag, () => sql`${selectFlagSql} order by f.key`)

export const selectFlag = readStatement(
  FeatureFlag,
  (key: string) => sql`${selectFlagSql} where f.key = ${key}`,
)

export const setPlanFeature = writeStatement(
  null,
  (key: string, plan: string, enabled: boolean) => sql`
    insert into plan_features as p (plan, feature, enabled) select ${plan}, key, ${enabled} from features where key = ${key}
    on conflict (plan, feature) do update set enabled = excluded.enabled`,
)

/**
 * Set a feature for a plan. Return undefined for an unknown feature. Violates `plan_features_plan_fkey` for
 * an unknown plan.
 */
export async function upsertPlanFeature(
  db: StaffDb,
  key: string,
  plan: string,
  enabled: boolean,
): Promise<FeatureFlag | undefined> {
  const [, rows] = await db.batch([setPlanFeature.query(key, plan, enabled), selectFlag.query(key)])
  return rows[0]
}

export const upsertOverride = writeStatement(
  null,
  (accountId: string, key: string, enabled: boolean) => sql`
    insert into feature_overrides (account_id, feature, enabled)
    select a.id, f.key, ${enabled} from accounts a, features f where a.id = ${accountId} and f.key = ${key}
    on conflict (account_id, feature) do update set enabled = excluded.enabled`,
)

export const selectOverride = readStatement(
  FeatureOverride,
  (accountId: string, key: string) => sql`
    select a.id as account_id, a.name as account_name, f.key, o.enabled as override, app.feature_on(a.id, f.key) as enabled
      from accounts a cross join features f left join feature_overrides o on o.account_id = a.id and o.feature = f.key
     where a.id = ${accountId} and f.key = ${key}`,
)

/**
 * Set the override of an account (true, false), delete it (null) or leave it unchanged (undefined). Return
 * the override and the effective value; undefined for an unknown account or feature.
 */
export async function setOverride(
  db: StaffDb,
  accountId: string,
  key: string,
  enabled: boolean | null | undefined,
): Promise<FeatureOverride | undefined> {
  const deletion = db
    .deleteFrom('feature_overrides')
    .where('account_id', '=', accountId)
    .where('feature', '=', key)
  const changes =
    enabled === undefined ? [] : [enabled === null ? deletion : upsertOverride.query(accountId, key, enabled)]
  const results = await db.batch([...changes, selectOverride.query(accountId, key)])
  return results.at(-1)?.[0] as FeatureOverride | undefined
}

const codeColumns = sql`
  c.id, c.max_uses, c.used_count, c.expires_at, c.note, c.created_by, u.full_name as created_by_name, c.created_at,
  case when c.used_count >= c.max_uses then 'used_up' when c.expires_at <= app.now() then 'expired' else 'open' end as status`

/**
 * Insert a platform invite code. Insert nothing and return undefined if `expires_at` is not in the future.
 */
export const insertInviteCode = writeStatement(
  InviteCode,
  (hash: string, input: InviteCodeCreate) => sql`
    with input as (select ${input.expires_at ?? null}::timestamptz as expires_at), c as (
      insert into platform_invite_codes (hash, max_uses, expires_at, note)
      select ${hash}::bytea, ${input.max_uses}, expires_at, ${input.note ?? null} from input where expires_at is null or expires_at > app.now()
      returning *
    )
    select ${codeColumns} from c left join users u on u.id = c.created_by`,
)

export const selectInviteCodes = readStatement(
  InviteCode,
  (page: PageQuery) => sql`
    select ${codeColumns} from platform_invite_codes c left join users u on u.id = c.created_by
     where true ${pageEnd(latestIdFirst, page, 'c')}`,
)

export function selectSalesLeads(
  db: PlatformDb,
  { source, ...page }: LeadQuery & PageQuery,
): Promise<SalesLead[]> {
  let leads = db
    .selectFrom('sales_leads')
    .select(['id', 'email', 'name', 'company', 'source', 'message', 'phone', 'seats', 'received_at'])
  if (source) leads = leads.where('source', '=', source)
  return leads.$call(selectPage(latestIdFirst, page)).execute()
}
