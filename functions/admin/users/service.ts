import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { noSuch } from '../../../lib/db/sqlstate.ts'
import type { Context } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import * as queries from './queries.ts'
import type { AccountQuery, AuditQuery, PlanChange, SuperAdminUpdate, UserQuery } from './schemas.ts'

type Staff = Context<'post', 'super_admin', string>

export async function list({ platform }: Staff, query: UserQuery & PageQuery) {
  return toPage(await queries.selectUsers(platform, query), query.limit)
}

export async function get({ platform }: Staff, id: string) {
  return (await queries.selectDetail(platform, id)) ?? missing()
}

export async function setSuperAdmin({ platform }: Staff, id: string, { is_super_admin }: SuperAdminUpdate) {
  const user = is_super_admin === undefined ? queries.selectUser(platform, id) : queries.updateSuperAdmin(platform, id, is_super_admin)
  return (await user) ?? missing()
}

export async function changePlan({ platform }: Staff, userId: string, { plan }: PlanChange) {
  if (plan === undefined) return (await queries.selectSubscription(platform, userId)) ?? missing()
  return (await queries.updatePlan(platform, userId, plan).catch(noSuch('plan', 'plan'))) ?? missing()
}

export async function extendTrial({ platform }: Staff, userId: string, days: number) {
  const subscription = await queries.extendTrial(platform, userId, days)
  if (subscription === null) throw new Problem('conflict', 'This account is not on a trial', { code: 'not_on_trial' })
  return subscription ?? missing()
}

export async function listAccounts({ platform }: Staff, query: AccountQuery & PageQuery) {
  return toPage(await queries.selectAccounts(platform, query), query.limit)
}

export async function listAuditLogs({ platform }: Staff, query: AuditQuery & PageQuery) {
  return toPage(await queries.selectAuditLogs(platform, query), query.limit)
}

function missing(): never {
  throw new Problem('not_found', 'User not found')
}
