import * as z from 'zod'
import { AuditEntry } from '#functions/accounts/accounts/schemas.ts'
import * as accounts from '#functions/accounts/accounts/service.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as users from './service.ts'

const platform = 'staff manage every account'

export const adminUserOperations = [
  operation({
    id: 'admin.users.list',
    route: 'GET /admin/users',
    summary: 'Search users of all accounts',
    description: 'Newest first.',
    access: 'super_admin',
    platform,
    limit: 'read',
    paged: true,
    query: schemas.UserQuery,
    returns: z.array(schemas.AdminUser),
    handle: ({ ctx, query }) => users.list(ctx, query),
  }),

  operation({
    id: 'admin.users.get',
    route: 'GET /admin/users/{user_id}',
    summary: 'Get a user of any account',
    description:
      'Includes the account, the subscription, the last 50 sign-ins and the last 50 audit log entries.',
    access: 'super_admin',
    platform,
    limit: 'read',
    params: schemas.UserId,
    returns: schemas.AdminUserDetail,
    handle: ({ ctx, params }) => users.get(ctx, params.user_id),
  }),

  operation({
    id: 'admin.users.setSuperAdmin',
    route: 'PUT /admin/users/{user_id}/super-admin',
    summary: 'Promote or demote a super admin',
    description: 'The last active super admin cannot be demoted or deactivated: 409 `last_super_admin`.',
    access: 'super_admin',
    stepUp: true,
    platform,
    limit: 'write',
    params: schemas.UserId,
    body: schemas.SuperAdminUpdate,
    returns: schemas.AdminUser,
    errors: ['last_super_admin'],
    handle: ({ ctx, params, body }) => users.setSuperAdmin(ctx, params.user_id, body),
  }),

  operation({
    id: 'admin.users.resetMfa',
    route: 'DELETE /admin/users/{user_id}/mfa',
    summary: "Remove a user's second factors",
    description:
      'For a person who lost all factors. The person signs in with the password alone and can set up new ones.',
    access: 'super_admin',
    stepUp: true,
    platform,
    limit: 'write',
    params: schemas.UserId,
    errors: ['mfa_not_enabled'],
    handle: ({ ctx, params }) => accounts.resetUserMfa(ctx, params.user_id),
  }),

  operation({
    id: 'admin.users.changePlan',
    route: 'PUT /admin/users/{user_id}/subscription/plan',
    summary: "Change the plan of a user's account",
    description: `A running trial continues with the new plan. After an expired trial, and from \`free\`, the plan takes effect immediately
(\`active\`). A change to \`free\` also clears an overdue payment.`,
    access: 'super_admin',
    platform,
    limit: 'write',
    params: schemas.UserId,
    body: schemas.PlanChange,
    returns: schemas.Subscription,
    handle: ({ ctx, params, body }) => users.changePlan(ctx, params.user_id, body),
  }),

  operation({
    id: 'admin.users.extendTrial',
    route: 'POST /admin/users/{user_id}/extend-trial',
    summary: "Extend the trial of a user's account",
    description:
      'Also restarts an expired trial. An account that left its trial, for a paid plan or for `free`, returns 409 `not_on_trial`.',
    access: 'super_admin',
    platform,
    limit: 'write',
    params: schemas.UserId,
    body: schemas.TrialExtension,
    success: 200,
    returns: schemas.Subscription,
    errors: ['not_on_trial'],
    handle: ({ ctx, params, body }) => users.extendTrial(ctx, params.user_id, body.days),
  }),

  operation({
    id: 'admin.users.listAccounts',
    route: 'GET /admin/accounts',
    summary: 'Search all accounts',
    description: 'Newest first.',
    access: 'super_admin',
    platform,
    limit: 'read',
    paged: true,
    query: schemas.AccountQuery,
    returns: z.array(schemas.AdminAccount),
    handle: ({ ctx, query }) => users.listAccounts(ctx, query),
  }),

  operation({
    id: 'admin.users.listAuditLogs',
    route: 'GET /admin/audit-logs',
    summary: 'List audit logs of all accounts',
    description: 'Newest first.',
    access: 'super_admin',
    platform,
    limit: 'read',
    paged: true,
    query: schemas.AuditQuery,
    returns: z.array(AuditEntry),
    handle: ({ ctx, query }) => users.listAuditLogs(ctx, query),
  }),
]
