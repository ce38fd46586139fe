import * as z from 'zod'
import type { Client } from '../client.ts'
import { advanceClock, readClock, resetClock } from '../dashboard.ts'
import { listWithItem } from '../expectations.ts'
import type { Person } from '../person.ts'

const beyondGraceSeconds = 7 * 86_400 + 100

/** Subscribe, let a payment fail for longer than the grace period of seven days, and pay. */
export async function subscribe(client: Client, admin: Person): Promise<void> {
  const { accessToken } = admin
  client.print('  # The local dashboard simulates the checkout and sends the events of Stripe.')
  // The time of the local Stripe never goes back, even when the clock is reset. So each event contains its own time.
  const now = await readClock(client)
  await sendBillingEvent(client, admin, 'subscribe', now)
  const subscription = z.object({ plan: z.literal('pro'), status: z.literal('active'), seats: z.number(), seats_used: z.literal(3) })
  await client.api('GET', '/billing/subscription', { accessToken, returns: subscription })
  await client.api('GET', '/billing/portal-session', { accessToken, returns: z.object({ url: z.url() }) })
  await sendBillingEvent(client, admin, 'past_due', now)
  await advanceClock(client, beyondGraceSeconds)
  const lapsed = z.object({ detail: z.string(), code: z.literal('subscription_lapsed') })
  await client.api('GET', '/teams', { accessToken, status: 403, returns: lapsed })
  await sendBillingEvent(client, admin, 'paid', now + beyondGraceSeconds)
  await client.api('GET', '/teams', { accessToken, returns: listWithItem(z.object({ id: z.string(), name: z.string() }), 'team') })
  await resetClock(client)
}

async function sendBillingEvent(
  client: Client,
  { email }: Person,
  action: 'subscribe' | 'past_due' | 'paid',
  created: number,
): Promise<void> {
  const applied = z.object({ status: z.literal(200), answer: z.object({ outcome: z.literal('applied') }) })
  const returns = listWithItem(applied, `event of “${action}” that the service applied`)
  await client.dashboard('POST', '/desk/billing/events', { body: { email, action, created }, status: 201, returns })
}
