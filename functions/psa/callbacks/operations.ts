import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as callbacks from './service.ts'

export const psaCallbackOperations = [
  operation({
    id: 'psa.callbacks.get',
    route: 'GET /integrations/psa/callbacks',
    summary: 'Get the state of the callbacks',
    description: 'Does not return the address, because it is a secret.',
    access: 'account_admin',
    limit: 'read',
    returns: schemas.CallbackSettings,
    handle: ({ ctx }) => callbacks.get(ctx),
  }),

  operation({
    id: 'psa.callbacks.enable',
    route: 'POST /integrations/psa/callbacks',
    summary: 'Create an address for callbacks',
    description:
      'Replaces the earlier address, which stops working. Enter the address in the ticketing system. Returns 409 `psa_not_connected` without an active connection.',
    access: 'account_admin',
    stepUp: true,
    limit: '10/minute',
    // A stored response would contain the secrets.
    idempotent: false,
    returns: schemas.CallbackAddress,
    errors: ['psa_not_connected'],
    handle: ({ ctx }) => callbacks.enable(ctx),
  }),

  operation({
    id: 'psa.callbacks.disable',
    route: 'DELETE /integrations/psa/callbacks',
    summary: 'Remove the address for callbacks',
    description: 'A repeated request changes nothing.',
    access: 'account_admin',
    limit: 'write',
    handle: ({ ctx }) => callbacks.disable(ctx),
  }),

  operation({
    id: 'psa.callbacks.receive',
    route: 'POST /psa/callbacks/{provider}/{token}',
    summary: "Receive the ticketing system's callbacks",
    description:
      'Queues the named tickets to be read. ConnectWise signs the body in `x-content-signature`; HaloPSA sends basic authentication. Accepts 600 calls per minute.',
    access: 'signed',
    platform: 'only the token identifies the account',
    limit: 'none',
    bodyFormat: 'raw',
    maxBody: 512 * 1024,
    params: schemas.CallbackParams,
    success: 200,
    returns: schemas.Receipt,
    errors: ['psa_error', 'psa_rate_limited', 'psa_unavailable', 'rate_limited'],
    handle: ({ ctx, params, body }) => callbacks.receive(ctx, params, body),
  }),
]
