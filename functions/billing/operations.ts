import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as billing from './service.ts'

export const billingOperations = [
  operation({
    id: 'billing.createPortalSession',
    route: 'GET /billing/portal-session',
    summary: 'Create a billing portal session',
    description:
      "Returns the address of the provider's page for managing payment. Available to a lapsed account too, so that it can pay again.",
    access: 'user',
    skipGuards: 'account',
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'payment',
    callsExternalService: true,
    returns: schemas.PortalSession,
    errors: ['billing_provider_error', 'billing_provider_not_configured', 'no_billing_customer'],
    handle: ({ ctx }) => billing.createPortalSession(ctx),
  }),

  operation({
    id: 'billing.createCheckoutSession',
    route: 'POST /billing/checkout-session',
    summary: 'Create a checkout session for a plan',
    description:
      "Returns the address of the provider's page for paying. The account gets the plan when the provider reports the payment, usually within seconds. An account with a paid subscription gets 409 `already_subscribed`: it changes or ends its plan in the portal (`GET /billing/portal-session`). Available during a trial, and to a lapsed account.",
    access: 'account_admin',
    platform: 'prices belong to no account',
    skipGuards: 'account',
    stepUp: true,
    limit: '10/minute',
    strictLimit: 'payment',
    idempotent: 'leased',
    body: schemas.CheckoutInput,
    returns: schemas.CheckoutSession,
    errors: ['already_subscribed', 'billing_provider_error', 'billing_provider_not_configured'],
    handle: ({ ctx, body }) => billing.createCheckoutSession(ctx, body),
  }),

  operation({
    id: 'billing.getSubscription',
    route: 'GET /billing/subscription',
    summary: 'Get my subscription and its usage',
    description: 'The plan, the period, and how much of each limit is used.',
    access: 'user',
    skipGuards: 'account',
    limit: 'read',
    returns: schemas.Subscription,
    handle: ({ ctx }) => billing.getSubscription(ctx),
  }),

  operation({
    id: 'billing.receiveWebhook',
    route: 'POST /billing/webhook',
    summary: "Receive the billing provider's events",
    description:
      '`Stripe-Signature` must be a signature of the raw body from the last five minutes. A repeated event and an event older than the last applied one of its subscription change nothing.',
    access: 'signed',
    platform: "the event's customer, subscription or signed reference identifies the account",
    limit: 'none',
    bodyFormat: 'raw',
    success: 200,
    returns: schemas.Receipt,
    errors: ['billing_provider_error', 'billing_provider_not_configured'],
    handle: ({ ctx, body }) => billing.receiveWebhook(ctx, body),
  }),
]
