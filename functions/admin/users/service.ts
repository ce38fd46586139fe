import { latestIdFirst, type PageQuery, toPage } from '#db/page.ts'
import { throwUnknownId } from '#db/sqlstate.ts'
import type { Context } from '#http/operation.ts'
import { Problem, throwNotFound } from '#problem.ts'
import * as queries from './queries.ts'
import type { AccountQuery, AuditQuery, PlanChange, SuperAdminUpdate, UserQuery } from './schemas.ts'

type StaffContext = Context<'post', 'super_admin', string>

export async function list({ platform }: StaffContext, query: UserQuery & PageQuery) {
  return toPage(await queries.selectUsers(platform, query), query, latestIdFirst)
}

export async function get({ platform }: StaffContext, id: string) {
  return (await queries.selectUserDetail(platform, id)) ?? throwNotFound('User')
}

export async function setSuperAdmin(
  { platform }: StaffContext,
  id: string,
  { is_super_admin }: SuperAdminUpdate,
) {
  const user =
    is_super_admin === undefined
      ? await queries.selectUser(platform, id)
      : await queries.updateSuperAdmin(platform, id, is_super_admin)
  return user ?? throwNotFound('User')
}

export async function changePlan({ platform }: StaffContext, userId: string, { plan }: PlanChange) {
  if (plan === undefined) return (await queries.selectSubscription(platform, userId)) ?? throwNotFound('User')
  return (
    (await queries.updatePlan(platform, userId, plan).catch(throwUnknownId('plan', 'plan'))) ??
    throwNotFound('User')
  )
}

export async function extendTrial({ platform }: StaffContext, userId: string, days: number) {
  const subscription = await queries.extendTrial(platform, userId, days)
  if (subscription === null) throw new Problem('not_on_trial')
  return subscription ?? throwNotFound('User')
}

export async function listAccounts({ platform }: StaffContext, query: AccountQuery & PageQuery) {
  return toPage(await queries.selectAccounts(platform, query), query, latestIdFirst)
}

export async function listAuditLogs({ platform }: StaffContext, query: AuditQuery & PageQuery) {
  return toPage(await queries.selectAuditLogs(platform, query), query, queries.auditOrder(query))
}
