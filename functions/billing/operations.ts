import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as billing from './service.ts'

export const billingOperations = [
  operation({
    id: 'billing.createPortalSession',
    method: 'get',
    path: '/billing/portal-session',
    summary: 'Create a billing portal session',
    description:
      "Returns the address of the provider's page for managing payment. Available to a lapsed account too, so that it can pay again.",
    access: 'user',
    skipGuards: 'account',
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'payment',
    callsExternalService: true,
    success: 200,
    returns: schemas.PortalSession,
    errors: ['billing_provider_error', 'billing_provider_not_configured', 'no_billing_customer'],
    handle: ({ ctx }) => billing.createPortalSession(ctx),
  }),

  operation({
    id: 'billing.getSubscription',
    method: 'get',
    path: '/billing/subscription',
    summary: 'Get my subscription and its usage',
    access: 'user',
    skipGuards: 'account',
    limit: 'read',
    success: 200,
    returns: schemas.Subscription,
    handle: ({ ctx }) => billing.getSubscription(ctx),
  }),

  operation({
    id: 'billing.receiveWebhook',
    method: 'post',
    path: '/billing/webhook',
    summary: "Receive the billing provider's events",
    description:
      '`Stripe-Signature` must be a signature of the raw body from the last five minutes. A repeated event and an event older than the last applied one change nothing.',
    access: 'signed',
    platform: "only the provider's customer id identifies the account",
    limit: 'none',
    bodyFormat: 'raw',
    success: 200,
    returns: schemas.Receipt,
    errors: ['billing_provider_error', 'billing_provider_not_configured'],
    handle: ({ ctx, body }) => billing.receiveWebhook(ctx, body),
  }),
]
