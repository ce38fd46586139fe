import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, textArray } from '#db/expressions.ts'
import { type Actor, insertAuditEntry } from '#db/rows/audit.ts'
import type { PlatformDb, ReadDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { BillingEvent, Subscription } from '#vendors/billing/billing.ts'
import type { StoredCustomer, StoredSubscription } from '#vendors/billing/choose-subscription.ts'

export async function selectCustomerId(db: ReadDb): Promise<string | null> {
  const account = await db
    .selectFrom('accounts')
    .select('billing_customer_id')
    .where('id', '=', accountId)
    .executeTakeFirst()
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
  provider_subscription_id: z.string().nullable(),
})

export const selectSubscription = readStatement(
  SubscriptionRow,
  () => sql`
    select app.plan_of(a) as plan, app.subscription_of(a) as status, app.lapsed(a) as is_lapsed, a.trial_ends_at, a.past_due_since,
           a.current_period_end, app.seats_of(a) as seats, (select count(*)::integer from users u where u.is_active) as seats_used,
           app.ai_builds_used(a) as builds_used, l.max_ai_builds_per_month as builds_limit, app.quota_period(a, 1) as resets_at,
           a.billing_customer_id is not null as has_billing_customer, a.provider_subscription_id
      from accounts a join plan_limits l on l.plan = app.plan_of(a) where a.id = app.account_id()`,
)

/** Select the subscriptions of the caller's account at the billing provider, the newest first. */
export function selectSubscriptions(db: ReadDb) {
  return db
    .selectFrom('billing_subscriptions')
    .select(['id', 'plan', 'status', 'current_period_end', 'cancel_at', 'cancel_at_period_end'])
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/**
 * Select what a checkout needs: the customer to reuse, the caller's address, and whether a subscription to a
 * plan is paid.
 */
export const selectCheckoutFacts = readStatement(
  z.object({ customerId: z.string().nullable(), email: z.string(), isPaid: z.boolean() }),
  () => sql`
    select a.billing_customer_id as "customerId", u.email,
           exists (select from billing_subscriptions s
                    where s.account_id = a.id and s.plan is not null and s.status in ('active', 'past_due')) as "isPaid"
      from accounts a join users u on u.account_id = a.id and u.id = app.user_id() where a.id = app.account_id()`,
)

/** Return the provider's price of a plan that anyone may buy, or null. */
export async function selectPriceId(
  db: PlatformDb,
  plan: string,
  interval: 'monthly' | 'annual',
): Promise<string | null> {
  const row = await db
    .selectFrom('plan_billing')
    .select(`provider_${interval}_price_id as priceId`)
    .where('plan', '=', plan)
    .where('is_public', '=', true)
    .where('is_archived', '=', false)
    .executeTakeFirst()
  return row?.priceId ?? null
}

/** Insert the audit entry of a checkout. No row of the account changes before it is paid. */
export function insertCheckoutAudit(
  db: PlatformDb,
  actor: Actor,
  { plan, interval }: { plan: string; interval: string },
): Promise<void> {
  const changes = { plan: { from: null, to: plan }, interval: { from: null, to: interval } }
  return insertAuditEntry(db, actor, { action: 'checkout.opened', resource_type: 'subscription', changes })
}

/**
 * Lock a customer until the end of the transaction, also one without a row. Statements after it see what
 * others stored about it.
 */
export const lockCustomer = writeStatement(
  null,
  (customerId: string) =>
    sql`select from pg_advisory_xact_lock(hashtextextended(concat('billing customer ', ${customerId}::text), 0))`,
)

/**
 * What an event says whose account it is. `accountId` is the account that it names by our reference, if any.
 */
interface EventOwner {
  customerId: string
  accountId: string | null
  subscription: Subscription | null
}

/**
 * Select and lock the account that has the event's customer, else its subscription, else the one that the
 * event names.
 */
export const lockEventAccount = writeStatement(
  z.object({ id: z.string(), customerId: z.string().nullable() }),
  ({ customerId, accountId, subscription }: EventOwner) => sql`
    select id, billing_customer_id as "customerId" from accounts
     where id <> app.platform_account()
       and id = coalesce((select account_id from billing_customers where id = ${customerId}),
                         (select id from accounts where billing_customer_id = ${customerId}),
                         (select account_id from billing_subscriptions where id = ${subscription?.id ?? null}),
                         (select id from accounts where provider_subscription_id = ${subscription?.id ?? null}), ${accountId}::uuid)
       for no key update`,
)

/**
 * Select whether the event was stored before, the newest event of its subscription, and the plan that has one
 * of its prices.
 */
export const selectEventFacts = readStatement(
  z.object({
    isReplayed: z.boolean(),
    lastEventId: z.string().nullable(),
    lastEventAt: z.string().nullable(),
    plan: z.string().nullable(),
  }),
  (eventId: string, subscription: Subscription | null) => sql`
    select exists (select from billing_events where id = ${eventId}) as "isReplayed", s.event_id as "lastEventId", s.event_at as "lastEventAt",
           (select plan from plan_billing
             where array[provider_monthly_price_id, provider_annual_price_id]
                   && ${textArray(subscription?.priceIds ?? [])}
             order by sort_order desc limit 1) as plan
      from (values (${subscription?.id ?? null}::text)) as e (subscription_id) left join billing_subscriptions s on s.id = e.subscription_id`,
)

export async function isSubscriptionStored(db: PlatformDb, id: string): Promise<boolean> {
  return (
    (await db.selectFrom('billing_subscriptions').select('id').where('id', '=', id).executeTakeFirst()) !==
    undefined
  )
}

export async function insertEvent(
  db: PlatformDb,
  accountId: string,
  { id, at }: BillingEvent,
): Promise<void> {
  await db.insertInto('billing_events').values({ id, account_id: accountId, occurred_at: at }).execute()
}

/** What an event tells about a customer. */
interface CustomerUpdate {
  id: string
  accountId: string | null
  linkedAt: string | null
  deletedAt: string | null
}

/**
 * Store a customer, and give the account its subscriptions whose events came before. A customer stays with
 * its first account.
 */
export const upsertCustomer = writeStatement(
  null,
  ({ id, accountId, linkedAt, deletedAt }: CustomerUpdate) => sql`
    with customer as (
      insert into billing_customers as c (id, account_id, linked_at, deleted_at)
      values (${id}, ${accountId}::uuid, ${linkedAt}::timestamptz, ${deletedAt}::timestamptz)
      on conflict (id) do update set account_id = coalesce(c.account_id, excluded.account_id),
        linked_at = greatest(c.linked_at, excluded.linked_at), deleted_at = coalesce(c.deleted_at, excluded.deleted_at)
      returning id, account_id)
    update billing_subscriptions s set account_id = c.account_id from customer c where s.customer_id = c.id and s.account_id is null`,
)

interface SubscriptionUpdate {
  subscription: Subscription
  plan: string | null
  accountId: string | null
  eventId: string
  eventAt: string
}

/**
 * Store the state of a subscription as of the event. An event without the time of creation counts as created
 * at its first event. A price of no plan keeps the plan, because staff may not have named the price yet.
 */
export const upsertSubscription = writeStatement(
  null,
  ({ subscription, plan, accountId, eventId, eventAt }: SubscriptionUpdate) => sql`
    insert into billing_subscriptions as s (id, account_id, customer_id, status, plan, created_at, current_period_end, cancel_at,
                                            cancel_at_period_end, billing_anchor, past_due_since, event_id, event_at)
    values (${subscription.id}, ${accountId}::uuid, ${subscription.customerId}, ${subscription.status}, ${plan},
            ${subscription.createdAt ?? eventAt}::timestamptz, ${subscription.currentPeriodEnd}::timestamptz, ${subscription.cancelAt}::timestamptz,
            ${subscription.cancelsAtPeriodEnd}, ${subscription.anchor}::timestamptz,
            case when ${subscription.status}::text in ('past_due', 'unpaid') then ${eventAt}::timestamptz end, ${eventId}, ${eventAt}::timestamptz)
    on conflict (id) do update set account_id = coalesce(s.account_id, excluded.account_id), customer_id = excluded.customer_id,
      status = excluded.status, plan = coalesce(excluded.plan, s.plan), created_at = least(s.created_at, excluded.created_at),
      current_period_end = excluded.current_period_end, cancel_at = excluded.cancel_at, cancel_at_period_end = excluded.cancel_at_period_end,
      billing_anchor = coalesce(excluded.billing_anchor, s.billing_anchor),
      past_due_since = case when excluded.past_due_since is not null then coalesce(s.past_due_since, excluded.past_due_since) end,
      event_id = excluded.event_id, event_at = excluded.event_at`,
)

/** Store the plan of an older event of a subscription whose newer ones named no plan. */
export async function completePlan(db: PlatformDb, id: string, plan: string): Promise<void> {
  await db
    .updateTable('billing_subscriptions')
    .set({ plan })
    .where('id', '=', id)
    .where('plan', 'is', null)
    .execute()
}

export interface AccountSubscription extends StoredSubscription {
  currentPeriodEnd: string | null
  pastDueSince: string | null
  anchor: string | null
}

export function selectAccountSubscriptions(
  db: PlatformDb,
  accountId: string,
): Promise<AccountSubscription[]> {
  return db
    .selectFrom('billing_subscriptions')
    .select([
      'id',
      'status',
      'plan',
      'customer_id as customerId',
      'created_at as createdAt',
      'current_period_end as currentPeriodEnd',
    ])
    .select(['past_due_since as pastDueSince', 'billing_anchor as anchor'])
    .where('account_id', '=', accountId)
    .execute()
}

export async function selectAccountCustomers(db: PlatformDb, accountId: string): Promise<StoredCustomer[]> {
  const rows = await db
    .selectFrom('billing_customers')
    .select(['id', 'linked_at', 'deleted_at'])
    .where('account_id', '=', accountId)
    .execute()
  return rows.map(({ id, linked_at, deleted_at }) => ({
    id,
    linkedAt: linked_at,
    isDeleted: deleted_at !== null,
  }))
}

/** Store the customer whose portal the account opens. */
export async function updateCustomerId(
  db: PlatformDb,
  accountId: string,
  customerId: string | null,
): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ billing_customer_id: customerId })
    .where('id', '=', accountId)
    .execute()
}

/**
 * Give the account the state of a subscription. One that began during the trial and was canceled leaves the
 * rest of the trial, and then the free plan.
 */
export async function updateAccount(
  db: PlatformDb,
  accountId: string,
  { id, plan, anchor, status, createdAt, currentPeriodEnd, pastDueSince }: AccountSubscription,
): Promise<void> {
  const keepsTrial = sql<boolean>`(${status} = 'canceled' and coalesce(${createdAt}::timestamptz < trial_ends_at, false))`
  await db
    .updateTable('accounts')
    .set({
      plan: sql<string>`case when ${keepsTrial} then coalesce(trial_plan, plan) else ${plan} end`,
      trial_plan: sql<string>`case when subscription_status = 'trialing' then plan else trial_plan end`,
      ...(anchor === null ? {} : { billing_anchor: anchor }),
      subscription_status: sql<
        Subscription['status']
      >`case when ${keepsTrial} then 'trialing' else ${status} end`,
      provider_subscription_id: id,
      current_period_end: currentPeriodEnd,
      past_due_since: pastDueSince,
    })
    .where('id', '=', accountId)
    .execute()
}
