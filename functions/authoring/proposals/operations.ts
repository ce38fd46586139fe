import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as proposals from './service.ts'

const feature = 'ai_authoring'

export const flowProposalOperations = [
  operation({
    id: 'authoring.proposals.create',
    route: 'POST /sessions/{session_id}/convert-to-flow',
    alsoNeeds: ['sessions:read', 'ai:read'],
    summary: 'Convert a session to a flow proposal',
    description:
      'Proposes a new flow or an update of one, from my completed session or my resolved AI session. Notifies the admins of the team. Returns 409 `wrong_state` for a session in another state, and 409 `already_pending` for a session with a pending proposal. Returns 400 for a target that ships with the service or has another type.',
    access: 'engineer',
    limit: 'ai',
    strictLimit: 'ai',
    feature,
    params: schemas.SourceId,
    body: schemas.Conversion,
    returns: schemas.FlowProposal,
    errors: [
      'ai_budget_exhausted',
      'ai_provider_error',
      'already_pending',
      'flow_empty',
      'platform_flow',
      'wrong_flow_type',
      'wrong_state',
    ],
    idempotent: 'leased',
    background: true,
    handle: ({ ctx, params, body }) => proposals.create(ctx, params.session_id, body),
  }),

  operation({
    id: 'authoring.proposals.list',
    route: 'GET /flow-proposals',
    summary: 'List flow proposals',
    description:
      'Pending proposals by default, newest first. Lists those of my team and my own; account admins see all.',
    access: 'engineer',
    limit: 'read',
    feature,
    query: schemas.ProposalQuery,
    paged: true,
    returns: z.array(schemas.FlowProposalItem),
    handle: ({ ctx, query }) => proposals.list(ctx, query),
  }),

  operation({
    id: 'authoring.proposals.get',
    route: 'GET /flow-proposals/{proposal_id}',
    summary: 'Get a flow proposal',
    description: 'The proposed flow, and the cases that it was made from.',
    access: 'engineer',
    limit: 'read',
    feature,
    params: schemas.ProposalId,
    returns: schemas.FlowProposal,
    handle: ({ ctx, params }) => proposals.get(ctx, params.proposal_id),
  }),

  operation({
    id: 'authoring.proposals.approve',
    route: 'POST /flow-proposals/{proposal_id}/approve',
    alsoNeeds: ['flows:write'],
    summary: 'Approve a flow proposal',
    description:
      'Creates the flow for the submitter, or updates the target, and notifies the submitter. Returns 409 `already_decided` for a decided proposal, 409 `stale_version` if the target was saved since the proposal, and 409 `target_gone` if the target no longer exists.',
    access: 'team_admin',
    limit: 'write',
    strictLimit: 'mail',
    feature,
    params: schemas.ProposalId,
    returns: schemas.Approval,
    errors: ['already_decided', 'flow_invalid', 'limit_reached', 'stale_version', 'target_gone'],
    handle: ({ ctx, params }) => proposals.approve(ctx, params.proposal_id),
  }),

  operation({
    id: 'authoring.proposals.reject',
    route: 'POST /flow-proposals/{proposal_id}/reject',
    summary: 'Reject a flow proposal',
    description:
      'Notifies the submitter with the reason. Returns 409 `already_decided` for a decided proposal.',
    access: 'team_admin',
    limit: 'write',
    strictLimit: 'mail',
    feature,
    params: schemas.ProposalId,
    body: schemas.Rejection,
    success: 200,
    returns: schemas.FlowProposal,
    errors: ['already_decided'],
    handle: ({ ctx, params, body }) => proposals.reject(ctx, params.proposal_id, body.reason),
  }),
]
