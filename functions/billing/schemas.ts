import { z } from 'zod'
import { Time } from '../../lib/http/fields.ts'

export const PortalSession = z
  .strictObject({ url: z.url().describe("The provider's page where paying is managed. Short-lived, and whoever opens it is let in.") })
  .meta({ id: 'BillingPortalSession', examples: [{ url: 'https://billing.stripe.com/p/session/test_YWNjdF8x' }] })

export const Subscription = z
  .strictObject({
    plan: z.string().describe('The plan that holds now; `free` after a trial that ran out.'),
    status: z.enum(['trialing', 'free', 'active', 'past_due', 'unpaid', 'canceled']).describe('How the subscription stands now.'),
    is_lapsed: z.boolean().describe('Whether the account is closed until it is paid for: `past_due` for 7 days, `unpaid` or `canceled`.'),
    trial_ends_at: Time.nullable().describe('When the trial ends or ended.'),
    past_due_since: Time.nullable().describe('Since when a payment is missing.'),
    current_period_end: Time.nullable().describe('Until when the provider has been paid; null before the first payment.'),
    seats: z.int().nullable().describe('Seats of the plan; null without a limit.'),
    seats_used: z.int().describe('Active members.'),
    ai_builds: z
      .strictObject({
        used: z.int().describe('Flows built by the AI this month.'),
        limit: z.int().nullable().describe('How many the plan allows; null without a limit.'),
        resets_at: Time.describe('When the next month starts, counted from the billing anchor.'),
      })
      .describe('The monthly AI quota.'),
    has_billing_customer: z.boolean().describe('Whether there is a billing portal to open.'),
  })
  .meta({
    id: 'SubscriptionResponse',
    examples: [
      {
        plan: 'pro',
        status: 'active',
        is_lapsed: false,
        trial_ends_at: '2026-11-21T09:30:00.000Z',
        past_due_since: null,
        current_period_end: '2026-12-21T09:30:00.000Z',
        seats: 10,
        seats_used: 4,
        ai_builds: { used: 12, limit: 100, resets_at: '2026-12-21T09:30:00.000Z' },
        has_billing_customer: true,
      },
    ],
  })

export const Receipt = z
  .strictObject({
    outcome: z
      .enum(['applied', 'unknown_price', 'replayed', 'stale', 'ignored', 'unknown_customer'])
      .describe(
        'What became of the event: `unknown_price` was applied but keeps the plan, `replayed` was here before, `stale` is older than what is known, `ignored` is not followed, `unknown_customer` belongs to no account and may be sent again.',
      ),
  })
  .meta({ id: 'BillingEventReceipt', examples: [{ outcome: 'applied' }] })
export type Outcome = z.infer<typeof Receipt>['outcome']
