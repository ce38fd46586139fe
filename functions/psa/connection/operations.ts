import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as connection from './service.ts'

export const psaConnectionOperations = [
  operation({
    id: 'psa.connection.get',
    method: 'get',
    path: '/integrations/psa/connection',
    summary: 'The connection to the ticketing system, without its secrets',
    description: 'Without a connection: 409 `psa_not_connected`.',
    access: 'account_admin',
    limit: 'read',
    success: 200,
    returns: schemas.PsaConnection,
    errors: ['conflict'],
    handle: ({ ctx }) => connection.get(ctx),
  }),

  operation({
    id: 'psa.connection.put',
    method: 'put',
    path: '/integrations/psa/connection',
    summary: 'Connect the ticketing system, or change the connection',
    description:
      'The provider is not asked: test the connection afterwards. What is not given stays; a new connection needs all of its provider’s fields, `tenant` apart. Another provider or site needs its secrets again, and forgets the member mappings.',
    access: 'account_admin',
    limit: 'write',
    body: schemas.PsaConnectionUpdate,
    success: 200,
    returns: schemas.PsaConnection,
    errors: ['conflict'],
    handle: ({ ctx, body }) => connection.put(ctx, body),
  }),

  operation({
    id: 'psa.connection.delete',
    method: 'delete',
    path: '/integrations/psa/connection',
    summary: 'Disconnect the ticketing system and forget its secrets and member mappings',
    description: 'Notes that are still to be pushed fail. Without a connection: 409 `psa_not_connected`.',
    access: 'account_admin',
    limit: 'write',
    success: 204,
    errors: ['conflict'],
    handle: ({ ctx }) => connection.remove(ctx),
  }),

  operation({
    id: 'psa.connection.test',
    method: 'post',
    path: '/integrations/psa/connection/test',
    summary: 'Try the credentials at the ticketing system',
    description: 'A system that refuses them, or does not answer, is a 200 that says so. Without a connection: 409 `psa_not_connected`.',
    access: 'account_admin',
    limit: '5/minute',
    success: 200,
    returns: schemas.TestResult,
    idempotent: 'leased',
    handle: ({ ctx }) => connection.test(ctx),
  }),
]
