import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as invites from './service.ts'

export const inviteOperations = [
  operation({
    id: 'accounts.invites.list',
    route: 'GET /accounts/me/invites',
    summary: "List my account's invites",
    description: 'Open and past invites, newest first.',
    access: 'account_admin',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.Invite),
    handle: ({ ctx, query }) => invites.list(ctx, query),
  }),

  operation({
    id: 'accounts.invites.create',
    route: 'POST /accounts/me/invites',
    summary: 'Invite a colleague by e-mail',
    description:
      'Members and open invites together must not exceed the seats of the plan: 409 `seat_limit_reached`. 409 `already_member` names the member (`member_id`) and says whether they are active: who was removed is activated again instead.',
    access: 'account_admin',
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'mail',
    body: schemas.InviteCreate,
    returns: schemas.Invite,
    errors: [
      'already_member',
      'already_pending',
      'limit_reached',
      'mail_not_configured',
      'seat_limit_reached',
    ],
    handle: ({ ctx, body }) => invites.create(ctx, body),
  }),

  operation({
    id: 'accounts.invites.revoke',
    route: 'DELETE /accounts/me/invites/{invite_id}',
    summary: 'Revoke an invite',
    description: 'The link in the mail ends. 409 when the invite was accepted or has ended.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.InviteId,
    errors: ['invite_closed'],
    handle: ({ ctx, params }) => invites.revoke(ctx, params.invite_id),
  }),

  operation({
    id: 'accounts.invites.resend',
    route: 'POST /accounts/me/invites/{invite_id}/resend',
    summary: 'Resend an invite',
    description:
      'Sends a new code by e-mail and extends the invite to 7 days from now. Earlier codes become invalid.',
    access: 'account_admin',
    limit: '5/minute',
    strictLimit: 'mail',
    params: schemas.InviteId,
    success: 202,
    errors: ['invite_closed', 'limit_reached', 'mail_not_configured'],
    handle: ({ ctx, params }) => invites.resend(ctx, params.invite_id),
  }),

  operation({
    id: 'accounts.invites.lookUp',
    route: 'GET /accounts/invites/{code}/lookup',
    summary: 'Look up an invite by its code',
    description: 'Returns the same 404 for unknown, expired, revoked and used codes.',
    access: 'public',
    platform: 'only the code identifies the account',
    limit: '30/minute/ip',
    strictLimit: 'public',
    params: schemas.InviteCode,
    returns: schemas.InviteLookup,
    errors: ['invite_invalid_or_expired_or_revoked'],
    handle: ({ ctx, params }) => invites.lookUp(ctx, params.code),
  }),
]
