import { inTransaction, type PlatformDb } from '#db/scope.ts'
import type { Context, ReadContext } from '#http/operation.ts'
import { invalidField, Problem } from '#problem.ts'
import type { BillingEvent, BillingPort, ProviderResult, Subscription } from '#vendors/billing/billing.ts'
import { chooseCustomer, chooseSubscription } from '#vendors/billing/choose-subscription.ts'
import { decideEvent } from '#vendors/billing/decide-event.ts'
import type { RawBody } from '#vendors/net/raw-body.ts'
import { addSentence } from '#vendors/net/refusal.ts'
import * as queries from './queries.ts'
import type { CheckoutInput, Outcome } from './schemas.ts'

type WebhookContext = Context<'post', 'signed', string>
type CheckoutContext = Context<'post', 'account_admin', string>

const problemKinds = {
  not_configured: 'billing_provider_not_configured',
  unknown: 'no_billing_customer',
  failed: 'billing_provider_error',
} as const

export async function createPortalSession({ db, billing, config }: ReadContext) {
  if (!billing.isConfigured) throw new Problem('billing_provider_not_configured')
  const customerId = await queries.selectCustomerId(db)
  if (customerId === null) throw new Problem('no_billing_customer')
  return {
    url: requireSuccess(await billing.createPortalUrl(customerId, `${config.FRONTEND_URL}/settings/billing`)),
  }
}

/**
 * Create a page where an account subscribes to a plan. One with a paid subscription changes it in the portal,
 * so that it does not pay twice.
 */
export async function createCheckoutSession(ctx: CheckoutContext, { plan, interval }: CheckoutInput) {
  const { db, platform, billing, config, caller, ip } = ctx
  if (!billing.isConfigured) throw new Problem('billing_provider_not_configured')
  const { isPaid, customerId, email } = await queries.selectCheckoutFacts.one(db)
  if (isPaid) throw new Problem('already_subscribed')
  const priceId = await queries.selectPriceId(platform, plan, interval)
  if (priceId === null)
    throw invalidField(['body', 'plan'], 'must be a public plan with a price for this interval')
  const page = `${config.FRONTEND_URL}/settings/billing`
  const checkout = {
    priceId,
    email,
    reference: await billing.createReference(caller.accountId),
    successUrl: `${page}?checkout=success`,
    cancelUrl: `${page}?checkout=canceled`,
  }
  const result = await billing.createCheckoutUrl({ ...checkout, customerId })
  const isUnknown = !result.ok && result.reason === 'unknown'
  // The customer was deleted at the provider and its event has not arrived.
  const retried =
    isUnknown && customerId !== null
      ? await billing.createCheckoutUrl({ ...checkout, customerId: null })
      : result
  if (!retried.ok && retried.reason === 'unknown')
    throw new Problem(
      'billing_provider_error',
      addSentence('The billing provider refused this', retried.message ?? null),
    )
  const url = requireSuccess(retried)
  await queries.insertCheckoutAudit(platform, { ...caller, ip }, { plan, interval })
  return { url }
}

export async function getSubscription({ db, billing, caller }: ReadContext) {
  const { builds_used, builds_limit, resets_at, provider_subscription_id, ...subscription } =
    await queries.selectSubscription.one(db)
  const rows = await queries.selectSubscriptions(db)
  const currentRow = rows.find(({ id }) => id === provider_subscription_id)
  return {
    ...subscription,
    cancel_at: currentRow?.cancel_at ?? null,
    cancel_at_period_end: currentRow?.cancel_at_period_end ?? false,
    other_subscriptions: rows.filter(
      ({ id, status }) => id !== provider_subscription_id && status !== 'canceled',
    ),
    ai_builds: { used: builds_used, limit: builds_limit, resets_at },
    checkout_reference: await billing.createReference(caller.accountId),
  }
}

/** Process an event of the provider. Events may arrive twice, late and in any order. */
export async function receiveWebhook(ctx: WebhookContext, body: RawBody) {
  const result = await ctx.billing.readEvent(body)
  if (!result.ok)
    throw new Problem(result.reason === 'unsigned' ? 'invalid_signature' : 'billing_provider_not_configured')
  const event = result.value
  const outcome = await processEvent(ctx, event)
  if (outcome === 'unknown_customer' || outcome === 'unknown_price')
    ctx.log({ billing_event: event.type, outcome })
  return { outcome }
}

async function processEvent({ platform, billing }: WebhookContext, event: BillingEvent): Promise<Outcome> {
  const { change } = event
  if (change === null) return 'ignored'
  if (change.kind === 'subscription') {
    const { subscription } = change
    const { customerId, accountId } = subscription
    const outcome = await applyEvent(platform, event, { customerId, accountId, subscription })
    if (outcome !== 'tie') return outcome
    // Event times have whole seconds, so only the provider knows the state after two events of one second.
    const fetchedSubscription = await fetchSubscription(billing, subscription.id)
    return ignoreTie(
      await applyEvent(platform, event, {
        customerId,
        accountId,
        subscription: fetchedSubscription ?? subscription,
        isFetched: true,
      }),
    )
  }
  if (change.kind === 'customer_gone')
    return ignoreTie(await applyEvent(platform, event, { ...change, isDeleted: true }))
  const { customerId, accountId, subscriptionId } = change
  const isMissing = subscriptionId !== null && !(await queries.isSubscriptionStored(platform, subscriptionId))
  // Its own event may come later, or never if the webhook was not set up yet.
  const subscription = isMissing ? await fetchSubscription(billing, subscriptionId) : null
  return ignoreTie(
    await applyEvent(platform, event, { customerId, accountId, subscription, isFetched: true }),
  )
}

interface EventUpdate {
  customerId: string
  /** The account that the event names by our reference. */
  accountId?: string | null
  subscription?: Subscription | null
  isFetched?: boolean
  /** Whether the provider deleted the customer. */
  isDeleted?: boolean
}

/**
 * Apply an event to what is stored of its customer and its subscription, and let the account follow. The
 * customer and the account are locked, so that their events are applied one at a time. Without an account the
 * event is stored for the one that a later event names, because the provider repeats only refused events, and
 * an endpoint that refuses the events of other products for days is switched off.
 */
function applyEvent(
  platform: PlatformDb,
  event: BillingEvent,
  update: EventUpdate,
): Promise<Outcome | 'tie'> {
  const { customerId, accountId = null, subscription = null, isFetched = false, isDeleted = false } = update
  return inTransaction(platform, async (tx) => {
    await queries.lockCustomer.run(tx, customerId)
    const account = await queries.lockEventAccount.first(tx, { customerId, accountId, subscription })
    const { isReplayed, lastEventId, lastEventAt, plan } = await queries.selectEventFacts.one(
      tx,
      event.id,
      subscription,
    )
    const lastEvent =
      lastEventId !== null && lastEventAt !== null ? { id: lastEventId, at: lastEventAt } : null
    const decision = decideEvent({ isReplayed, lastEvent }, { id: event.id, at: event.at, isFetched })
    if (decision === 'tie' || (decision === 'replayed' && account)) return decision
    const before = account ? await readAccount(tx, account.id) : null
    const linkedAt = accountId === null ? null : event.at
    if (account || isDeleted)
      await queries.upsertCustomer.run(tx, {
        id: customerId,
        accountId: account?.id ?? null,
        linkedAt,
        deletedAt: isDeleted ? event.at : null,
      })
    if (subscription && decision === 'newest')
      await queries.upsertSubscription.run(tx, {
        subscription,
        plan,
        accountId: account?.id ?? null,
        eventId: event.id,
        eventAt: event.at,
      })
    else if (subscription && plan !== null) await queries.completePlan(tx, subscription.id, plan)
    if (!account || !before) return 'unknown_customer'
    await queries.insertEvent(tx, account.id, event)
    const after = await readAccount(tx, account.id)
    const isSame = before.chosen?.id === after.chosen?.id
    const isOfChosen = subscription
      ? subscription.id === after.chosen?.id
      : customerId === after.chosen?.customerId
    if (after.customerId !== account.customerId)
      await queries.updateCustomerId(tx, account.id, after.customerId)
    if (after.chosen && (!isSame || (isOfChosen && subscription && decision === 'newest')))
      await queries.updateAccount(tx, account.id, after.chosen)
    if (decision === 'stale') return 'stale'
    if (after.chosen ? isOfChosen && subscription && plan === null : after.hasSubscription)
      return 'unknown_price'
    return (subscription || isDeleted) && isSame && !isOfChosen ? 'ignored' : 'applied'
  })
}

/**
 * Read the subscription by which an account has its plan and status, and the customer whose portal it opens.
 */
async function readAccount(tx: PlatformDb, accountId: string) {
  const subscriptions = await queries.selectAccountSubscriptions(tx, accountId)
  const chosen = chooseSubscription(subscriptions)
  const customerId = chooseCustomer(await queries.selectAccountCustomers(tx, accountId), chosen)
  return { chosen, customerId, hasSubscription: subscriptions.length > 0 }
}

/**
 * Fetch the current state of a subscription from the provider. Return null if the provider does not know it,
 * or it was never paid.
 */
async function fetchSubscription(billing: BillingPort, id: string): Promise<Subscription | null> {
  const result = await billing.getSubscription(id)
  return !result.ok && result.reason === 'unknown' ? null : requireSuccess(result)
}

function ignoreTie(outcome: Outcome | 'tie'): Outcome {
  return outcome === 'tie' ? 'ignored' : outcome
}

function requireSuccess<T>(result: ProviderResult<T>): T {
  if (result.ok) return result.value
  const kind = problemKinds[result.reason]
  throw new Problem(
    kind,
    result.reason === 'failed' && result.message
      ? addSentence('The billing provider refused this', result.message)
      : undefined,
  )
}
