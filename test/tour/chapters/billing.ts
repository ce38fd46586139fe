import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { advanceClock, readClock, resetClock } from '#test/tour/dashboard.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import type { Person } from '#test/tour/person.ts'

const beyondGraceSeconds = 7 * 86_400 + 100

/** Subscribe, let a payment fail for longer than the grace period of seven days, and pay. */
export async function subscribe(tour: Tour, admin: Person): Promise<void> {
  const { accounts, billing } = admin.client
  tour.print('  # The local dashboard simulates the checkout and sends the events of Stripe.')
  // The time of the local Stripe never goes back, even when the clock is reset. So each event contains its
  // own time.
  const now = await readClock(tour)
  await sendBillingEvent(tour, admin, 'subscribe', now)
  // Three people, and the engineer whose case the dashboard escalated.
  const subscription = z.object({
    plan: z.literal('pro'),
    status: z.literal('active'),
    seats: z.number(),
    seats_used: z.literal(4),
  })
  await tour.call(() => billing.getSubscription(), { returns: subscription })
  await tour.call(() => billing.createPortalSession(), { returns: z.object({ url: z.url() }) })
  await sendBillingEvent(tour, admin, 'past_due', now)
  await advanceClock(tour, beyondGraceSeconds)
  const lapsed = z.object({ detail: z.string(), code: z.literal('subscription_lapsed') })
  await tour.call(() => accounts.teams.list(), { status: 403, returns: lapsed })
  await sendBillingEvent(tour, admin, 'paid', now + beyondGraceSeconds)
  await tour.call(() => accounts.teams.list(), {
    returns: listWithItem(z.object({ id: z.string(), name: z.string() }), 'team'),
  })
  await resetClock(tour)
}

async function sendBillingEvent(
  tour: Tour,
  { email }: Person,
  action: 'subscribe' | 'past_due' | 'paid',
  created: number,
): Promise<void> {
  const applied = z.object({ status: z.literal(200), answer: z.object({ outcome: z.literal('applied') }) })
  const returns = listWithItem(applied, `event of “${action}” that the service applied`)
  await tour.dashboard('POST', '/desk/billing/events', {
    body: { email, action, created },
    status: 201,
    returns,
  })
}
