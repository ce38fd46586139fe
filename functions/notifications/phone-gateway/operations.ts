import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as gateway from './service.ts'

const path = '/notifications/phone-gateway'

export const phoneGatewayOperations = [
  operation({
    id: 'notifications.phoneGateway.get',
    route: `GET ${path}`,
    summary: 'Get the gateway to phones',
    description:
      'Returns through what the account sends text messages and makes calls, without its secret, and how many of today’s limit are used.',
    access: 'account_admin',
    limit: 'read',
    returns: schemas.PhoneGateway,
    errors: ['no_phone_gateway'],
    handle: ({ ctx }) => gateway.get(ctx),
  }),

  operation({
    id: 'notifications.phoneGateway.put',
    route: `PUT ${path}`,
    summary: 'Create or replace the gateway to phones',
    description:
      'Alerts then reach people by text message and call, if they have verified a number and name these channels in their preferences. Does not check the secret: verify a number of your own. Without `secret` the stored one stays; a new gateway, another `provider` and a `base_url` on another origin need one.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    body: schemas.PhoneGatewayPut,
    returns: schemas.PhoneGateway,
    errors: ['stale_version'],
    handle: ({ ctx, body }) => gateway.put(ctx, body),
  }),

  operation({
    id: 'notifications.phoneGateway.delete',
    route: `DELETE ${path}`,
    summary: 'Delete the gateway to phones',
    description:
      'Deletes its secret too. Messages and calls that wait fail. The numbers of people stay, and count again with another gateway.',
    access: 'account_admin',
    stepUp: true,
    limit: 'write',
    errors: ['no_phone_gateway'],
    handle: ({ ctx }) => gateway.remove(ctx),
  }),
]
