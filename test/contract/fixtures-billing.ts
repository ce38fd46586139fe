import { randomBytes } from 'node:crypto'
import { signed } from '../../lib/local/stripe-events.ts'
import type { Service } from '../support/app.ts'
import { type Fixture, idOf } from './fixture-rows.ts'

const nothing: Fixture = async () => ({})
const stripeHeaders = (service: Service, key = service.settings.STRIPE_SECRET_KEY) => ({ authorization: `Bearer ${key}` })

/** A customer at the provider's stand-in, which the account may or may not know of. */
export async function makeCustomer(service: Service): Promise<string> {
  const answer = await fetch(`${service.settings.STRIPE_BASE_URL}/v1/customers`, { method: 'POST', headers: stripeHeaders(service) })
  return ((await answer.json()) as { id: string }).id
}

/** A body and the headers under which the provider would send it. */
export function signedEvent(service: Service, event: object, at?: number) {
  const body = JSON.stringify(event)
  const signature = signed(body, service.settings.STRIPE_WEBHOOK_SECRET ?? '', at)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
  return { bytes: new TextEncoder().encode(body), headers }
}

export const billingFixtures: Record<string, Fixture> = {
  'billing.createPortalSession': async (service, { accountId }) => {
    const statement = 'update accounts set billing_customer_id = $2 where id = $1 returning id'
    await idOf(service, statement, [accountId, await makeCustomer(service)])
    return {}
  },
  'billing.getSubscription': nothing,
  'billing.receiveWebhook': async (service, { accountId }) => {
    const customer = { object: 'customer', id: `cus_${randomBytes(8).toString('hex')}`, metadata: { account_id: accountId } }
    const event = { id: `evt_${randomBytes(8).toString('hex')}`, object: 'event', type: 'customer.created', created: 1_790_000_000 }
    return { content: signedEvent(service, { ...event, data: { object: customer } }) }
  },
}
