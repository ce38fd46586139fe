import * as z from 'zod'
import type { Client } from '../client.ts'
import {
  advanceClock,
  clearFaults,
  getWebhookPath,
  resetClock,
  setFault,
  waitForChatMessage,
  waitForLink,
  waitForMail,
} from '../dashboard.ts'
import { listWithItem } from '../expectations.ts'
import { type Person, TokenPair } from '../person.ts'

/** Register an account and escalate, so that every channel is notified. Then let one channel fail. Return the admin. */
export async function registerAndNotify(client: Client): Promise<Person> {
  const admin = await register(client)
  const configId = await addChannels(client, admin)
  await notifyEveryChannel(client, admin)
  await retryFailingChannel(client, admin, configId)
  return admin
}

async function register(client: Client): Promise<Person> {
  const email = `admin-${client.run}@example.com`
  const account = { full_name: 'Ada Novak', account_name: 'Novak IT' }
  const body = { email, password: 'violet-tractor-81', ...account }
  const { access_token, user } = await client.api('POST', '/auth/register', { body, status: 201, returns: TokenPair })
  const token = await waitForLink(client, email, /verify-email\?token=([\w-]+)/)
  await client.api('POST', '/auth/verify-email', { body: { token }, status: 204 })
  return { id: user.id, email, accessToken: access_token }
}

/** Add one config per channel. Return the id of the first chat tool's config. */
async function addChannels(client: Client, { accessToken }: Person): Promise<string> {
  const buildWebhookChannel = (tool: 1 | 2) => ({
    channel: `chat${tool}_webhook`,
    webhook_url: client.addresses.dashboard + getWebhookPath(client, tool),
  })
  const addChannel = (channel: object) =>
    client.api('POST', '/notifications/configs', {
      accessToken,
      body: { ...channel, events_enabled: ['session.escalated'] },
      status: 201,
      returns: z.object({ id: z.string(), channel: z.string(), events_enabled: z.array(z.string()) }),
    })
  const { id } = await addChannel(buildWebhookChannel(1))
  await addChannel(buildWebhookChannel(2))
  await addChannel({ channel: 'email', email_addresses: [getOnCallEmail(client)] })
  return id
}

/** Return the address that the account's e-mail channel notifies. */
export function getOnCallEmail({ run }: Client): string {
  return `oncall-${run}@example.com`
}

async function notifyEveryChannel(client: Client, admin: Person): Promise<void> {
  const problem = 'VPN drops every few minutes'
  client.print('  # An engineer of this account escalates; the local dashboard simulates the engineer.')
  await escalate(client, admin, problem)
  const notification = z.object({ event_key: z.literal('session.escalated'), title: z.string().includes(problem) })
  await client.api('GET', '/notifications', {
    accessToken: admin.accessToken,
    returns: listWithItem(notification, `notification about “${problem}”`),
  })
  await waitForMail(client, getOnCallEmail(client), problem)
  await waitForChatMessage(client, 1, problem)
  await waitForChatMessage(client, 2, problem)
}

async function escalate(client: Client, admin: Person, problem: string): Promise<void> {
  const body = { account_of: admin.email, problem_summary: problem }
  const returns = z.object({ session_id: z.string(), delivery_ids: z.array(z.string()) })
  await client.dashboard('POST', '/desk/demo/escalation', { body, status: 201, returns })
}

async function retryFailingChannel(client: Client, admin: Person, configId: string): Promise<void> {
  client.print('  # The chat tool fails: attempts after 30 s, 2 min and 10 min, then the delivery has failed.')
  await setFault(client, { service: 'chat1', mode: 'error' })
  await escalate(client, admin, 'The branch office has no network')
  for (const seconds of [30, 120, 600]) await advanceClock(client, seconds)
  const failed = z.object({ state: z.literal('failed'), attempts: z.literal(4), last_error: z.string() })
  const path = `/notifications/configs/${configId}/deliveries`
  await client.api('GET', path, {
    accessToken: admin.accessToken,
    poll: true,
    returns: listWithItem(failed, 'delivery that failed after 4 attempts'),
  })
  await clearFaults(client)
  await resetClock(client)
}
