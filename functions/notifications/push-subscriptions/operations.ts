import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as pushSubscriptions from './service.ts'

export const pushSubscriptionOperations = [
  operation({
    id: 'notifications.pushSubscriptions.list',
    route: 'GET /notifications/push-subscriptions',
    summary: 'List my browsers',
    description: 'The browsers that show my notifications, and the key with which a browser subscribes.',
    access: 'user',
    limit: 'read',
    closedToKeys: true,
    returns: schemas.PushSubscriptions,
    errors: ['web_push_not_configured'],
    handle: ({ ctx }) => pushSubscriptions.list(ctx),
  }),

  operation({
    id: 'notifications.pushSubscriptions.create',
    route: 'POST /notifications/push-subscriptions',
    summary: 'Show notifications in this browser',
    description:
      'Takes what `PushSubscription.toJSON()` returns. It belongs to my sign-in and ends with it. A sign-in has one, and a browser shows the notifications of whoever has subscribed there last. Unless the account has the preference `push_details`, a notification says only what kind of alert waits.',
    access: 'user',
    limit: '60/minute',
    closedToKeys: true,
    platform: 'a browser may have been of another account',
    body: schemas.PushSubscriptionCreate,
    returns: schemas.PushSubscription,
    errors: ['limit_reached', 'web_push_not_configured'],
    handle: ({ ctx, body }) => pushSubscriptions.create(ctx, body),
  }),

  operation({
    id: 'notifications.pushSubscriptions.delete',
    route: 'DELETE /notifications/push-subscriptions/{subscription_id}',
    summary: 'Stop notifications in a browser',
    description: 'It stays signed in.',
    access: 'user',
    limit: 'write',
    closedToKeys: true,
    params: schemas.PushSubscriptionId,
    handle: ({ ctx, params }) => pushSubscriptions.remove(ctx, params.subscription_id),
  }),
]
