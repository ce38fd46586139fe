import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as policies from './service.ts'

export const escalationPolicyOperations = [
  operation({
    id: 'oncall.policies.list',
    route: 'GET /escalation-policies',
    summary: 'List escalation policies',
    description: 'Sorted by name.',
    access: 'user',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.EscalationPolicy),
    handle: ({ ctx, query }) => policies.list(ctx, query),
  }),

  operation({
    id: 'oncall.policies.create',
    route: 'POST /escalation-policies',
    summary: 'Create an escalation policy',
    description:
      'Its steps begin when a session is escalated and end when a colleague claims, picks up or acknowledges the escalation, or its session ends. The engineer who escalated is not notified. A team has at most one default policy: otherwise 409 `conflict`. An account has at most 50 policies.',
    access: 'team_admin',
    limit: 'write',
    body: schemas.PolicyCreate,
    returns: schemas.EscalationPolicy,
    errors: ['not_found', 'conflict', 'limit_reached'],
    handle: ({ ctx, body }) => policies.create(ctx, body),
  }),

  operation({
    id: 'oncall.policies.get',
    route: 'GET /escalation-policies/{policy_id}',
    summary: 'Get an escalation policy',
    description: 'The steps of the policy: whom it tells, and after how many minutes.',
    access: 'user',
    limit: 'read',
    params: schemas.PolicyId,
    returns: schemas.EscalationPolicy,
    handle: ({ ctx, params }) => policies.get(ctx, params.policy_id),
  }),

  operation({
    id: 'oncall.policies.update',
    route: 'PUT /escalation-policies/{policy_id}',
    summary: 'Update an escalation policy',
    description: 'Earlier escalations keep the steps that the policy had.',
    access: 'team_admin',
    limit: 'write',
    params: schemas.PolicyId,
    body: schemas.PolicyUpdate,
    returns: schemas.EscalationPolicy,
    errors: ['conflict', 'stale_version'],
    handle: ({ ctx, params, body }) => policies.update(ctx, params.policy_id, body),
  }),

  operation({
    id: 'oncall.policies.delete',
    route: 'DELETE /escalation-policies/{policy_id}',
    summary: 'Delete an escalation policy',
    description: 'Earlier escalations keep the steps that the policy had.',
    access: 'team_admin',
    limit: 'write',
    params: schemas.PolicyId,
    handle: ({ ctx, params }) => policies.remove(ctx, params.policy_id),
  }),
]
