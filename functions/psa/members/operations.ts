import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as members from './service.ts'

export const psaMemberOperations = [
  operation({
    id: 'psa.members.listMappings',
    route: 'GET /integrations/psa/member-mappings',
    summary: 'List ticketing member mappings',
    description:
      'Lists the active users of the account by name, each with the mapped member of the ticketing system. `suggested_member_id` is null without a connection or while the ticketing system fails.',
    access: 'account_admin',
    limit: 'read',
    returns: z.array(schemas.MemberMapping),
    callsExternalService: true,
    handle: ({ ctx }) => members.listMappings(ctx),
  }),

  operation({
    id: 'psa.members.putMapping',
    route: 'PUT /integrations/psa/member-mappings/{user_id}',
    summary: 'Map a user to a ticketing member',
    description:
      '`null` removes the mapping. Returns 422 for an unknown member. Creating a mapping needs an active connection (409 `psa_not_connected`); removing a mapping does not.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.UserId,
    body: schemas.MappingUpdate,
    returns: schemas.MemberMapping,
    errors: [
      'psa_auth_failed',
      'psa_error',
      'psa_not_connected',
      'psa_rate_limited',
      'psa_unavailable',
      'stale_version',
    ],
    handle: ({ ctx, params, body }) => members.putMapping(ctx, params.user_id, body),
  }),

  operation({
    id: 'psa.members.list',
    route: 'GET /integrations/psa/members',
    summary: 'List ticketing members',
    description:
      'Lists active members only. Returns 409 `psa_not_connected` without an active connection. Returns 502 with `psa_auth_failed`, `psa_rate_limited`, `psa_unavailable` or `psa_error` when the ticketing system fails.',
    access: 'account_admin',
    limit: 'read',
    returns: z.array(schemas.Member),
    errors: ['psa_auth_failed', 'psa_error', 'psa_not_connected', 'psa_rate_limited', 'psa_unavailable'],
    callsExternalService: true,
    handle: ({ ctx }) => members.list(ctx),
  }),
]
