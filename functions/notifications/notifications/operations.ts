import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as notifications from './service.ts'

export const notificationOperations = [
  operation({
    id: 'notifications.listConfigs',
    route: 'GET /notifications/configs',
    summary: 'List notification configs',
    description: 'The configs of my account, newest first.',
    access: 'team_admin',
    limit: '30/minute',
    paged: true,
    returns: z.array(schemas.NotificationConfig),
    handle: ({ ctx, query }) => notifications.listConfigs(ctx, query),
  }),

  operation({
    id: 'notifications.createConfig',
    route: 'POST /notifications/configs',
    summary: 'Create a notification config',
    description:
      'A chat tool requires `webhook_url`, and e-mail requires `email_addresses`. The webhook address is checked on save and before every message.',
    access: 'team_admin',
    stepUp: true,
    limit: '10/minute',
    body: schemas.NotificationConfigCreate,
    returns: schemas.NotificationConfig,
    errors: ['account_admin_required', 'limit_reached'],
    handle: ({ ctx, body }) => notifications.createConfig(ctx, body),
  }),

  operation({
    id: 'notifications.updateConfig',
    route: 'PATCH /notifications/configs/{config_id}',
    summary: 'Update a notification config',
    description: 'Changes the given fields of one channel. A secret that is left out stays.',
    access: 'team_admin',
    stepUp: true,
    limit: '20/minute',
    params: schemas.ConfigId,
    body: schemas.NotificationConfigUpdate,
    returns: schemas.NotificationConfig,
    errors: ['account_admin_required'],
    handle: ({ ctx, params, body }) => notifications.updateConfig(ctx, params.config_id, body),
  }),

  operation({
    id: 'notifications.deleteConfig',
    route: 'DELETE /notifications/configs/{config_id}',
    summary: 'Delete a notification config',
    description: 'Deletes its delivery log too.',
    access: 'team_admin',
    stepUp: true,
    limit: '10/minute',
    params: schemas.ConfigId,
    handle: ({ ctx, params }) => notifications.deleteConfig(ctx, params.config_id),
  }),

  operation({
    id: 'notifications.testConfig',
    route: 'POST /notifications/configs/test',
    summary: 'Send a test message',
    description:
      'Sends one test message through the channel of the config, and adds it to the delivery log. Returns 200 even when the channel refuses the message.',
    access: 'team_admin',
    limit: '5/minute',
    strictLimit: 'mail',
    platform: 'records the attempt as the delivery worker does',
    idempotent: 'leased',
    body: schemas.NotificationTestRequest,
    success: 200,
    returns: schemas.NotificationTestResponse,
    errors: ['limit_reached', 'not_found'],
    handle: ({ ctx, body }) => notifications.testConfig(ctx, body.config_id),
  }),

  operation({
    id: 'notifications.listDeliveries',
    route: 'GET /notifications/configs/{config_id}/deliveries',
    summary: 'List the deliveries of a config',
    description: 'Newest first.',
    access: 'team_admin',
    limit: '30/minute',
    params: schemas.ConfigId,
    paged: true,
    returns: z.array(schemas.Delivery),
    handle: ({ ctx, params, query }) => notifications.listDeliveries(ctx, params.config_id, query),
  }),

  operation({
    id: 'notifications.retryDelivery',
    route: 'POST /notifications/deliveries/{delivery_id}/retry',
    summary: 'Retry a failed delivery',
    description: 'Queues one more attempt. Returns 409 `not_failed` for a delivery that has not failed.',
    access: 'team_admin',
    limit: '10/minute',
    strictLimit: 'mail',
    params: schemas.DeliveryId,
    success: 202,
    returns: schemas.Delivery,
    errors: ['limit_reached', 'not_failed'],
    handle: ({ ctx, params }) => notifications.retryDelivery(ctx, params.delivery_id),
  }),

  operation({
    id: 'notifications.listEventKeys',
    route: 'GET /notifications/event-keys',
    summary: 'List event keys',
    description: 'All events that a config can enable, with their meaning.',
    access: 'user',
    limit: 'read',
    returns: z.array(schemas.EventKeyDescription),
    handle: () => notifications.listEventKeys(),
  }),

  operation({
    id: 'notifications.list',
    route: 'GET /notifications',
    summary: 'List my notifications',
    description: 'Unread ones first, and the newest first within each group.',
    access: 'user',
    limit: '60/minute',
    paged: true,
    returns: z.array(schemas.Notification),
    handle: ({ ctx, query }) => notifications.list(ctx, query),
  }),

  operation({
    id: 'notifications.countUnread',
    route: 'GET /notifications/unread-count',
    summary: 'Count my unread notifications',
    description: 'The number that a badge shows; cheaper than a list.',
    access: 'user',
    limit: '120/minute',
    returns: schemas.UnreadCount,
    handle: ({ ctx }) => notifications.countUnread(ctx),
  }),

  operation({
    id: 'notifications.markRead',
    route: 'PATCH /notifications/{notification_id}/read',
    summary: 'Mark a notification as read',
    description: 'A repeated request changes nothing.',
    access: 'user',
    limit: '60/minute',
    params: schemas.NotificationId,
    returns: schemas.Notification,
    handle: ({ ctx, params }) => notifications.markRead(ctx, params.notification_id),
  }),

  operation({
    id: 'notifications.markAllRead',
    route: 'POST /notifications/mark-all-read',
    summary: 'Mark all my notifications as read',
    description: 'Answers the number of unread ones, which is 0 unless one has arrived meanwhile.',
    access: 'user',
    limit: '10/minute',
    success: 200,
    returns: schemas.UnreadCount,
    handle: ({ ctx }) => notifications.markAllRead(ctx),
  }),
]
