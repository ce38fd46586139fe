import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as plans from './service.ts'

const platform = 'plans, features, codes and leads belong to no account'
const staff = { access: 'super_admin', platform } as const

export const adminPlanOperations = [
  operation({
    ...staff,
    id: 'admin.plans.listLimits',
    method: 'get',
    path: '/admin/plan-limits',
    summary: 'Every plan with its limits and its billing, if it has any',
    limit: 'read',
    paged: true,
    success: 200,
    returns: z.array(schemas.PlanLimits),
    handle: ({ ctx, query }) => plans.listPlanLimits(ctx, query),
  }),

  operation({
    ...staff,
    id: 'admin.plans.putLimits',
    method: 'put',
    path: '/admin/plan-limits',
    summary: "Change a plan's limits and billing, or make a plan: both or neither",
    description:
      'Only given fields change. Billing is made with the first billing field, named after the plan unless `display_name` is given; accounts on the plan see the change on their next request.',
    limit: 'write',
    body: schemas.PlanLimitsUpdate,
    success: 200,
    returns: schemas.PlanLimits,
    errors: ['conflict'],
    handle: ({ ctx, body }) => plans.putPlanLimits(ctx, body),
  }),

  operation({
    ...staff,
    id: 'admin.plans.listFeatureFlags',
    method: 'get',
    path: '/admin/feature-flags',
    summary: "Every feature with its plans' defaults and the accounts that differ",
    limit: 'read',
    success: 200,
    returns: z.array(schemas.FeatureFlag),
    handle: ({ ctx }) => plans.listFeatureFlags(ctx),
  }),

  operation({
    ...staff,
    id: 'admin.plans.putFeatureFlag',
    method: 'put',
    path: '/admin/feature-flags/{flag_key}',
    summary: 'Switch a feature on or off for a plan',
    limit: 'write',
    params: schemas.FlagKey,
    body: schemas.PlanFeatureUpdate,
    success: 200,
    returns: schemas.FeatureFlag,
    handle: ({ ctx, params, body }) => plans.putFeatureFlag(ctx, params.flag_key, body),
  }),

  operation({
    ...staff,
    id: 'admin.plans.putFeatureOverride',
    method: 'put',
    path: '/admin/accounts/{account_id}/feature-flags/{flag_key}',
    summary: 'Switch a feature on or off for an account, or let its plan decide again',
    limit: 'write',
    params: schemas.AccountFlagKey,
    body: schemas.FeatureOverrideUpdate,
    success: 200,
    returns: schemas.FeatureOverride,
    handle: ({ ctx, params, body }) => plans.putFeatureOverride(ctx, params.account_id, params.flag_key, body),
  }),

  operation({
    ...staff,
    id: 'admin.plans.createInviteCode',
    method: 'post',
    path: '/admin/invite-codes',
    summary: 'Make a code to register with',
    limit: 'write',
    // An answer that is kept for a key would keep the code.
    idempotent: false,
    body: schemas.InviteCodeCreate,
    success: 201,
    returns: schemas.NewInviteCode,
    handle: ({ ctx, body }) => plans.createInviteCode(ctx, body),
  }),

  operation({
    ...staff,
    id: 'admin.plans.listInviteCodes',
    method: 'get',
    path: '/admin/invite-codes',
    summary: 'The codes made so far with their uses, newest first',
    limit: 'read',
    paged: true,
    success: 200,
    returns: z.array(schemas.InviteCode),
    handle: ({ ctx, query }) => plans.listInviteCodes(ctx, query),
  }),

  operation({
    ...staff,
    id: 'admin.plans.listSalesLeads',
    method: 'get',
    path: '/admin/sales-leads',
    summary: 'Who asked to be called, newest first',
    limit: 'read',
    paged: true,
    query: schemas.LeadQuery,
    success: 200,
    returns: z.array(schemas.SalesLead),
    handle: ({ ctx, query }) => plans.listSalesLeads(ctx, query),
  }),
]
