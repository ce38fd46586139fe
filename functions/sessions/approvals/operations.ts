import * as z from 'zod'
import { SessionId } from '#functions/sessions/sessions/schemas.ts'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as approvals from './service.ts'

/** A decision of a person: API keys cannot make it. */
const decision = {
  access: 'engineer',
  limit: 'write',
  strictLimit: 'mail',
  closedToKeys: true,
  params: schemas.ApprovalId,
} as const

export const approvalOperations = [
  operation({
    id: 'sessions.approvals.listWaiting',
    route: 'GET /approvals',
    summary: 'List approvals that wait for me',
    description:
      'Lists the pending approvals of the account that I may decide. Those that expire first come first. Get an approval to read its text before you decide.',
    access: 'engineer',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.ApprovalListItem),
    handle: ({ ctx, query }) => approvals.listWaiting(ctx, query),
  }),

  operation({
    id: 'sessions.approvals.list',
    route: 'GET /sessions/{session_id}/approvals',
    summary: 'List the approvals of a session',
    description: 'Lists the approvals of a session, or of an AI session, in every state, newest first.',
    access: 'user',
    limit: 'read',
    paged: true,
    params: schemas.ApprovalCaseId,
    returns: z.array(schemas.ApprovalListItem),
    handle: ({ ctx, params, query }) => approvals.list(ctx, params.session_id, query),
  }),

  operation({
    id: 'sessions.approvals.get',
    route: 'GET /sessions/{session_id}/approvals/{approval_id}',
    summary: 'Get an approval',
    description: 'Returns also the text that is to be approved.',
    access: 'user',
    limit: 'read',
    params: schemas.ApprovalId,
    returns: schemas.Approval,
    handle: ({ ctx, params }) => approvals.get(ctx, params),
  }),

  operation({
    id: 'sessions.approvals.request',
    route: 'POST /sessions/{session_id}/approvals',
    summary: 'Request approval of the current step',
    description:
      'Notifies everyone who may approve the step, except me and the user of the session. Returns 409 `wrong_state` if the step needs no approval, `already_pending` or `already_decided` if it has one, `no_approver` if nobody else may approve, and `limit_reached` if variables make the text too long. The approval ends when the session moves on or ends, or when a variable changes the text of the step.',
    access: 'engineer',
    limit: 'write',
    strictLimit: 'mail',
    params: SessionId,
    body: schemas.ApprovalRequest,
    returns: schemas.Approval,
    errors: [
      'already_decided',
      'already_pending',
      'limit_reached',
      'no_approver',
      'step_not_current',
      'wrong_state',
    ],
    handle: ({ ctx, params, body }) => approvals.requestForStep(ctx, params.session_id, body.comment),
  }),

  operation({
    ...decision,
    id: 'sessions.approvals.approve',
    route: 'POST /sessions/{session_id}/approvals/{approval_id}/approve',
    summary: 'Approve a request',
    description:
      'Of concurrent decisions one counts; the others get 409 `already_decided`. An approval that has expired or was voided returns 409 `wrong_state`. Whoever requested it or runs the session, and whoever no longer has the role, gets 403.',
    body: schemas.ApprovalGrant,
    success: 200,
    returns: schemas.Approval,
    errors: ['already_decided', 'wrong_state'],
    handle: ({ ctx, params, body }) => approvals.decide(ctx, params, 'approved', body.comment),
  }),

  operation({
    ...decision,
    id: 'sessions.approvals.reject',
    route: 'POST /sessions/{session_id}/approvals/{approval_id}/reject',
    summary: 'Reject a request',
    description: 'Returns the same errors as approving it. The technician can request another approval.',
    body: schemas.ApprovalRejection,
    success: 200,
    returns: schemas.Approval,
    errors: ['already_decided', 'wrong_state'],
    handle: ({ ctx, params, body }) => approvals.decide(ctx, params, 'rejected', body.comment),
  }),

  operation({
    id: 'sessions.approvals.withdraw',
    route: 'POST /sessions/{session_id}/approvals/{approval_id}/withdraw',
    summary: 'Withdraw a request',
    description:
      'For whoever requested it or runs the session; others get 403. It becomes `voided`, and another approval can be requested. A decided one returns 409 `already_decided`, one that has ended 409 `wrong_state`.',
    access: 'engineer',
    limit: 'write',
    closedToKeys: true,
    params: schemas.ApprovalId,
    success: 200,
    returns: schemas.Approval,
    errors: ['already_decided', 'wrong_state'],
    handle: ({ ctx, params }) => approvals.withdraw(ctx, params),
  }),
]
