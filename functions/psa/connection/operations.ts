import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as connection from './service.ts'

export const psaConnectionOperations = [
  operation({
    id: 'psa.connection.get',
    route: 'GET /integrations/psa/connection',
    summary: 'Get the PSA connection',
    description:
      'Returns the connection to the ticketing system, without its secrets. Returns 409 `psa_not_connected` without a connection.',
    access: 'account_admin',
    limit: 'read',
    returns: schemas.PsaConnection,
    errors: ['psa_not_connected'],
    handle: ({ ctx }) => connection.get(ctx),
  }),

  operation({
    id: 'psa.connection.put',
    route: 'PUT /integrations/psa/connection',
    summary: 'Create or update the PSA connection',
    description:
      'Does not check the credentials: test the connection afterwards. Fields left out stay as they are. A new connection needs all fields of its provider except `tenant`, `auth_url` and the outcomes of notes. A new provider, or a `base_url` or `auth_url` on another origin, requires the secrets again. A change of the provider, the address or an id deletes the member mappings and `resolved_statuses`. The ticketing system is called only for `resolved_statuses`: a status that it does not have is 422.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    body: schemas.PsaConnectionUpdate,
    returns: schemas.PsaConnection,
    errors: ['psa_auth_failed', 'psa_error', 'psa_rate_limited', 'psa_unavailable', 'stale_version'],
    handle: ({ ctx, body }) => connection.put(ctx, body),
  }),

  operation({
    id: 'psa.connection.delete',
    route: 'DELETE /integrations/psa/connection',
    summary: 'Delete the PSA connection',
    description:
      'Deletes its secrets and the member mappings too. Notes that are not pushed yet fail. Returns 409 `psa_not_connected` without a connection.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    errors: ['psa_not_connected'],
    handle: ({ ctx }) => connection.remove(ctx),
  }),

  operation({
    id: 'psa.connection.test',
    route: 'POST /integrations/psa/connection/test',
    summary: 'Test the PSA connection',
    description:
      'Checks the credentials at the ticketing system, and lists its boards with their statuses. If it rejects them or is unreachable, the response is a 200 with `success` false. Returns 409 `psa_not_connected` without a connection.',
    access: 'account_admin',
    limit: '5/minute',
    success: 200,
    returns: schemas.TestResult,
    errors: ['psa_not_connected'],
    idempotent: 'leased',
    handle: ({ ctx }) => connection.test(ctx),
  }),
]
