import { inTransaction } from '#db/scope.ts'
import type { Context, ReadContext } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import type { BillingEvent, BillingPort, ProviderResult, Subscription } from '#vendors/billing/billing.ts'
import { decideEvent } from '#vendors/billing/decide-event.ts'
import type { RawBody } from '#vendors/net/raw-body.ts'
import * as queries from './queries.ts'
import type { Outcome } from './schemas.ts'

type WebhookContext = Context<'post', 'signed', string>

const problemKinds = {
  not_configured: 'billing_provider_not_configured',
  unknown: 'no_billing_customer',
  failed: 'billing_provider_error',
} as const

export async function createPortalSession({ db, billing, config }: ReadContext) {
  if (!billing.isConfigured) throw new Problem('billing_provider_not_configured')
  const customerId = await queries.selectCustomerId(db)
  if (customerId === null) throw new Problem('no_billing_customer')
  return { url: requireSuccess(await billing.createPortalUrl(customerId, `${config.FRONTEND_URL}/settings/billing`)) }
}

export async function getSubscription({ db, billing, caller }: ReadContext) {
  const { builds_used, builds_limit, resets_at, ...subscription } = await queries.selectSubscription.one(db)
  const checkout_reference = await billing.createReference(caller.accountId)
  return { ...subscription, ai_builds: { used: builds_used, limit: builds_limit, resets_at }, checkout_reference }
}

/** Process an event of the provider. Events may arrive twice, late and in any order. */
export async function receiveWebhook(ctx: WebhookContext, body: RawBody) {
  const result = await ctx.billing.readEvent(body)
  if (!result.ok) throw new Problem(result.reason === 'unsigned' ? 'invalid_signature' : 'billing_provider_not_configured')
  const event = result.value
  const outcome = await processEvent(ctx, event)
  if (outcome === 'unknown_customer' || outcome === 'unknown_price') ctx.log({ billing_event: event.type, outcome })
  return { outcome }
}

async function processEvent({ platform, billing }: WebhookContext, event: BillingEvent): Promise<Outcome> {
  const { change } = event
  if (change === null) return 'ignored'
  if (change.kind === 'customer_gone') {
    const isKnown = await queries.clearCustomerId(platform, change.customerId)
    return isKnown ? 'applied' : 'unknown_customer'
  }
  if (change.kind === 'linked') {
    const { customerId, accountId } = change
    // The subscription's own event may have arrived before the account of the customer was known, so its state is fetched.
    const subscription = await fetchSubscription(billing, change.subscriptionId)
    return ignoreTie(await applyEvent(platform, event, { customerId, accountId, subscription, isFetched: true }))
  }
  const { subscription } = change
  const { customerId, accountId } = subscription
  const outcome = await applyEvent(platform, event, { customerId, accountId, subscription, isFetched: false })
  if (outcome !== 'tie') return outcome
  // Event times have whole seconds, so only the provider knows the state after two events of one second.
  const fetched = await fetchSubscription(billing, subscription.id)
  return ignoreTie(await applyEvent(platform, event, { customerId, accountId, subscription: fetched, isFetched: true }))
}

interface EventUpdate {
  customerId: string
  accountId: string | null
  subscription: Subscription | null
  isFetched: boolean
}

/** Apply an event to the account it belongs to. The account is locked, so that its events are applied one at a time. */
function applyEvent(platform: WebhookContext['platform'], event: BillingEvent, update: EventUpdate): Promise<Outcome | 'tie'> {
  return inTransaction(platform, async (tx) => {
    const account = await queries.lockEventAccount.first(tx, update)
    const facts = account && (await queries.selectEventFacts.one(tx, event.id, update.subscription))
    const decision = decideEvent(facts ? { ...account, ...facts } : null, { at: event.at, ...update })
    if (!facts || !decision.isStored) return decision.outcome
    await queries.insertEvent(tx, account.id, event)
    if (decision.linksCustomer) await queries.updateCustomerId(tx, account.id, update.customerId)
    if (decision.changesSubscription && update.subscription)
      await queries.updateSubscription(tx, account.id, event.at, facts.matchingPlan, update.subscription)
    return decision.outcome
  })
}

/** Fetch the current state of a subscription from the provider. Return null without an id, and if the provider does not know the id. */
async function fetchSubscription(billing: BillingPort, id: string | null): Promise<Subscription | null> {
  if (id === null) return null
  const result = await billing.getSubscription(id)
  return !result.ok && result.reason === 'unknown' ? null : requireSuccess(result)
}

function ignoreTie(outcome: Outcome | 'tie'): Outcome {
  return outcome === 'tie' ? 'ignored' : outcome
}

function requireSuccess<T>(result: ProviderResult<T>): T {
  if (result.ok) return result.value
  throw new Problem(problemKinds[result.reason])
}
