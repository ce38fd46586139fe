import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as policies from './service.ts'

export const escalationPolicyOperations = [
  operation({
    id: 'oncall.policies.list',
    method: 'get',
    path: '/escalation-policies',
    summary: 'List escalation policies',
    description: 'Sorted by name.',
    access: 'user',
    limit: 'read',
    paged: true,
    success: 200,
    returns: z.array(schemas.EscalationPolicy),
    handle: ({ ctx, query }) => policies.list(ctx, query),
  }),

  operation({
    id: 'oncall.policies.create',
    method: 'post',
    path: '/escalation-policies',
    summary: 'Create an escalation policy',
    description:
      'Its steps begin when a session is escalated and end when a colleague claims, picks up or acknowledges the escalation, or its session ends. The engineer who escalated is not notified. A team has at most one default policy: otherwise 409 `conflict`. An account has at most 50 policies.',
    access: 'team_admin',
    limit: 'write',
    body: schemas.PolicyCreate,
    success: 201,
    returns: schemas.EscalationPolicy,
    errors: ['not_found', 'conflict', 'limit_reached'],
    handle: ({ ctx, body }) => policies.create(ctx, body),
  }),

  operation({
    id: 'oncall.policies.get',
    method: 'get',
    path: '/escalation-policies/{policy_id}',
    summary: 'Get an escalation policy',
    description: 'The steps of the policy: whom it tells, and after how many minutes.',
    access: 'user',
    limit: 'read',
    params: schemas.PolicyId,
    success: 200,
    returns: schemas.EscalationPolicy,
    handle: ({ ctx, params }) => policies.get(ctx, params.policy_id),
  }),

  operation({
    id: 'oncall.policies.update',
    method: 'put',
    path: '/escalation-policies/{policy_id}',
    summary: 'Update an escalation policy',
    description: 'Earlier escalations keep the steps that the policy had.',
    access: 'team_admin',
    limit: 'write',
    params: schemas.PolicyId,
    body: schemas.PolicyUpdate,
    success: 200,
    returns: schemas.EscalationPolicy,
    errors: ['conflict', 'stale_version'],
    handle: ({ ctx, params, body }) => policies.update(ctx, params.policy_id, body),
  }),

  operation({
    id: 'oncall.policies.delete',
    method: 'delete',
    path: '/escalation-policies/{policy_id}',
    summary: 'Delete an escalation policy',
    description: 'Earlier escalations keep the steps that the policy had.',
    access: 'team_admin',
    limit: 'write',
    params: schemas.PolicyId,
    success: 204,
    handle: ({ ctx, params }) => policies.remove(ctx, params.policy_id),
  }),
]
