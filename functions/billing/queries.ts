import { sql } from 'kysely'
import type { BillingEvent, Subscription } from '../../lib/billing/billing.ts'
import type { PlatformDb, ReadDb, WriteDb } from '../../lib/db/scope.ts'
import type { Outcome } from './schemas.ts'

export async function selectCustomerId(db: ReadDb): Promise<string | null> {
  const row = await db
    .selectFrom('accounts')
    .select('billing_customer_id')
    .where('id', '=', sql<string>`app.account_id()`)
    .executeTakeFirst()
  return row?.billing_customer_id ?? null
}

interface SubscriptionRow {
  plan: string
  status: 'trialing' | 'free' | 'active' | 'past_due' | 'unpaid' | 'canceled'
  is_lapsed: boolean
  trial_ends_at: string | null
  past_due_since: string | null
  current_period_end: string | null
  seats: number | null
  seats_used: number
  builds_used: number
  builds_limit: number | null
  resets_at: string
  has_billing_customer: boolean
}

export async function selectSubscription(db: ReadDb): Promise<SubscriptionRow> {
  const { rows } = await sql<SubscriptionRow>`
    select app.plan_of(a) as plan, app.subscription_of(a) as status, app.lapsed(a) as is_lapsed, a.trial_ends_at, a.past_due_since,
           a.current_period_end, app.seats_of(a) as seats, (select count(*)::integer from users u where u.is_active) as seats_used,
           app.ai_builds_used(a) as builds_used, l.max_ai_builds_per_month as builds_limit, app.quota_period(a, 1) as resets_at,
           a.billing_customer_id is not null as has_billing_customer
      from accounts a join plan_limits l on l.plan = app.plan_of(a) where a.id = app.account_id()`.execute(db as WriteDb)
  return rows[0] as SubscriptionRow
}

interface EventState {
  customerId: string
  accountId: string | null
  subscription: Subscription | null
  /** Whether `subscription` was fetched from the provider after the event arrived. Otherwise it is the state in the event. */
  isFetched: boolean
}

/** Apply an event in one transaction. Return `tie` and change nothing if another event of the same second was already applied. */
export async function applyEvent(
  db: PlatformDb,
  { id, at }: BillingEvent,
  { customerId, accountId, subscription: s, isFetched }: EventState,
): Promise<Outcome | 'tie'> {
  const { rows } = await sql<{ outcome: Outcome | 'tie' }>`
    select app.apply_billing_event(${id}, ${at}::timestamptz, ${customerId}, ${accountId}::uuid, ${s?.id ?? null}, ${s?.status ?? null},
      array(select jsonb_array_elements_text(${JSON.stringify(s?.priceIds ?? [])}::jsonb)), ${s?.currentPeriodEnd ?? null}::timestamptz,
      ${s?.anchor ?? null}::timestamptz, ${isFetched}) as outcome`.execute(db)
  return rows[0]?.outcome ?? 'ignored'
}

/** Clear the customer id of the account that has it. Return false if no account has it. */
export async function clearCustomerId(db: PlatformDb, customerId: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update accounts set billing_customer_id = null where billing_customer_id = ${customerId}`.execute(db)
  return numAffectedRows === 1n
}
