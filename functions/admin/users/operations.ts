import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import { AuditEntry } from '../../accounts/accounts/schemas.ts'
import * as schemas from './schemas.ts'
import * as users from './service.ts'

const platform = 'staff look after every account'

export const adminUserOperations = [
  operation({
    id: 'admin.users.list',
    method: 'get',
    path: '/admin/users',
    summary: 'Search the people of all accounts, newest first',
    access: 'super_admin',
    platform,
    limit: 'read',
    paged: true,
    query: schemas.UserQuery,
    success: 200,
    returns: z.array(schemas.AdminUser),
    handle: ({ ctx, query }) => users.list(ctx, query),
  }),

  operation({
    id: 'admin.users.get',
    method: 'get',
    path: '/admin/users/{user_id}',
    summary: 'A person with account, subscription, devices and audit log',
    access: 'super_admin',
    platform,
    limit: 'read',
    params: schemas.UserId,
    success: 200,
    returns: schemas.AdminUserDetail,
    handle: ({ ctx, params }) => users.get(ctx, params.user_id),
  }),

  operation({
    id: 'admin.users.setSuperAdmin',
    method: 'put',
    path: '/admin/users/{user_id}/super-admin',
    summary: 'Promote somebody to super admin, or demote them',
    description: 'The last active super admin can be neither demoted nor deactivated: 409 `last_super_admin`.',
    access: 'super_admin',
    platform,
    limit: 'write',
    params: schemas.UserId,
    body: schemas.SuperAdminUpdate,
    success: 200,
    returns: schemas.AdminUser,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => users.setSuperAdmin(ctx, params.user_id, body),
  }),

  operation({
    id: 'admin.users.changePlan',
    method: 'put',
    path: '/admin/users/{user_id}/subscription/plan',
    summary: "Change the plan of a person's account",
    description:
      'A running trial goes on with the new plan. After a trial that ran out, and from `free`, the plan holds at once (`active`); to `free`, nothing is owed any more.',
    access: 'super_admin',
    platform,
    limit: 'write',
    params: schemas.UserId,
    body: schemas.PlanChange,
    success: 200,
    returns: schemas.Subscription,
    handle: ({ ctx, params, body }) => users.changePlan(ctx, params.user_id, body),
  }),

  operation({
    id: 'admin.users.extendTrial',
    method: 'post',
    path: '/admin/users/{user_id}/extend-trial',
    summary: "Let the trial of a person's account end later",
    description:
      'Also brings back a trial that ran out. An account that is past its trial, on a paid plan or by choice on `free`: 409 `not_on_trial`.',
    access: 'super_admin',
    platform,
    limit: 'write',
    params: schemas.UserId,
    body: schemas.TrialExtension,
    success: 200,
    returns: schemas.Subscription,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => users.extendTrial(ctx, params.user_id, body.days),
  }),

  operation({
    id: 'admin.users.listAccounts',
    method: 'get',
    path: '/admin/accounts',
    summary: 'Search all accounts, newest first',
    access: 'super_admin',
    platform,
    limit: 'read',
    paged: true,
    query: schemas.AccountQuery,
    success: 200,
    returns: z.array(schemas.AdminAccount),
    handle: ({ ctx, query }) => users.listAccounts(ctx, query),
  }),

  operation({
    id: 'admin.users.listAuditLogs',
    method: 'get',
    path: '/admin/audit-logs',
    summary: 'Who did what in any account, newest first',
    access: 'super_admin',
    platform,
    limit: 'read',
    paged: true,
    query: schemas.AuditQuery,
    success: 200,
    returns: z.array(AuditEntry),
    handle: ({ ctx, query }) => users.listAuditLogs(ctx, query),
  }),
]
