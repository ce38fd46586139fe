import { afterAll, beforeAll, expect, it } from 'vitest'
import { rowsOf } from '../../contract/rows.ts'
import { desk } from '../../support/app.ts'
import { billedService, play, resend, stateOf } from '../../support/billing.ts'
import { newAccount } from '../../support/people.ts'

let service: Awaited<ReturnType<typeof billedService>>
beforeAll(async () => {
  service = await billedService()
})
afterAll(() => service.close())

/** An account with a subscription, and the second in which it began. */
async function subscribed() {
  const { id } = await newAccount(service)
  const at = Math.floor(Date.now() / 1000)
  await play(service, id, 'subscribe', { price: 'price_local_team_monthly', created: at })
  return { id, at, status: async () => (await stateOf(service, id)).subscription_status }
}

it('takes an event once: a copy changes nothing', async () => {
  const { id, at, status } = await subscribed()
  const canceled = await play(service, id, 'canceled', { created: at + 1 })
  await play(service, id, 'paid', { created: at + 2 })
  const before = await rowsOf(service, id)
  expect((await resend(service, canceled)).answer).toEqual({ outcome: 'replayed' })
  expect([await status(), await rowsOf(service, id)]).toEqual(['active', before])
})

it('takes one of many copies that come at once', async () => {
  const { id, at, status } = await subscribed()
  const kept = await play(service, id, 'past_due', { created: at + 1, keep: true })
  const answers = await Promise.all(Array.from({ length: 24 }, () => resend(service, kept)))
  const outcomes = answers.map(({ answer }) => answer.outcome).sort()
  expect([outcomes[0], new Set(outcomes.slice(1))]).toEqual(['applied', new Set(['replayed'])])
  expect(await status()).toBe('past_due')
})

it('goes only forward: an older event that comes later changes nothing', async () => {
  const { id, at, status } = await subscribed()
  const older = await play(service, id, 'unpaid', { created: at + 1, keep: true })
  await play(service, id, 'paid', { created: at + 2 })
  expect([(await resend(service, older)).answer.outcome, await status()]).toEqual(['stale', 'active'])
})

it('ends in the newest state whatever the order in which events come at once', async () => {
  const { id, at, status } = await subscribed()
  const kept = []
  for (const [n, action] of ['past_due', 'unpaid', 'paid', 'past_due', 'canceled'].entries()) {
    kept.push(await play(service, id, action, { created: at + 1 + n, keep: true }))
  }
  await Promise.all(kept.toReversed().map((event) => resend(service, event)))
  expect(await status()).toBe('canceled')
})

it('asks the provider which of two events of one second came last', async () => {
  const { id, at, status } = await subscribed()
  const first = await play(service, id, 'past_due', { created: at + 1, keep: true })
  const second = await play(service, id, 'paid', { created: at + 1, keep: true })
  await resend(service, second)
  expect([(await resend(service, first)).answer.outcome, await status()]).toEqual(['applied', 'active'])
  const other = await subscribed()
  await play(service, other.id, 'past_due', { created: other.at + 1 })
  await play(service, other.id, 'paid', { created: other.at + 1 })
  expect(await other.status()).toBe('active')
})

it('leaves an event to be sent again when the provider cannot be asked', async () => {
  const { id, at, status } = await subscribed()
  await play(service, id, 'past_due', { created: at + 1 })
  const paid = await play(service, id, 'paid', { created: at + 1, keep: true })
  await desk(service).fault({ service: 'stripe', mode: 'error' })
  const before = await rowsOf(service, id)
  const failed = await resend(service, paid)
  expect([failed.status, failed.answer, await rowsOf(service, id)]).toEqual([502, { error: 'billing_provider_error' }, before])
  await desk(service).lift()
  expect([(await resend(service, paid)).answer.outcome, await status()]).toEqual(['applied', 'active'])
})
