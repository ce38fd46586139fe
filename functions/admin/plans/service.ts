import { latestIdFirst, type PageQuery, toPage } from '#db/page.ts'
import { getSqlState, throwUnknownId } from '#db/sqlstate.ts'
import type { Context } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound } from '#problem.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import * as queries from './queries.ts'
import type {
  FeatureOverrideUpdate,
  InviteCodeCreate,
  LeadQuery,
  PlanFeatureUpdate,
  PlanLimitsUpdate,
} from './schemas.ts'

type StaffContext = Context<'post', 'super_admin', string>

export async function listLimits({ platform }: StaffContext, page: PageQuery) {
  return toPage(await queries.selectPlans.all(platform, page), page, null)
}

/** Create or update a plan. The change takes effect immediately, because plans are not cached. */
export async function putLimits({ platform }: StaffContext, update: PlanLimitsUpdate) {
  const {
    plan,
    max_users,
    max_kb_imports,
    max_ai_builds_per_month,
    quotas = {},
    display_name,
    ...prices
  } = update
  const limits = { max_users, max_kb_imports, max_ai_builds_per_month, ...toQuotaColumns(quotas) }
  // A `display_name` of null counts as absent.
  const billing = { ...prices, ...(display_name ? { display_name } : {}) }
  return queries.upsertPlan(platform, { plan, limits, billing }).catch((error: unknown) => {
    throw getSqlState(error) === '23505' ? new Problem('provider_id_taken') : error
  })
}

function toQuotaColumns(quotas: NonNullable<PlanLimitsUpdate['quotas']>) {
  return {
    max_flows: quotas.flows,
    max_open_ai_sessions: quotas.open_ai_sessions,
    max_schedules: quotas.schedules,
    max_notification_configs: quotas.notification_configs,
    max_webhooks: quotas.webhooks,
    max_mails_per_day: quotas.mails_per_day,
    max_stored_bytes: quotas.stored_bytes,
    max_ai_cost_micros_per_month: quotas.ai_cost_micros,
  }
}

export async function listFeatureFlags({ platform }: StaffContext) {
  return queries.selectFlags.all(platform)
}

export async function putFeatureFlag(
  { platform }: StaffContext,
  key: string,
  { plan, enabled }: PlanFeatureUpdate,
) {
  if (plan === undefined || enabled === undefined)
    return (await queries.selectFlag.first(platform, key)) ?? throwNotFound('Feature')
  return (
    (await queries.upsertPlanFeature(platform, key, plan, enabled).catch(throwUnknownId('plan', 'plan'))) ??
    throwNotFound('Feature')
  )
}

export async function putFeatureOverride(
  { platform }: StaffContext,
  accountId: string,
  key: string,
  { enabled }: FeatureOverrideUpdate,
) {
  return (await queries.setOverride(platform, accountId, key, enabled)) ?? throwNotFound('Account or feature')
}

/** Create a platform invite code. Only its hash is stored, so only this result contains the code. */
export async function createInviteCode({ platform }: StaffContext, input: InviteCodeCreate) {
  const code = randomToken()
  const inviteCode = await queries.insertInviteCode.first(platform, await sha256Bytea(code), input)
  if (!inviteCode) throw invalidField(['body', 'expires_at'], 'must be in the future', 'too_small')
  return { ...inviteCode, code }
}

export async function listInviteCodes({ platform }: StaffContext, page: PageQuery) {
  return toPage(await queries.selectInviteCodes.all(platform, page), page, latestIdFirst)
}

export async function listSalesLeads({ platform }: StaffContext, query: LeadQuery & PageQuery) {
  return toPage(await queries.selectSalesLeads(platform, query), query, latestIdFirst)
}
