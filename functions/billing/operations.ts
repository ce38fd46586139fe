import { operation } from '../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as billing from './service.ts'

export const billingOperations = [
  operation({
    id: 'billing.createPortalSession',
    method: 'get',
    path: '/billing/portal-session',
    summary: "Open the provider's page where paying is managed",
    description: 'Open to a lapsed account too: it is the way back.',
    access: 'user',
    past: 'guards',
    limit: '10/minute',
    outward: true,
    success: 200,
    returns: schemas.PortalSession,
    errors: ['no_billing_customer', 'billing_provider_error', 'billing_provider_not_configured'],
    handle: ({ ctx }) => billing.openPortal(ctx),
  }),

  operation({
    id: 'billing.getSubscription',
    method: 'get',
    path: '/billing/subscription',
    summary: 'My plan, how its subscription stands, and what is used of it',
    access: 'user',
    past: 'guards',
    limit: 'read',
    success: 200,
    returns: schemas.Subscription,
    handle: ({ ctx }) => billing.subscription(ctx),
  }),

  operation({
    id: 'billing.receiveWebhook',
    method: 'post',
    path: '/billing/webhook',
    summary: "Take the billing provider's events",
    description:
      'Signed over the raw body within the last five minutes (`Stripe-Signature`). A copy changes nothing, nor does an event older than what is known.',
    access: 'signed',
    platform: 'the account is known by its customer at the provider alone',
    limit: 'none',
    takes: 'raw',
    success: 200,
    returns: schemas.Receipt,
    errors: ['billing_provider_error', 'billing_provider_not_configured'],
    handle: ({ ctx, body }) => billing.receive(ctx, body),
  }),
]
