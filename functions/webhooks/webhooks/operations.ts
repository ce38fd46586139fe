import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as webhooks from './service.ts'

export const webhookOperations = [
  operation({
    id: 'webhooks.list',
    route: 'GET /webhooks',
    summary: 'List webhooks',
    description: 'The webhooks of my account, newest first, without their secrets.',
    access: 'account_admin',
    limit: 'read',
    paged: true,
    returns: z.array(schemas.Webhook),
    handle: ({ ctx, query }) => webhooks.list(ctx, query),
  }),

  operation({
    id: 'webhooks.create',
    route: 'POST /webhooks',
    summary: 'Create a webhook',
    description:
      'Sends events to an address, at least once each, signed by the [Standard Webhooks](https://www.standardwebhooks.com) specification. ' +
      'The `webhooks` of this document describe the messages. Answer 2xx within 15 seconds and ignore a `webhook-id` that you have seen. ' +
      'Failed messages are repeated for 75 hours; 410 switches the webhook off.',
    access: 'account_admin',
    stepUp: true,
    limit: '10/minute',
    // A stored response would contain the secret.
    idempotent: false,
    body: schemas.WebhookCreate,
    returns: schemas.WebhookWithSecret,
    errors: ['limit_reached'],
    handle: ({ ctx, body }) => webhooks.create(ctx, body),
  }),

  operation({
    id: 'webhooks.update',
    route: 'PATCH /webhooks/{webhook_id}',
    summary: 'Update a webhook',
    description:
      'Fields left out stay as they are. A new address also gets the deliveries that are still open.',
    access: 'account_admin',
    stepUp: true,
    limit: '20/minute',
    params: schemas.WebhookId,
    body: schemas.WebhookUpdate,
    returns: schemas.Webhook,
    handle: ({ ctx, params, body }) => webhooks.update(ctx, params.webhook_id, body),
  }),

  operation({
    id: 'webhooks.delete',
    route: 'DELETE /webhooks/{webhook_id}',
    summary: 'Delete a webhook',
    description: 'Deletes its delivery log and open deliveries too.',
    access: 'account_admin',
    stepUp: true,
    limit: '10/minute',
    params: schemas.WebhookId,
    handle: ({ ctx, params }) => webhooks.remove(ctx, params.webhook_id),
  }),

  operation({
    id: 'webhooks.test',
    route: 'POST /webhooks/{webhook_id}/test',
    summary: 'Send a test message',
    description: 'Sends one message of type `webhook.test`. Returns 200 even when the receiver refuses it.',
    access: 'account_admin',
    limit: '5/minute',
    platform: 'records the attempt as the delivery worker does',
    idempotent: 'leased',
    params: schemas.WebhookId,
    success: 200,
    returns: schemas.WebhookTestResult,
    handle: ({ ctx, params }) => webhooks.test(ctx, params.webhook_id),
  }),

  operation({
    id: 'webhooks.rotateSecret',
    route: 'POST /webhooks/{webhook_id}/rotate-secret',
    summary: 'Rotate the signing secret',
    description:
      'Returns a new secret. For 24 hours each message also has a signature with the replaced one.',
    access: 'account_admin',
    stepUp: true,
    limit: '5/minute',
    // A stored response would contain the secret.
    idempotent: false,
    params: schemas.WebhookId,
    success: 200,
    returns: schemas.WebhookWithSecret,
    handle: ({ ctx, params }) => webhooks.rotateSecret(ctx, params.webhook_id),
  }),

  operation({
    id: 'webhooks.listDeliveries',
    route: 'GET /webhooks/{webhook_id}/deliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Newest first. The log has the newest 10,000 deliveries of the last 30 days.',
    access: 'account_admin',
    limit: '30/minute',
    params: schemas.WebhookId,
    paged: true,
    query: schemas.DeliveryQuery,
    returns: z.array(schemas.WebhookDelivery),
    handle: ({ ctx, params, query }) => webhooks.listDeliveries(ctx, params.webhook_id, query),
  }),

  operation({
    id: 'webhooks.replay',
    route: 'POST /webhooks/{webhook_id}/replay',
    summary: 'Replay deliveries',
    description:
      'Sends one delivery, or every failed one since a time, again with the same `webhook-id`. Returns 409 `wrong_state` if it is off.',
    access: 'account_admin',
    limit: '10/minute',
    params: schemas.WebhookId,
    body: schemas.WebhookReplay,
    success: 202,
    returns: schemas.WebhookReplayResult,
    errors: ['wrong_state'],
    handle: ({ ctx, params, body }) => webhooks.replay(ctx, params.webhook_id, body),
  }),
]
