import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as rules from './service.ts'

export const psaRuleOperations = [
  operation({
    id: 'psa.rules.list',
    route: 'GET /integrations/psa/rules',
    summary: 'List ticket rules',
    description: 'In the order in which they are checked, at most 100.',
    access: 'engineer',
    limit: 'read',
    returns: z.array(schemas.Rule),
    handle: ({ ctx }) => rules.list(ctx),
  }),

  operation({
    id: 'psa.rules.create',
    route: 'POST /integrations/psa/rules',
    summary: 'Create a ticket rule',
    description:
      'When a callback names a ticket, the first enabled rule that matches it prepares a session of its flow, once per ticket and rule.',
    access: 'account_admin',
    limit: 'write',
    body: schemas.RuleCreate,
    returns: schemas.Rule,
    errors: ['limit_reached', 'not_found', 'not_published'],
    handle: ({ ctx, body }) => rules.create(ctx, body),
  }),

  operation({
    id: 'psa.rules.update',
    route: 'PATCH /integrations/psa/rules/{rule_id}',
    summary: 'Change a ticket rule',
    description: 'Fields left out stay as they are.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.RuleId,
    body: schemas.RuleUpdate,
    returns: schemas.Rule,
    errors: ['not_published'],
    handle: ({ ctx, params, body }) => rules.update(ctx, params.rule_id, body),
  }),

  operation({
    id: 'psa.rules.delete',
    route: 'DELETE /integrations/psa/rules/{rule_id}',
    summary: 'Delete a ticket rule',
    description: 'Sessions that it has prepared stay.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.RuleId,
    handle: ({ ctx, params }) => rules.remove(ctx, params.rule_id),
  }),
]
