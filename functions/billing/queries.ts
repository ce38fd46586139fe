import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb } from '#db/expressions.ts'
import type { PlatformDb, ReadDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { BillingEvent, Subscription } from '#vendors/billing/billing.ts'
import type { BillingState } from '#vendors/billing/decide-event.ts'

export async function selectCustomerId(db: ReadDb): Promise<string | null> {
  const account = await db.selectFrom('accounts').select('billing_customer_id').where('id', '=', accountId).executeTakeFirst()
  return account?.billing_customer_id ?? null
}

const SubscriptionStatus = z.enum(['trialing', 'free', 'active', 'past_due', 'unpaid', 'canceled'])
const SubscriptionRow = z.object({
  plan: z.string(),
  status: SubscriptionStatus,
  is_lapsed: z.boolean(),
  trial_ends_at: z.string().nullable(),
  past_due_since: z.string().nullable(),
  current_period_end: z.string().nullable(),
  seats: z.int().nullable(),
  seats_used: z.int(),
  builds_used: z.int(),
  builds_limit: z.int().nullable(),
  resets_at: z.string(),
  has_billing_customer: z.boolean(),
})

export const selectSubscription = readStatement(
  SubscriptionRow,
  () => sql`
    select app.plan_of(a) as plan, app.subscription_of(a) as status, app.lapsed(a) as is_lapsed, a.trial_ends_at, a.past_due_since,
           a.current_period_end, app.seats_of(a) as seats, (select count(*)::integer from users u where u.is_active) as seats_used,
           app.ai_builds_used(a) as builds_used, l.max_ai_builds_per_month as builds_limit, app.quota_period(a, 1) as resets_at,
           a.billing_customer_id is not null as has_billing_customer
      from accounts a join plan_limits l on l.plan = app.plan_of(a) where a.id = app.account_id()`,
)

/** The customer and the subscription that an event reports. */
interface BillingUpdate {
  customerId: string
  /** The account that the event names, if any. */
  accountId: string | null
  subscription: Subscription | null
}

const EventAccount = z.object({
  id: z.string(),
  customerId: z.string().nullable(),
  subscriptionId: z.string().nullable(),
  status: SubscriptionStatus,
  eventAt: z.string().nullable(),
}) satisfies z.ZodType<Omit<BillingState, 'isReplayed' | 'matchingPlan'>>

/**
 * Select and lock the account that has the event's customer, else its subscription. Otherwise the account that the event names, if it has
 * no customer or its subscription was canceled.
 */
export const lockEventAccount = writeStatement(
  EventAccount,
  ({ customerId, accountId, subscription }: BillingUpdate) => sql`
    select id, billing_customer_id as "customerId", provider_subscription_id as "subscriptionId", subscription_status as status,
           billing_event_at as "eventAt"
      from accounts
     where billing_customer_id = ${customerId} or provider_subscription_id = ${subscription?.id ?? null}
        or (id = ${accountId}::uuid and id <> app.platform_account() and (billing_customer_id is null or subscription_status = 'canceled'))
     order by billing_customer_id = ${customerId} desc nulls last, provider_subscription_id = ${subscription?.id ?? null} desc nulls last
     limit 1 for no key update`,
)

/**
 * Select whether the event was stored before, and the plan that has one of the subscription's prices. Run it after the account is locked:
 * a statement does not see what was committed while it waited.
 */
export const selectEventFacts = readStatement(
  z.object({ isReplayed: z.boolean(), matchingPlan: z.string().nullable() }),
  (eventId: string, subscription: Subscription | null) => sql`
    select exists (select from billing_events where id = ${eventId}) as "isReplayed",
           (select plan from plan_billing
             where array[provider_monthly_price_id, provider_annual_price_id]
                   && array(select jsonb_array_elements_text(${jsonb(subscription?.priceIds ?? [])}))
             order by sort_order desc limit 1) as "matchingPlan"`,
)

export async function insertEvent(db: PlatformDb, accountId: string, { id, at }: BillingEvent): Promise<void> {
  await db.insertInto('billing_events').values({ id, account_id: accountId, occurred_at: at }).execute()
}

export async function updateCustomerId(db: PlatformDb, accountId: string, customerId: string): Promise<void> {
  await db.updateTable('accounts').set({ billing_customer_id: customerId }).where('id', '=', accountId).execute()
}

/** Store the subscription as of `at`. A plan of null keeps the account's plan. */
export async function updateSubscription(
  db: PlatformDb,
  accountId: string,
  at: string,
  plan: string | null,
  subscription: Subscription,
): Promise<void> {
  await db
    .updateTable('accounts')
    .set(toSubscriptionColumns(subscription, at, plan))
    .where('id', '=', accountId)
    .execute()
}

function toSubscriptionColumns({ id, status, currentPeriodEnd, anchor }: Subscription, at: string, plan: string | null) {
  const isOverdue = status === 'past_due' || status === 'unpaid'
  return {
    ...(plan === null ? {} : { plan }),
    ...(anchor === null ? {} : { billing_anchor: anchor }),
    subscription_status: status,
    provider_subscription_id: id,
    billing_event_at: at,
    current_period_end: currentPeriodEnd,
    past_due_since: isOverdue ? sql<string>`coalesce(past_due_since, ${at}::timestamptz)` : null,
  }
}

/** Clear the customer id of the account that has it. Return false if no account has it. */
export async function clearCustomerId(db: PlatformDb, customerId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('accounts')
    .set({ billing_customer_id: null })
    .where('billing_customer_id', '=', customerId)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
