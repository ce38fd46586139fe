import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { StaffDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { FeatureFlag, FeatureOverride, InviteCode, InviteCodeCreate, LeadQuery, PlanLimits, SalesLead } from './schemas.ts'

const selectPlanSql = sql`
  select l.plan, l.max_users, l.max_kb_imports, l.max_ai_builds_per_month, b.display_name, b.description, b.monthly_price_cents,
         b.annual_price_cents, b.currency, b.features, b.is_public, b.is_archived, b.sort_order, b.provider_product_id,
         b.provider_monthly_price_id, b.provider_annual_price_id
    from plan_limits l left join plan_billing b on b.plan = l.plan`

export async function selectPlans(db: StaffDb, { skip, limit }: PageQuery): Promise<PlanLimits[]> {
  const { rows } = await sql<PlanLimits>`
    ${selectPlanSql} order by b.sort_order nulls last, l.plan collate "C" offset ${skip} limit ${limit + 1}`.execute(db)
  return rows
}

/** Insert or update a plan with its limits and billing. Violates a unique key if another plan has one of the provider's ids. */
export async function upsertPlan(db: StaffDb, plan: string, changes: Record<string, unknown>): Promise<PlanLimits> {
  const [, rows] = await db.batch([
    statement(db, sql`select app.put_plan(${JSON.stringify(changes)}::jsonb)`),
    statement(db, sql<PlanLimits>`${selectPlanSql} where l.plan = ${plan}`),
  ])
  return rows[0] as PlanLimits
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

export async function selectFlags(db: StaffDb): Promise<FeatureFlag[]> {
  const { rows } = await sql<FeatureFlag>`${selectFlagSql} order by f.key`.execute(db)
  return rows
}

export async function selectFlag(db: StaffDb, key: string): Promise<FeatureFlag | undefined> {
  const { rows } = await sql<FeatureFlag>`${selectFlagSql} where f.key = ${key}`.execute(db)
  return rows[0]
}

/** Set a feature for a plan. Return undefined for an unknown feature. Violates `plan_features_plan_fkey` for an unknown plan. */
export async function upsertPlanFeature(db: StaffDb, key: string, plan: string, enabled: boolean): Promise<FeatureFlag | undefined> {
  const [, rows] = await db.batch([
    statement(
      db,
      sql`insert into plan_features as p (plan, feature, enabled) select ${plan}, key, ${enabled} from features where key = ${key}
          on conflict (plan, feature) do update set enabled = excluded.enabled`,
    ),
    statement(db, sql<FeatureFlag>`${selectFlagSql} where f.key = ${key}`),
  ])
  return rows[0]
}

/**
 * Set the override of an account (true, false), delete it (null) or leave it unchanged (undefined). Return the override and the effective
 * value; undefined for an unknown account or feature.
 */
export async function setOverride(
  db: StaffDb,
  accountId: string,
  key: string,
  enabled: boolean | null | undefined,
): Promise<FeatureOverride | undefined> {
  const [, , rows] = await db.batch([
    statement(db, sql`delete from feature_overrides where account_id = ${accountId} and feature = ${key} and ${enabled === null}`),
    statement(
      db,
      sql`insert into feature_overrides (account_id, feature, enabled)
          select a.id, f.key, ${enabled ?? null}::boolean from accounts a, features f
           where a.id = ${accountId} and f.key = ${key} and ${typeof enabled === 'boolean'}
          on conflict (account_id, feature) do update set enabled = excluded.enabled`,
    ),
    statement(
      db,
      sql<FeatureOverride>`
        select a.id as account_id, a.name as account_name, f.key, o.enabled as override, app.feature_on(a.id, f.key) as enabled
          from accounts a cross join features f left join feature_overrides o on o.account_id = a.id and o.feature = f.key
         where a.id = ${accountId} and f.key = ${key}`,
    ),
  ])
  return rows[0]
}

const codeColumns = sql`
  c.id, c.max_uses, c.used_count, c.expires_at, c.note, c.created_by, u.full_name as created_by_name, c.created_at,
  case when c.used_count >= c.max_uses then 'used_up' when c.expires_at <= app.now() then 'expired' else 'open' end as status`

/** Insert a platform invite code. Insert nothing and return undefined if `expires_at` is not in the future. */
export async function insertInviteCode(db: StaffDb, hash: string, input: InviteCodeCreate): Promise<InviteCode | undefined> {
  const { rows } = await sql<InviteCode>`
    with input as (select ${input.expires_at ?? null}::timestamptz as expires_at), c as (
      insert into platform_invite_codes (hash, max_uses, expires_at, note)
      select ${hash}::bytea, ${input.max_uses}, expires_at, ${input.note ?? null} from input where expires_at is null or expires_at > app.now()
      returning *
    )
    select ${codeColumns} from c left join users u on u.id = c.created_by`.execute(db)
  return rows[0]
}

export async function selectInviteCodes(db: StaffDb, { skip, limit }: PageQuery): Promise<InviteCode[]> {
  const { rows } = await sql<InviteCode>`
    select ${codeColumns} from platform_invite_codes c left join users u on u.id = c.created_by
     order by c.id desc offset ${skip} limit ${limit + 1}`.execute(db)
  return rows
}

export async function selectSalesLeads(db: StaffDb, { source, skip, limit }: LeadQuery & PageQuery): Promise<SalesLead[]> {
  const { rows } = await sql<SalesLead>`
    select id, email, name, company, source, message, phone, seats, received_at from sales_leads
     where ${source ? sql`source = ${source}` : sql`true`} order by id desc offset ${skip} limit ${limit + 1}`.execute(db)
  return rows
}
