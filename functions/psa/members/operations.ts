import { z } from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as members from './service.ts'

export const psaMemberOperations = [
  operation({
    id: 'psa.members.listMappings',
    method: 'get',
    path: '/integrations/psa/member-mappings',
    summary: 'Every active user of the account and who they are in the ticketing system',
    description:
      'By name. It answers without a connection as well, and while the ticketing system is away: only suggestions are missing then.',
    access: 'account_admin',
    limit: 'read',
    success: 200,
    returns: z.array(schemas.MemberMapping),
    outward: true,
    handle: ({ ctx }) => members.listMappings(ctx),
  }),

  operation({
    id: 'psa.members.putMapping',
    method: 'put',
    path: '/integrations/psa/member-mappings/{user_id}',
    summary: 'Say who a user is in the ticketing system, or that they are nobody there',
    description: 'A member that is not there is 422. Mapping needs an active connection (409 `psa_not_connected`), unmapping does not.',
    access: 'account_admin',
    limit: 'write',
    params: schemas.UserId,
    body: schemas.MappingUpdate,
    success: 200,
    returns: schemas.MemberMapping,
    errors: ['conflict', 'provider_error'],
    handle: ({ ctx, params, body }) => members.map(ctx, params.user_id, body),
  }),

  operation({
    id: 'psa.members.list',
    method: 'get',
    path: '/integrations/psa/members',
    summary: 'The active members of the ticketing system, to choose from',
    description:
      'Without an active connection: 409 `psa_not_connected`. When the ticketing system fails: 502 with `psa_auth_failed`, `psa_rate_limited`, `psa_unavailable` or `psa_error`.',
    access: 'account_admin',
    limit: 'read',
    success: 200,
    returns: z.array(schemas.Member),
    errors: ['conflict', 'provider_error'],
    outward: true,
    handle: ({ ctx }) => members.list(ctx),
  }),
]
