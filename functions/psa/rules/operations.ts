import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as rules from './service.ts'

export const psaRuleOperations = [
  operation({
    id: 'psa.rules.list',
    method: 'get',
    path: '/integrations/psa/rules',
    summary: 'List ticket rules',
    description: 'In the order in which they are checked, at most 100.',
    access: 'engineer',
    limit: 'read',
    success: 200,
    returns: z.array(schemas.Rule),
    handle: ({ ctx }) => rules.list(ctx),
  }),

  operation({
    id: 'psa.rules.create',
    method: 'post',
    path: '/integrations/psa/rules',
    summary: 'Create a ticket rule',
    description:
      'When a callback names a ticket, the first enabled rule that matches it prepares a session of its flow, once per ticket and rule.',
    access: 'account_admin',
    limit: 'write',
    body: schemas.RuleCreate,
    success: 201,
    returns: schemas.Rule,
    errors: ['limit_reached', 'not_found', 'not_published'],
    handle: ({ ctx, body }) => rules.create(ctx, body),
  }),

  operation({
    id: 'psa.rules.update',
    method: 'patch',
    path: '/integrations/psa/rules/{rule_id}',
    summary: 'Change a ticket rule',
    description: 'Fields left out stay as they are.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.RuleId,
    body: schemas.RuleUpdate,
    success: 200,
    returns: schemas.Rule,
    errors: ['not_published'],
    handle: ({ ctx, params, body }) => rules.update(ctx, params.rule_id, body),
  }),

  operation({
    id: 'psa.rules.delete',
    method: 'delete',
    path: '/integrations/psa/rules/{rule_id}',
    summary: 'Delete a ticket rule',
    description: 'Sessions that it has prepared stay.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.RuleId,
    success: 204,
    handle: ({ ctx, params }) => rules.remove(ctx, params.rule_id),
  }),
]
