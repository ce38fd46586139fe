import * as z from 'zod'
import type { Client } from '../client.ts'
import { advanceClock, clearFaults, resetClock, setFault } from '../dashboard.ts'
import { listWithItem } from '../expectations.ts'
import { waitForNote } from '../notes.ts'
import type { Person } from '../person.ts'

/** Connect the ticketing system, run a flow on a ticket and push the note. Return the ticket's id. */
export async function runFlowOnTicket(client: Client, admin: Person): Promise<string> {
  await connectTicketing(client, admin)
  const ticketId = await findTicket(client, admin)
  const sessionId = await answerFirstStep(client, admin, ticketId)
  await pushNoteDespiteOutage(client, admin, ticketId, sessionId)
  const pdf = z
    .string()
    .startsWith('%PDF-')
    .transform((text) => `${text.slice(0, 8)} …`)
  await client.api('GET', `/sessions/${sessionId}/export?format=pdf&mask=true`, { accessToken: admin.accessToken, returns: pdf })
  return ticketId
}

async function connectTicketing(client: Client, { accessToken }: Person): Promise<void> {
  const credentials = { company_id: 'demo', public_key: 'demo', private_key: 'demo', client_id: 'demo' }
  const body = { provider: 'connectwise', base_url: `${client.addresses.dashboard}/psa`, ...credentials }
  const connection = z.object({ id: z.string(), provider: z.literal('connectwise'), is_active: z.literal(true) })
  await client.api('PUT', '/integrations/psa/connection', { accessToken, body, returns: connection })
  const success = z.object({ success: z.literal(true), message: z.string() })
  await client.api('POST', '/integrations/psa/connection/test', { accessToken, returns: success })
}

async function findTicket(client: Client, { accessToken }: Person): Promise<string> {
  const ticket = z.object({ id: z.string(), summary: z.string().startsWith('VPN'), company: z.string() })
  const returns = z.object({ items: listWithItem(ticket, 'unassigned ticket about a VPN') })
  const path = '/integrations/psa/tickets?unassigned=true&page_size=100'
  const { id } = (await client.api('GET', path, { accessToken, returns })).items
  const context = z.object({
    company: z.object({ name: z.string() }),
    contact: z.object({ name: z.string() }),
    notes: z.array(z.unknown()),
  })
  await client.api('GET', `/integrations/psa/tickets/${id}/context`, { accessToken, returns: context })
  return id
}

async function answerFirstStep(client: Client, { accessToken }: Person, ticketId: string): Promise<string> {
  const flow = listWithItem(z.object({ id: z.string(), name: z.string().includes('VPN') }), 'flow about VPNs')
  const { id: tree_id } = await client.api('GET', '/trees?search=vpn', { accessToken, returns: flow })
  const variables = { user_name: 'maya', vpn_gateway: 'vpn.contoso.example' }
  const option = listWithItem(z.object({ id: z.string(), label: z.string() }), 'option')
  const current_step = z.object({ id: z.string(), options: option })
  const session = await client.api('POST', '/sessions', {
    accessToken,
    body: { tree_id, ticket_number: ticketId, variables },
    status: 201,
    returns: z.object({ id: z.string(), state: z.literal('in_progress'), current_step }),
  })
  const { id, options } = session.current_step
  const decided = z.object({ id: z.string(), progress: z.object({ answered: z.literal(1), total: z.number() }) })
  const body = { step_id: id, option_id: options.id }
  await client.api('POST', `/sessions/${session.id}/decisions`, { accessToken, body, status: 201, returns: decided })
  return session.id
}

async function pushNoteDespiteOutage(client: Client, admin: Person, ticketId: string, sessionId: string): Promise<void> {
  const { accessToken } = admin
  client.print('  # The ticketing system is down for one request; the second attempt writes the note.')
  await setFault(client, { service: 'psa', mode: 'down', times: 1 })
  const queued = z.object({ id: z.string(), state: z.literal('queued') })
  const push = await client.api('POST', `/sessions/${sessionId}/push`, { accessToken, body: {}, status: 202, returns: queued })
  const failedOnce = listWithItem(z.object({ id: z.literal(push.id), attempts: z.literal(1) }), 'push with one attempt')
  await client.api('GET', `/integrations/psa/pushes?source_id=${sessionId}`, { accessToken, poll: true, returns: failedOnce })
  await advanceClock(client, 30)
  await waitForNote(client, admin, { ticketId, sourceId: sessionId, text: 'One person', attempts: 2 })
  await clearFaults(client)
  await resetClock(client)
}
