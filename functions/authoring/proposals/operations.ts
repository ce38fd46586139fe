import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as proposals from './service.ts'

const feature = 'ai_authoring'

export const flowProposalOperations = [
  operation({
    id: 'authoring.proposals.create',
    method: 'post',
    path: '/sessions/{session_id}/convert-to-flow',
    summary: 'Propose a flow made of a finished session, or an update of one',
    description:
      'Of a completed session, or of a resolved AI session of mine. One that is not over is 409, one whose proposal awaits review 409 `proposal_pending`, a target that ships with the service or is of another type 400. The admins of the team are told.',
    access: 'engineer',
    limit: 'ai',
    feature,
    params: schemas.SourceId,
    body: schemas.Conversion,
    success: 201,
    returns: schemas.FlowProposal,
    errors: ['bad_request', 'conflict', 'ai_provider_error'],
    idempotent: 'leased',
    handle: ({ ctx, params, body }) => proposals.convert(ctx, params.session_id, body),
  }),

  operation({
    id: 'authoring.proposals.list',
    method: 'get',
    path: '/flow-proposals',
    summary: 'Flow proposals that await review, newest first',
    description: 'Those of my team; an account admin sees all, and everybody their own.',
    access: 'engineer',
    limit: 'read',
    feature,
    query: schemas.ProposalQuery,
    paged: true,
    success: 200,
    returns: z.array(schemas.FlowProposalItem),
    handle: ({ ctx, query }) => proposals.list(ctx, query),
  }),

  operation({
    id: 'authoring.proposals.get',
    method: 'get',
    path: '/flow-proposals/{proposal_id}',
    summary: 'One flow proposal, with the whole flow',
    access: 'engineer',
    limit: 'read',
    feature,
    params: schemas.ProposalId,
    success: 200,
    returns: schemas.FlowProposal,
    handle: ({ ctx, params }) => proposals.get(ctx, params.proposal_id),
  }),

  operation({
    id: 'authoring.proposals.approve',
    method: 'post',
    path: '/flow-proposals/{proposal_id}/approve',
    summary: 'Approve a proposal: its flow is created, published, or updated',
    description:
      'A new flow is its submitter’s. One that was decided already is 409 `proposal_decided`; of an update whose flow was saved since it was proposed 409 `stale_version`, and 409 `target_gone` where it is not to be found. The submitter is told.',
    access: 'team_admin',
    limit: 'write',
    feature,
    params: schemas.ProposalId,
    success: 201,
    returns: schemas.Approval,
    errors: ['bad_request', 'conflict'],
    handle: ({ ctx, params }) => proposals.approve(ctx, params.proposal_id),
  }),

  operation({
    id: 'authoring.proposals.reject',
    method: 'post',
    path: '/flow-proposals/{proposal_id}/reject',
    summary: 'Reject a proposal, with the reason for its submitter',
    description: 'One that was decided already is 409 `proposal_decided`.',
    access: 'team_admin',
    limit: 'write',
    feature,
    params: schemas.ProposalId,
    body: schemas.Rejection,
    success: 200,
    returns: schemas.FlowProposal,
    errors: ['conflict'],
    handle: ({ ctx, params, body }) => proposals.reject(ctx, params.proposal_id, body.reason),
  }),
]
