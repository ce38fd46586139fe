import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect } from 'vitest'
import { setLocalPrices } from '#local/demo.ts'
import { signPayload } from '#local/vendors/stripe/stripe-events.ts'
import { createAccountReferences } from '#vendors/billing/account-reference.ts'
import { request, type Service, startOwnService } from './app.ts'

/** Start a service whose plans have prices at the local Stripe emulator. */
export async function startServiceWithPrices() {
  const service = await startOwnService()
  await addLocalPrices(service.stack.ownerUrl)
  return service
}

/** Add the prices of the local Stripe emulator to the plans. */
export async function addLocalPrices(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  await setLocalPrices(client)
  await client.end()
}

/** Create a customer at the local Stripe emulator. No account is linked to it. */
export async function createStripeCustomer(service: Service): Promise<string> {
  const headers = { authorization: `Bearer ${service.settings.STRIPE_SECRET_KEY}` }
  const response = await fetch(`${service.settings.STRIPE_BASE_URL}/v1/customers`, {
    method: 'POST',
    headers,
  })
  return ((await response.json()) as { id: string }).id
}

/** Return the service's reference of an account, which a checkout or a customer has. */
export function createReference(service: Service, accountId: string): Promise<string> {
  return createAccountReferences(JSON.parse(service.settings.JWT_KEYS ?? '[]')).sign(accountId)
}

/**
 * Serialise an event and sign it as Stripe does. `signedAt` is in seconds since the epoch, now by default.
 */
export function signEvent(service: Service, event: object, signedAt?: number) {
  const body = JSON.stringify(event)
  const signature = signPayload(body, service.settings.STRIPE_WEBHOOK_SECRET ?? '', signedAt)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
  return { bytes: new TextEncoder().encode(body), headers }
}

/** Post a webhook event to the service, signed as Stripe does. Add a new event id unless `event` has one. */
export function postSignedEvent(service: Service, event: object) {
  const { bytes, headers } = signEvent(service, {
    id: `evt_${randomBytes(8).toString('hex')}`,
    object: 'event',
    ...event,
  })
  return request(service, 'POST', '/billing/webhook', { raw: bytes, headers })
}

/**
 * An event of the local Stripe emulator and the service's response; `status` is null when the event was not
 * delivered.
 */
export interface SentBillingEvent {
  event: { id: string; created: number }
  status: number | null
  answer: { outcome?: string; error?: string }
}

/**
 * Change an account's subscription through the local dashboard. Return the last event that the action sent.
 */
export async function sendBillingAction(
  service: Service,
  account_id: string,
  action: string,
  options: object = {},
): Promise<SentBillingEvent> {
  const body = JSON.stringify({ account_id, action, ...options })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${service.localOrigin}/desk/billing/events`, {
    method: 'POST',
    headers,
    body,
  })
  expect([response.status, action]).toEqual([201, action])
  return ((await response.json()) as SentBillingEvent[]).at(-1) as SentBillingEvent
}

/** Send an event of the local Stripe emulator again. */
export async function resendBillingEvent(
  service: Service,
  { event }: SentBillingEvent,
): Promise<SentBillingEvent> {
  const response = await fetch(`${service.localOrigin}/desk/billing/events/${event.id}/resend`, {
    method: 'POST',
  })
  return (await response.json()) as SentBillingEvent
}

/** Select the billing columns of an account. */
export async function selectBillingState(service: Service, accountId: string) {
  const [row] = await service.sql<{
    plan: string
    subscription_status: string
    past_due_since: Date | null
    billing_customer_id: string | null
  }>('select plan, subscription_status, past_due_since, billing_customer_id from accounts where id = $1', [
    accountId,
  ])
  return row as NonNullable<typeof row>
}
