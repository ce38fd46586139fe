import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as invites from './service.ts'

export const inviteOperations = [
  operation({
    id: 'accounts.invites.list',
    method: 'get',
    path: '/accounts/me/invites',
    summary: 'Open and past invites, newest first',
    access: 'account_admin',
    limit: 'read',
    paged: true,
    success: 200,
    returns: z.array(schemas.Invite),
    handle: ({ ctx, query }) => invites.list(ctx, query),
  }),

  operation({
    id: 'accounts.invites.create',
    method: 'post',
    path: '/accounts/me/invites',
    summary: 'Invite a colleague by mail',
    description: 'Members and open invites together stay within the seats of the plan: 409 `seat_limit_reached`.',
    access: 'account_admin',
    limit: '10/minute',
    body: schemas.InviteCreate,
    success: 201,
    returns: schemas.Invite,
    errors: ['conflict'],
    handle: ({ ctx, body }) => invites.create(ctx, body),
  }),

  operation({
    id: 'accounts.invites.revoke',
    method: 'delete',
    path: '/accounts/me/invites/{invite_id}',
    summary: 'Revoke an invite',
    access: 'account_admin',
    limit: 'write',
    params: schemas.InviteId,
    success: 204,
    errors: ['conflict'],
    handle: ({ ctx, params }) => invites.revoke(ctx, params.invite_id),
  }),

  operation({
    id: 'accounts.invites.resend',
    method: 'post',
    path: '/accounts/me/invites/{invite_id}/resend',
    summary: 'Send the mail again with a fresh code; the code before is dead',
    access: 'account_admin',
    limit: '5/minute',
    params: schemas.InviteId,
    success: 202,
    errors: ['conflict'],
    handle: ({ ctx, params }) => invites.resend(ctx, params.invite_id),
  }),

  operation({
    id: 'accounts.invites.lookUp',
    method: 'get',
    path: '/accounts/invites/{code}/lookup',
    summary: 'Who invites whom',
    description: 'Unknown, expired, revoked and used codes all answer the same 404.',
    access: 'public',
    platform: 'the account is known by the code alone',
    limit: '30/minute/ip',
    params: schemas.InviteCode,
    success: 200,
    returns: schemas.InviteLookup,
    handle: ({ ctx, params }) => invites.lookup(ctx, params.code),
  }),
]
