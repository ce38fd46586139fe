import * as z from 'zod'
import type { NotificationConfigCreate } from '#client/client.ts'
import type { Tour } from '#test/tour/client.ts'
import {
  advanceClock,
  clearFaults,
  getWebhookPath,
  resetClock,
  setFault,
  waitForChatMessage,
  waitForLink,
  waitForMail,
} from '#test/tour/dashboard.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import { type Person, SignedIn } from '#test/tour/person.ts'

/**
 * Register an account and escalate, so that every channel is notified. Then let one channel fail. Return the
 * admin.
 */
export async function registerAndNotify(tour: Tour): Promise<Person> {
  const admin = await register(tour)
  const configId = await addChannels(tour, admin)
  await notifyEveryChannel(tour, admin)
  await retryFailingChannel(tour, admin, configId)
  return admin
}

async function register(tour: Tour): Promise<Person> {
  const email = `admin-${tour.run}@example.com`
  const account = { full_name: 'Ada Novak', account_name: 'Novak IT' }
  const body = { email, password: 'violet-tractor-81', ...account }
  const client = tour.createClient()
  const { user } = await tour.call(() => client.identity.auth.register(body), { returns: SignedIn })
  const token = await waitForLink(tour, email, /verify-email\?token=([\w-]+)/)
  await tour.call(() => client.identity.credentials.verifyEmail({ token }))
  return { id: user.id, email, client }
}

/** Add one config per channel. Return the id of the first chat tool's config. */
async function addChannels(tour: Tour, { client }: Person): Promise<string> {
  const buildWebhookChannel = (tool: 1 | 2) => ({
    channel: `chat${tool}_webhook` as const,
    webhook_url: tour.addresses.dashboard + getWebhookPath(tour, tool),
  })
  const addChannel = (channel: NotificationConfigCreate) =>
    tour.call(
      () => client.notifications.createConfig({ ...channel, events_enabled: ['session.escalated'] }),
      {
        returns: z.object({ id: z.string(), channel: z.string(), events_enabled: z.array(z.string()) }),
      },
    )
  const { id } = await addChannel(buildWebhookChannel(1))
  await addChannel(buildWebhookChannel(2))
  await addChannel({ channel: 'email', email_addresses: [getOnCallEmail(tour)] })
  return id
}

/** Return the address that the account's e-mail channel notifies. */
export function getOnCallEmail({ run }: Tour): string {
  return `oncall-${run}@example.com`
}

async function notifyEveryChannel(tour: Tour, admin: Person): Promise<void> {
  const problem = 'VPN drops every few minutes'
  tour.print('  # An engineer of this account escalates; the local dashboard simulates the engineer.')
  await escalate(tour, admin, problem)
  const notification = z.object({
    event_key: z.literal('session.escalated'),
    title: z.string().includes(problem),
  })
  await tour.call(() => admin.client.notifications.list(), {
    returns: listWithItem(notification, `notification about “${problem}”`),
  })
  await waitForMail(tour, getOnCallEmail(tour), problem)
  await waitForChatMessage(tour, 1, problem)
  await waitForChatMessage(tour, 2, problem)
}

async function escalate(tour: Tour, admin: Person, problem: string): Promise<void> {
  const body = { account_of: admin.email, problem_summary: problem }
  const returns = z.object({ session_id: z.string(), delivery_ids: z.array(z.string()) })
  await tour.dashboard('POST', '/desk/demo/escalation', { body, status: 201, returns })
}

async function retryFailingChannel(tour: Tour, admin: Person, configId: string): Promise<void> {
  tour.print('  # The chat tool fails: attempts after 30 s, 2 min and 10 min, then the delivery has failed.')
  await setFault(tour, { service: 'chat1', mode: 'error' })
  await escalate(tour, admin, 'The branch office has no network')
  for (const seconds of [30, 120, 600]) await advanceClock(tour, seconds)
  const failed = z.object({ state: z.literal('failed'), attempts: z.literal(4), last_error: z.string() })
  await tour.call(() => admin.client.notifications.listDeliveries({ config_id: configId }), {
    poll: true,
    returns: listWithItem(failed, 'delivery that failed after 4 attempts'),
  })
  await clearFaults(tour)
  await resetClock(tour)
}
