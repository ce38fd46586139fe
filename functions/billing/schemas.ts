import * as z from 'zod'
import { SubscriptionStatus } from '#functions/accounts/accounts/schemas.ts'
import { Time } from '#http/fields.ts'

export const PortalSession = z
  .strictObject({
    url: z
      .url()
      .describe(
        "The address of the provider's payment page. It is short-lived, and anyone with it can open the page.",
      )
      .meta({ example: 'https://billing.stripe.com/p/session/test_YWNjdF8x' }),
  })
  .meta({ id: 'BillingPortalSession' })

export const CheckoutInput = z
  .strictObject({
    plan: z
      .string()
      .min(1)
      .max(40)
      .describe('The plan to buy: a public plan of `GET /plans/public` that has a price.'),
    interval: z
      .enum(['monthly', 'annual'])
      .meta({ id: 'BillingInterval' })
      .describe('How often the account pays.'),
  })
  .meta({ id: 'BillingCheckoutInput' })
export type CheckoutInput = z.infer<typeof CheckoutInput>

export const CheckoutSession = z
  .strictObject({
    url: z
      .url()
      .describe(
        "The address of the provider's page for paying. It ends after 24 hours, and anyone with it can open the page.",
      )
      .meta({ example: 'https://checkout.stripe.com/c/pay/cs_test_a1b2c3' }),
  })
  .meta({ id: 'BillingCheckoutSession' })

const cancelAt =
  'When the subscription will end, because that was planned in the portal; null while it renews.'
const cancelAtPeriodEnd = 'Whether the subscription ends with the period that is paid.'

const OtherSubscription = z
  .strictObject({
    id: z
      .string()
      .describe("The billing provider's id of the subscription.")
      .meta({ example: 'sub_1PqRsT2eZvKYlo2C' }),
    plan: z.string().nullable().describe('The plan that has its price; null for another price.'),
    status: SubscriptionStatus.describe('The state of its payment.'),
    current_period_end: Time.nullable().describe('When its paid period ends.'),
    cancel_at: Time.nullable().describe(cancelAt),
    cancel_at_period_end: z.boolean().describe(cancelAtPeriodEnd),
  })
  .meta({ id: 'OtherSubscription' })

export const Subscription = z
  .strictObject({
    plan: z.string().describe('The current plan; `free` after a trial has expired.'),
    status: SubscriptionStatus.describe('The current state of the subscription.'),
    is_lapsed: z
      .boolean()
      .describe(
        'Whether the account is blocked until it pays: `past_due` for more than 7 days, `unpaid` or `canceled`.',
      ),
    trial_ends_at: Time.nullable().describe('When the trial ends or ended.'),
    past_due_since: Time.nullable().describe('Since when a payment is overdue.'),
    current_period_end: Time.nullable().describe('When the paid period ends; null before the first payment.'),
    cancel_at: Time.nullable().describe(cancelAt),
    cancel_at_period_end: z.boolean().describe(cancelAtPeriodEnd),
    other_subscriptions: z
      .array(OtherSubscription)
      .describe(
        'Further subscriptions of the account that are not canceled, the newest first. It pays for each of them.',
      ),
    seats: z.int().nullable().describe('Seats of the plan; null for no limit.').meta({ example: 10 }),
    seats_used: z.int().describe('Active members.').meta({ example: 4 }),
    ai_builds: z
      .strictObject({
        used: z.int().describe('AI builds used this month.').meta({ example: 12 }),
        limit: z
          .int()
          .nullable()
          .describe('AI builds per month of the plan; null for no limit.')
          .meta({ example: 100 }),
        resets_at: Time.describe(
          'When the next month of the quota starts, counted from the billing cycle anchor.',
        ),
      })
      .describe('The monthly AI quota.'),
    has_billing_customer: z.boolean().describe('Whether the account has a billing portal.'),
    checkout_reference: z
      .string()
      .describe('Names my account to the provider: the `client_reference_id` of a checkout.')
      .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d10_2mGVSMNaIjFIvDzPVC9lA3Yqj7mJVFWQ0PZLzk1XGd4' }),
  })
  .meta({ id: 'SubscriptionResponse' })

export const Receipt = z
  .strictObject({
    outcome: z
      .enum(['applied', 'unknown_price', 'replayed', 'stale', 'ignored', 'unknown_customer'])
      .meta({ id: 'BillingEventOutcome' })
      .describe(
        '`applied`: the subscription was updated. `unknown_price`: updated, but no plan has this price, so the plan is unchanged. `replayed`: received before. `stale`: older than the last applied event of its subscription. `ignored`: has no effect on the account. `unknown_customer`: no account has this customer; the event is kept for 30 days, until another one names the account.',
      ),
  })
  .meta({ id: 'BillingEventReceipt' })
export type Outcome = z.infer<typeof Receipt>['outcome']
