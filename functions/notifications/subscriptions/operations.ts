import { operation, stream } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as subscriptions from './service.ts'

export const subscriptionOperations = [
  stream({
    id: 'notifications.subscriptions.showPage',
    route: 'GET /unsubscribe/{token}',
    summary: 'Show the page to unsubscribe',
    description: 'Changes nothing.',
    access: 'public',
    limit: 'public',
    strictLimit: 'public',
    params: schemas.UnsubscribeToken,
    errors: ['token_invalid_or_expired'],
    produces: ['text/html'],
    handle: ({ ctx, params }) => subscriptions.showPage(ctx, params.token),
  }),

  stream({
    id: 'notifications.subscriptions.unsubscribe',
    route: 'POST /unsubscribe/{token}',
    summary: 'Unsubscribe an address with one click',
    description:
      'As in RFC 8058; ignores the body. From then on the address gets e-mails about its own sign-in only. The link of a weekly report only ends that subscription.',
    access: 'public',
    platform: 'the address belongs to no account',
    limit: 'public',
    strictLimit: 'public',
    params: schemas.UnsubscribeToken,
    errors: ['token_invalid_or_expired'],
    produces: ['text/html'],
    handle: ({ ctx, params }) => subscriptions.unsubscribe(ctx, params.token),
  }),

  operation({
    id: 'notifications.subscriptions.resubscribe',
    route: 'DELETE /unsubscribe/{token}',
    summary: 'Subscribe an address again',
    description: 'The link of a weekly report restores that subscription.',
    access: 'public',
    platform: 'the address belongs to no account',
    limit: 'public',
    strictLimit: 'public',
    params: schemas.UnsubscribeToken,
    errors: ['token_invalid_or_expired'],
    handle: ({ ctx, params }) => subscriptions.resubscribe(ctx, params.token),
  }),
]
