import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as accounts from './service.ts'

export const accountOperations = [
  operation({
    id: 'accounts.get',
    method: 'get',
    path: '/accounts/me',
    summary: 'My account: plan, subscription, limits and usage',
    access: 'user',
    limit: 'read',
    success: 200,
    returns: schemas.Account,
    handle: ({ ctx }) => accounts.mine(ctx),
  }),

  operation({
    id: 'accounts.update',
    method: 'patch',
    path: '/accounts/me',
    summary: "Change my account's name, time zone or settings",
    access: 'account_admin',
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
    summary: 'The preferences of my account',
    access: 'user',
    limit: 'read',
    success: 200,
    returns: schemas.Preferences,
    handle: ({ ctx }) => accounts.preferences(ctx),
  }),

  operation({
    id: 'accounts.updatePreferences',
    method: 'patch',
    path: '/accounts/me/preferences',
    summary: 'Merge keys into the preferences; null removes one',
    access: 'user',
    limit: 'write',
    body: schemas.PreferencesUpdate,
    success: 200,
    returns: schemas.Preferences,
    handle: ({ ctx, body }) => accounts.updatePreferences(ctx, body),
  }),

  operation({
    id: 'accounts.listMembers',
    method: 'get',
    path: '/accounts/me/members',
    summary: 'The members of my account, by name',
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
    summary: "Change a member's role, team or active flag",
    description:
      'The last active admin can be neither demoted nor deactivated: 409 `last_admin`. Activating needs a seat: 409 `seat_limit_reached`.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.MemberId,
    body: schemas.MemberUpdate,
    success: 200,
    returns: schemas.Member,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => accounts.updateMember(ctx, params.user_id, body),
  }),

  operation({
    id: 'accounts.removeMember',
    method: 'delete',
    path: '/accounts/me/members/{user_id}',
    summary: 'Deactivate a member and sign them out; what they made stays',
    access: 'account_admin',
    limit: 'write',
    params: schemas.MemberId,
    success: 204,
    errors: ['conflict'],
    handle: ({ ctx, params }) => accounts.removeMember(ctx, params.user_id),
  }),

  operation({
    id: 'accounts.listAuditLog',
    method: 'get',
    path: '/accounts/me/audit-logs',
    summary: 'Who did what in my account, newest first',
    access: 'account_admin',
    limit: 'read',
    paged: true,
    success: 200,
    returns: z.array(schemas.AuditEntry),
    handle: ({ ctx, query }) => accounts.listAuditLog(ctx, query),
  }),
]
