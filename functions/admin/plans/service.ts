import { randomToken, sha256Bytea } from '../../../lib/auth/hash.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { noSuch, sqlState } from '../../../lib/db/sqlstate.ts'
import type { Context } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { FeatureOverrideUpdate, InviteCodeCreate, LeadQuery, PlanFeatureUpdate, PlanLimitsUpdate } from './schemas.ts'

type Staff = Context<'post', 'super_admin', string>

export async function listPlanLimits({ platform }: Staff, page: PageQuery) {
  return toPage(await queries.selectPlans(platform, page), page.limit)
}

/** Nothing of a plan is kept anywhere but in its rows, so there is nothing to invalidate: the next request reads them. */
export async function putPlanLimits({ platform }: Staff, { display_name, ...change }: PlanLimitsUpdate) {
  // A name that is null is a name that is not given.
  const given = { ...change, ...(display_name ? { display_name } : {}) }
  return queries.putPlan(platform, change.plan, given).catch((error: unknown) => {
    throw sqlState(error) === '23505' ? new Problem('conflict', "Another plan has one of these provider's ids already") : error
  })
}

export async function listFeatureFlags({ platform }: Staff) {
  return queries.selectFlags(platform)
}

export async function putFeatureFlag({ platform }: Staff, key: string, { plan, enabled }: PlanFeatureUpdate) {
  if (plan === undefined || enabled === undefined) return (await queries.selectFlag(platform, key)) ?? missing('Feature')
  return (await queries.putPlanFeature(platform, key, plan, enabled).catch(noSuch('plan', 'plan'))) ?? missing('Feature')
}

export async function putFeatureOverride({ platform }: Staff, accountId: string, key: string, { enabled }: FeatureOverrideUpdate) {
  return (await queries.putOverride(platform, accountId, key, enabled)) ?? missing('Account or feature')
}

/** Only the hash of a code is stored. */
export async function createInviteCode({ platform }: Staff, input: InviteCodeCreate) {
  const code = randomToken()
  const made = await queries.insertInviteCode(platform, await sha256Bytea(code), input)
  if (!made) throw invalid([{ loc: ['body', 'expires_at'], msg: 'Must be later than now', type: 'too_small' }])
  return { ...made, code }
}

export async function listInviteCodes({ platform }: Staff, page: PageQuery) {
  return toPage(await queries.selectInviteCodes(platform, page), page.limit)
}

export async function listSalesLeads({ platform }: Staff, query: LeadQuery & PageQuery) {
  return toPage(await queries.selectLeads(platform, query), query.limit)
}

function missing(what: string): never {
  throw new Problem('not_found', `${what} not found`)
}
