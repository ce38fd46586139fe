import type { Answered, BillingEvent, BillingPort, Subscription } from '../../lib/billing/billing.ts'
import type { Context, Reader } from '../../lib/http/operation.ts'
import type { RawBody } from '../../lib/net/raw-body.ts'
import { Problem } from '../../lib/problem.ts'
import * as queries from './queries.ts'
import type { Outcome } from './schemas.ts'

type Provider = Context<'post', 'signed', string>

const reasons = {
  not_configured: 'billing_provider_not_configured',
  unknown: 'no_billing_customer',
  failed: 'billing_provider_error',
} as const

export async function openPortal({ db, billing, config }: Reader) {
  const customer = billing.isConfigured ? await queries.selectCustomer(db) : ''
  if (customer === null) throw new Problem('no_billing_customer')
  return { url: given(await billing.portalUrl(customer, `${config.FRONTEND_URL}/settings/billing`)) }
}

export async function subscription({ db }: Reader) {
  const { builds_used, builds_limit, resets_at, ...state } = await queries.selectSubscription(db)
  return { ...state, ai_builds: { used: builds_used, limit: builds_limit, resets_at } }
}

/** What the provider tells; events may come twice, late and in any order. */
export async function receive(ctx: Provider, body: RawBody) {
  const read = await ctx.billing.readEvent(body)
  if (!read.ok) throw new Problem(read.reason === 'unsigned' ? 'invalid_signature' : 'billing_provider_not_configured')
  const outcome = await take(ctx, read.value)
  if (outcome === 'unknown_customer' || outcome === 'unknown_price') ctx.log({ billing_event: read.value.type, outcome })
  return { outcome }
}

async function take({ platform, billing }: Provider, event: BillingEvent): Promise<Outcome> {
  const { told } = event
  if (told === null) return 'ignored'
  if (told.kind === 'customer_gone') return (await queries.forgetCustomer(platform, told.customerId)) ? 'applied' : 'unknown_customer'
  const { customerId, accountId } = told.kind === 'linked' ? told : told.subscription
  const apply = (subscription: Subscription | null, settled: boolean) =>
    queries.applyEvent(platform, event, { customerId, accountId, subscription, settled })
  // Its subscription may have told of itself before anybody knew whose it is.
  if (told.kind === 'linked') return last(await apply(await current(billing, told.subscriptionId), true))
  const outcome = await apply(told.subscription, false)
  // The provider's clock has whole seconds: which of two comes last, only it can say.
  return outcome === 'tie' ? last(await apply(await current(billing, told.subscription.id), true)) : outcome
}

async function current(billing: BillingPort, id: string | null): Promise<Subscription | null> {
  const answer: Answered<Subscription | null> = id === null ? { ok: true, value: null } : await billing.subscription(id)
  // One that the provider does not know says nothing.
  return !answer.ok && answer.reason === 'unknown' ? null : given(answer)
}

function last(outcome: Outcome | 'tie'): Outcome {
  return outcome === 'tie' ? 'ignored' : outcome
}

function given<T>(answer: Answered<T>): T {
  if (answer.ok) return answer.value
  throw new Problem(reasons[answer.reason])
}
