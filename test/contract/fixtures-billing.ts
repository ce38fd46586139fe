import { randomBytes } from 'node:crypto'
import { createReference, createStripeCustomer, signEvent } from '#test/support/billing.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'

const createEmptySample: Fixture = async () => ({})

export const billingFixtures = {
  'billing.createPortalSession': async (service, { accountId }) => {
    const statement = 'update accounts set billing_customer_id = $2 where id = $1 returning id'
    await insertReturningId(service, statement, [accountId, await createStripeCustomer(service)])
    return {}
  },
  'billing.createCheckoutSession': async (service) => {
    await service.sql(
      `update plan_billing set provider_monthly_price_id = 'price_local_team_monthly' where plan = 'team'`,
    )
    return { body: { plan: 'team', interval: 'monthly' } }
  },
  'billing.getSubscription': createEmptySample,
  'billing.receiveWebhook': async (service, { accountId }) => {
    const customer = {
      object: 'customer',
      id: `cus_${randomBytes(8).toString('hex')}`,
      metadata: { account_id: await createReference(service, accountId) },
    }
    const event = {
      id: `evt_${randomBytes(8).toString('hex')}`,
      object: 'event',
      type: 'customer.created',
      created: 1_790_000_000,
    }
    return { content: signEvent(service, { ...event, data: { object: customer } }) }
  },
} satisfies Record<string, Fixture>
