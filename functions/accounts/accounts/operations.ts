import * as z from 'zod'
import { operation, stream } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as accounts from './service.ts'

export const accountOperations = [
  operation({
    id: 'accounts.get',
    route: 'GET /accounts/me',
    summary: 'Get my account',
    description: 'Returns the account with its plan, subscription, limits and usage.',
    access: 'user',
    limit: 'read',
    returns: schemas.Account,
    handle: ({ ctx }) => accounts.get(ctx),
  }),

  operation({
    id: 'accounts.update',
    route: 'PATCH /accounts/me',
    summary: 'Update my account',
    description: 'Changes the given fields, such as the name and the settings of security.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    body: schemas.AccountUpdate,
    returns: schemas.Account,
    handle: ({ ctx, body }) => accounts.update(ctx, body),
  }),

  operation({
    id: 'accounts.delete',
    route: 'DELETE /accounts/me',
    summary: 'Delete my account',
    description: `The account with everything in it is erased 14 days later, and every admin with a verified address gets an e-mail. Until then it
works as before, and an admin can restore it. A repeated request changes nothing.`,
    access: 'account_admin',
    skipGuards: 'account',
    stepUp: true,
    limit: '20/hour',
    strictLimit: 'mail',
    body: schemas.AccountDeletion,
    success: 202,
    returns: schemas.Account,
    handle: ({ ctx, body }) => accounts.requestDeletion(ctx, body.name),
  }),

  operation({
    id: 'accounts.restore',
    route: 'POST /accounts/me/restore',
    summary: 'Cancel the deletion of my account',
    description: 'Sends the admins an e-mail. Changes nothing if no deletion is scheduled.',
    access: 'account_admin',
    skipGuards: 'account',
    limit: '20/hour',
    strictLimit: 'mail',
    success: 200,
    returns: schemas.Account,
    handle: ({ ctx }) => accounts.restore(ctx),
  }),

  operation({
    id: 'accounts.getUsage',
    route: 'GET /accounts/me/usage',
    summary: "Get my account's usage and limits",
    description: 'At a limit, requests that need more get 409 `limit_reached`, or 429 `ai_budget_exhausted`.',
    access: 'user',
    limit: 'read',
    returns: schemas.Usage,
    handle: ({ ctx }) => accounts.getUsage(ctx),
  }),

  operation({
    id: 'accounts.getPreferences',
    route: 'GET /accounts/me/preferences',
    summary: "Get my account's preferences",
    description: 'Every preference with its value, or its default where nobody set one.',
    access: 'user',
    limit: 'read',
    returns: schemas.Preferences,
    handle: ({ ctx }) => accounts.getPreferences(ctx),
  }),

  operation({
    id: 'accounts.updatePreferences',
    route: 'PATCH /accounts/me/preferences',
    summary: "Update my account's preferences",
    description: 'Changes the given keys and leaves the others. Some keys need an account admin.',
    access: 'user',
    limit: 'write',
    body: schemas.PreferencesUpdate,
    returns: schemas.Preferences,
    errors: ['account_admin_required'],
    handle: ({ ctx, body }) => accounts.updatePreferences(ctx, body),
  }),

  operation({
    id: 'accounts.listMembers',
    route: 'GET /accounts/me/members',
    summary: "List my account's members",
    description: 'Sorted by name.',
    access: 'user',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.Member),
    handle: ({ ctx, query }) => accounts.listMembers(ctx, query),
  }),

  operation({
    id: 'accounts.listWaitingWork',
    route: 'GET /accounts/me/members/{user_id}/work',
    summary: 'List what waits for a member',
    description:
      'Counts by kind. Read it before you deactivate a member or make them a viewer: `outcome` says what becomes of each. `GET /accounts/me/members/{user_id}/on-call` has their on-call duties.',
    access: 'account_admin',
    limit: 'read',
    platform: 'row policies hide what is private to the member',
    params: schemas.MemberId,
    returns: z.array(schemas.WaitingWork),
    handle: ({ ctx, params }) => accounts.listWaitingWork(ctx, params.user_id),
  }),

  operation({
    id: 'accounts.updateMember',
    route: 'PATCH /accounts/me/members/{user_id}',
    summary: 'Update a member',
    description: `Changes the role, the team or the active flag. The last active admin cannot be demoted or deactivated: 409 \`last_admin\`.
Activating a member needs a free seat: 409 \`seat_limit_reached\`. What waits for a member who is deactivated or becomes a viewer is freed, or passes to admins: \`waiting_work\`.`,
    access: 'account_admin',
    stepUp: true,
    platform: 'row policies hide what is private to the member',
    limit: 'write',
    params: schemas.MemberId,
    body: schemas.MemberUpdate,
    returns: schemas.UpdatedMember,
    errors: ['email_taken', 'last_admin', 'last_super_admin', 'seat_limit_reached'],
    handle: ({ ctx, params, body }) => accounts.updateMember(ctx, params.user_id, body),
  }),

  operation({
    id: 'accounts.removeMember',
    route: 'DELETE /accounts/me/members/{user_id}',
    summary: 'Deactivate a member',
    description:
      "Revokes the member's sign-ins. Content that the member created stays. `GET /accounts/me/members/{user_id}/work` lists what waits for them, and `GET /accounts/me/members/{user_id}/on-call` the on-call schedules and escalation policies that name them. Cases that they had taken over are escalated again. Who is on call now in their place is told: `oncall.changed`.",
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    params: schemas.MemberId,
    errors: ['last_admin', 'last_super_admin'],
    handle: ({ ctx, params }) => accounts.removeMember(ctx, params.user_id),
  }),

  operation({
    id: 'accounts.resetMemberMfa',
    route: 'DELETE /accounts/me/members/{user_id}/mfa',
    summary: "Remove a member's second factors",
    description: "Revokes the member's sign-ins. A super admin's are removed by super admins only.",
    access: 'account_admin',
    stepUp: true,
    platform: 'the tenant role cannot read second factors',
    limit: 'write',
    params: schemas.MemberId,
    errors: ['mfa_not_enabled'],
    handle: ({ ctx, params }) => accounts.resetMemberMfa(ctx, params.user_id),
  }),

  operation({
    id: 'accounts.endEmailProblem',
    route: 'DELETE /accounts/me/members/{user_id}/email-problem',
    summary: 'Send e-mails to a member again',
    description:
      'Ends the `email_problem` of a member whose address works again. Returns 409 `email_complaint` after a complaint: only the member can take it back, with the link of an e-mail about their sign-in.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.MemberId,
    errors: ['email_complaint'],
    handle: ({ ctx, params }) => accounts.endEmailProblem(ctx, params.user_id),
  }),

  operation({
    id: 'accounts.listAuditLog',
    route: 'GET /accounts/me/audit-logs',
    summary: "List my account's audit log",
    description:
      'Newest first. Each entry has a number, so gaps are visible. The event `audit.recorded` of webhooks sends new entries.',
    access: 'account_admin',
    limit: 'read',
    paged: true,
    query: schemas.AuditLogQuery,
    returns: z.array(schemas.AuditEntry),
    handle: ({ ctx, query }) => accounts.listAuditLog(ctx, query),
  }),

  stream({
    id: 'accounts.exportAuditLog',
    route: 'GET /accounts/me/audit-logs/export',
    summary: "Export my account's audit log",
    description:
      'Returns the entries as CSV, oldest first, a line per entry with its number. A file has at most 100,000 entries. The export is an entry too.',
    access: 'account_admin',
    platform: 'adds the export to the audit log',
    limit: '10/minute',
    transport: { writes: true },
    query: schemas.AuditLogQuery,
    produces: ['text/csv'],
    handle: ({ ctx, query }) => accounts.exportAuditLog(ctx, query),
  }),
]
