import * as z from 'zod'
import { TreeId } from '#functions/flows/trees/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as sharing from './service.ts'

export const treeSharingOperations = [
  operation({
    id: 'flows.sharing.create',
    route: 'POST /trees/{tree_id}/share',
    summary: 'Create a share link',
    description:
      'The link opens the public part of the flow without sign-in while the flow is published. It ends when its creator leaves the account or is deactivated, and when the visibility of the flow becomes narrower. Returns 409 `wrong_state` for a draft.',
    access: 'engineer',
    limit: 'write',
    closedToKeys: true,
    idempotent: false,
    params: TreeId,
    body: schemas.ShareCreate,
    returns: schemas.NewShare,
    errors: ['wrong_state'],
    handle: ({ ctx, params, body }) => sharing.createLink(ctx, params.tree_id, body.expires_in_days),
  }),

  operation({
    id: 'flows.sharing.list',
    route: 'GET /trees/{tree_id}/shares',
    summary: 'List the share links of a flow',
    description: 'Newest first, without expired and revoked links.',
    access: 'engineer',
    limit: 'read',
    params: TreeId,
    paged: true,
    returns: z.array(schemas.Share),
    handle: ({ ctx, params, query }) => sharing.list(ctx, params.tree_id, query),
  }),

  operation({
    id: 'flows.sharing.revoke',
    route: 'DELETE /trees/{tree_id}/shares/{share_id}',
    summary: 'Revoke a share link',
    description: 'The public address of the flow ends at once.',
    access: 'engineer',
    limit: 'write',
    params: schemas.ShareId,
    handle: ({ ctx, params }) => sharing.revoke(ctx, params.tree_id, params.share_id),
  }),

  operation({
    id: 'flows.sharing.openLink',
    route: 'GET /shared/{token}',
    summary: 'Get a shared flow',
    description:
      'Titles, descriptions, options and the intake form, without attachments, scripts, approvals and sub-flows. Returns 404 if the link is unknown, expired, revoked or has ended, or if its flow is a draft or was deleted.',
    access: 'public',
    platform: 'the link may belong to any account',
    limit: '30/minute/ip',
    strictLimit: 'public',
    params: schemas.Token,
    returns: schemas.SharedFlow,
    handle: ({ ctx, params }) => sharing.openLink(ctx, params.token),
  }),
]
