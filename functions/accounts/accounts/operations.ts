import * as z from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as mfa from '../../identity/mfa/service.ts'
import * as schemas from './schemas.ts'
import * as accounts from './service.ts'

export const accountOperations = [
  operation({
    id: 'accounts.get',
    method: 'get',
    path: '/accounts/me',
    summary: 'Get my account',
    description: 'Returns the account with its plan, subscription, limits and usage.',
    access: 'user',
    limit: 'read',
    success: 200,
    returns: schemas.Account,
    handle: ({ ctx }) => accounts.get(ctx),
  }),

  operation({
    id: 'accounts.update',
    method: 'patch',
    path: '/accounts/me',
    summary: 'Update my account',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    body: schemas.AccountUpdate,
    success: 200,
    returns: schemas.Account,
    handle: ({ ctx, body }) => accounts.update(ctx, body),
  }),

  operation({
    id: 'accounts.getPreferences',
    method: 'get',
    path: '/accounts/me/preferences',
    summary: "Get my account's preferences",
    access: 'user',
    limit: 'read',
    success: 200,
    returns: schemas.Preferences,
    handle: ({ ctx }) => accounts.getPreferences(ctx),
  }),

  operation({
    id: 'accounts.updatePreferences',
    method: 'patch',
    path: '/accounts/me/preferences',
    summary: "Update my account's preferences",
    description:
      'Merges the keys of the body into the preferences. A null value removes its key. Only an account admin changes `mask_exports`.',
    access: 'user',
    limit: 'write',
    body: schemas.PreferencesUpdate,
    success: 200,
    returns: schemas.Preferences,
    errors: ['account_admin_required'],
    handle: ({ ctx, body }) => accounts.updatePreferences(ctx, body),
  }),

  operation({
    id: 'accounts.listMembers',
    method: 'get',
    path: '/accounts/me/members',
    summary: "List my account's members",
    description: 'Sorted by name.',
    access: 'user',
    limit: 'read',
    paged: true,
    success: 200,
    returns: z.array(schemas.Member),
    handle: ({ ctx, query }) => accounts.listMembers(ctx, query),
  }),

  operation({
    id: 'accounts.updateMember',
    method: 'patch',
    path: '/accounts/me/members/{user_id}',
    summary: 'Update a member',
    description: `Changes the role, the team or the active flag. The last active admin cannot be demoted or deactivated: 409 \`last_admin\`.
Activating a member needs a free seat: 409 \`seat_limit_reached\`.`,
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    params: schemas.MemberId,
    body: schemas.MemberUpdate,
    success: 200,
    returns: schemas.Member,
    errors: ['last_admin', 'last_super_admin', 'seat_limit_reached'],
    handle: ({ ctx, params, body }) => accounts.updateMember(ctx, params.user_id, body),
  }),

  operation({
    id: 'accounts.removeMember',
    method: 'delete',
    path: '/accounts/me/members/{user_id}',
    summary: 'Deactivate a member',
    description: "Revokes the member's sign-ins. Content that the member created stays.",
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    params: schemas.MemberId,
    success: 204,
    errors: ['last_admin', 'last_super_admin'],
    handle: ({ ctx, params }) => accounts.removeMember(ctx, params.user_id),
  }),

  operation({
    id: 'accounts.resetMemberMfa',
    method: 'delete',
    path: '/accounts/me/members/{user_id}/mfa',
    summary: "Remove a member's second factors",
    description: "Revokes the member's sign-ins. A super admin's are removed by super admins only.",
    access: 'account_admin',
    stepUp: true,
    platform: 'the tenant role cannot read second factors',
    limit: 'write',
    params: schemas.MemberId,
    success: 204,
    errors: ['mfa_not_enabled'],
    handle: ({ ctx, params }) => mfa.resetMember(ctx, params.user_id),
  }),

  operation({
    id: 'accounts.listAuditLog',
    method: 'get',
    path: '/accounts/me/audit-logs',
    summary: "List my account's audit log",
    description: 'Newest first.',
    access: 'account_admin',
    limit: 'read',
    paged: true,
    success: 200,
    returns: z.array(schemas.AuditEntry),
    handle: ({ ctx, query }) => accounts.listAuditLog(ctx, query),
  }),
]
