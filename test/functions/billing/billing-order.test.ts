// @module-tag behaviour
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readChecksums } from '#test/contract/row-checksums.ts'
import { dashboard } from '#test/support/app.ts'
import {
  resendBillingEvent,
  selectBillingState,
  sendBillingAction,
  startServiceWithPrices,
} from '#test/support/billing.ts'
import { createAccount } from '#test/support/people.ts'

let service: Awaited<ReturnType<typeof startServiceWithPrices>>
beforeAll(async () => {
  service = await startServiceWithPrices()
})
afterAll(() => service.close())

/** Create an account with a subscription. `startedAt` is the start in seconds since the epoch. */
async function createSubscription() {
  const { id } = await createAccount(service)
  const startedAt = Math.floor(Date.now() / 1000)
  await sendBillingAction(service, id, 'subscribe', { price: 'price_local_team_monthly', created: startedAt })
  return {
    id,
    startedAt,
    selectStatus: async () => (await selectBillingState(service, id)).subscription_status,
  }
}

it('applies an event once and changes nothing when the event is repeated', async () => {
  const { id, startedAt, selectStatus } = await createSubscription()
  const canceled = await sendBillingAction(service, id, 'canceled', { created: startedAt + 1 })
  await sendBillingAction(service, id, 'paid', { created: startedAt + 2 })
  const checksumsBefore = await readChecksums(service, id)
  expect((await resendBillingEvent(service, canceled)).answer).toEqual({ outcome: 'replayed' })
  expect([await selectStatus(), await readChecksums(service, id)]).toEqual(['active', checksumsBefore])
})

it('applies one of 24 concurrent copies of an event', async () => {
  const { id, startedAt, selectStatus } = await createSubscription()
  const sentEvent = await sendBillingAction(service, id, 'past_due', {
    created: startedAt + 1,
    skipDelivery: true,
  })
  const resentEvents = await Promise.all(
    Array.from({ length: 24 }, () => resendBillingEvent(service, sentEvent)),
  )
  const outcomes = resentEvents.map(({ answer }) => answer.outcome).sort()
  expect([outcomes[0], new Set(outcomes.slice(1))]).toEqual(['applied', new Set(['replayed'])])
  expect(await selectStatus()).toBe('past_due')
})

it('changes nothing for an older event that arrives later', async () => {
  const { id, startedAt, selectStatus } = await createSubscription()
  const older = await sendBillingAction(service, id, 'unpaid', { created: startedAt + 1, skipDelivery: true })
  await sendBillingAction(service, id, 'paid', { created: startedAt + 2 })
  expect([(await resendBillingEvent(service, older)).answer.outcome, await selectStatus()]).toEqual([
    'stale',
    'active',
  ])
})

it('ends in the newest state when concurrent events arrive in any order', async () => {
  const { id, startedAt, selectStatus } = await createSubscription()
  const events = []
  for (const [n, action] of ['past_due', 'unpaid', 'paid', 'past_due', 'canceled'].entries()) {
    events.push(
      await sendBillingAction(service, id, action, { created: startedAt + 1 + n, skipDelivery: true }),
    )
  }
  await Promise.all(events.toReversed().map((event) => resendBillingEvent(service, event)))
  // The rest of the trial.
  expect(await selectStatus()).toBe('trialing')
})

it('fetches the state from the provider when two events were created in the same second', async () => {
  const { id, startedAt, selectStatus } = await createSubscription()
  const first = await sendBillingAction(service, id, 'past_due', {
    created: startedAt + 1,
    skipDelivery: true,
  })
  const second = await sendBillingAction(service, id, 'paid', { created: startedAt + 1, skipDelivery: true })
  await resendBillingEvent(service, second)
  expect([(await resendBillingEvent(service, first)).answer.outcome, await selectStatus()]).toEqual([
    'applied',
    'active',
  ])
  const inOrder = await createSubscription()
  await sendBillingAction(service, inOrder.id, 'past_due', { created: inOrder.startedAt + 1 })
  await sendBillingAction(service, inOrder.id, 'paid', { created: inOrder.startedAt + 1 })
  expect(await inOrder.selectStatus()).toBe('active')
})

it('returns 502 when the provider fails, and applies the event when it is sent again', async () => {
  const { id, startedAt, selectStatus } = await createSubscription()
  await sendBillingAction(service, id, 'past_due', { created: startedAt + 1 })
  const paid = await sendBillingAction(service, id, 'paid', { created: startedAt + 1, skipDelivery: true })
  await dashboard(service).setFault({ service: 'stripe', mode: 'error' })
  const checksumsBefore = await readChecksums(service, id)
  const failed = await resendBillingEvent(service, paid)
  expect([failed.status, failed.answer, await readChecksums(service, id)]).toEqual([
    502,
    { error: 'billing_provider_error' },
    checksumsBefore,
  ])
  await dashboard(service).clearFaults()
  expect([(await resendBillingEvent(service, paid)).answer.outcome, await selectStatus()]).toEqual([
    'applied',
    'active',
  ])
})
