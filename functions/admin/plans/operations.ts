import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as plans from './service.ts'

const platform = 'plans, features, invite codes and leads belong to no account'
const staff = { access: 'super_admin', platform } as const

export const adminPlanOperations = [
  operation({
    ...staff,
    id: 'admin.plans.listLimits',
    route: 'GET /admin/plan-limits',
    summary: 'List plans with limits and billing',
    description: 'Every plan with its limits, its features and its prices.',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.PlanLimits),
    handle: ({ ctx, query }) => plans.listLimits(ctx, query),
  }),

  operation({
    ...staff,
    id: 'admin.plans.putLimits',
    route: 'PUT /admin/plan-limits',
    summary: 'Create or update a plan',
    description: `Fields that are absent stay. The first billing field creates the billing record of the plan; without \`display_name\` the record is
named after the plan. Accounts on the plan see the change on their next request.`,
    limit: 'write',
    body: schemas.PlanLimitsUpdate,
    returns: schemas.PlanLimits,
    errors: ['provider_id_taken'],
    handle: ({ ctx, body }) => plans.putLimits(ctx, body),
  }),

  operation({
    ...staff,
    id: 'admin.plans.listFeatureFlags',
    route: 'GET /admin/feature-flags',
    summary: 'List feature flags',
    description: 'Includes the default of each plan and the newest 100 overrides of each flag.',
    limit: 'read',
    returns: z.array(schemas.FeatureFlag),
    handle: ({ ctx }) => plans.listFeatureFlags(ctx),
  }),

  operation({
    ...staff,
    id: 'admin.plans.putFeatureFlag',
    route: 'PUT /admin/feature-flags/{flag_key}',
    summary: 'Switch a feature of a plan on or off',
    description: 'Holds for every account of the plan at once, unless the account has an override.',
    limit: 'write',
    params: schemas.FlagKey,
    body: schemas.PlanFeatureUpdate,
    returns: schemas.FeatureFlag,
    handle: ({ ctx, params, body }) => plans.putFeatureFlag(ctx, params.flag_key, body),
  }),

  operation({
    ...staff,
    id: 'admin.plans.putFeatureOverride',
    route: 'PUT /admin/accounts/{account_id}/feature-flags/{flag_key}',
    summary: "Set or clear an account's feature override",
    description:
      'An override switches the feature on or off for this account. Without one, the plan decides.',
    limit: 'write',
    params: schemas.AccountFlagKey,
    body: schemas.FeatureOverrideUpdate,
    returns: schemas.FeatureOverride,
    handle: ({ ctx, params, body }) =>
      plans.putFeatureOverride(ctx, params.account_id, params.flag_key, body),
  }),

  operation({
    ...staff,
    id: 'admin.plans.createInviteCode',
    route: 'POST /admin/invite-codes',
    summary: 'Create a platform invite code',
    description: 'Who registers with the code gets its plan. The code is shown only here.',
    limit: 'write',
    // A response stored for idempotency would contain the code.
    idempotent: false,
    body: schemas.InviteCodeCreate,
    returns: schemas.NewInviteCode,
    handle: ({ ctx, body }) => plans.createInviteCode(ctx, body),
  }),

  operation({
    ...staff,
    id: 'admin.plans.listInviteCodes',
    route: 'GET /admin/invite-codes',
    summary: 'List platform invite codes',
    description: 'Newest first, each with the number of its uses.',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.InviteCode),
    handle: ({ ctx, query }) => plans.listInviteCodes(ctx, query),
  }),

  operation({
    ...staff,
    id: 'admin.plans.listSalesLeads',
    route: 'GET /admin/sales-leads',
    summary: 'List sales leads',
    description: 'Newest first.',
    limit: 'read',
    paged: true,
    query: schemas.LeadQuery,
    returns: z.array(schemas.SalesLead),
    handle: ({ ctx, query }) => plans.listSalesLeads(ctx, query),
  }),
]
