import * as z from 'zod'
import type { Tour } from '#test/tour/client.ts'
import { advanceClock, clearFaults, resetClock, setFault } from '#test/tour/dashboard.ts'
import { listWithItem } from '#test/tour/expectations.ts'
import { waitForNote } from '#test/tour/notes.ts'
import type { Person } from '#test/tour/person.ts'

/** Connect the ticketing system, run a flow on a ticket and push the note. Return the ticket's id. */
export async function runFlowOnTicket(tour: Tour, admin: Person): Promise<string> {
  await connectTicketing(tour, admin)
  const ticketId = await findTicket(tour, admin)
  await takeTicket(tour, admin, ticketId)
  const sessionId = await answerFirstStep(tour, admin, ticketId)
  await searchForTicket(tour, admin, { ticketId, sessionId })
  await runSubflow(tour, admin, ticketId)
  await pushNoteDespiteOutage(tour, admin, ticketId, sessionId)
  const pdf = z
    .string()
    .startsWith('%PDF-')
    .transform((text) => `${text.slice(0, 8)} …`)
  const file = { session_id: sessionId, format: 'pdf', mask: true } as const
  await tour.call(() => admin.client.sessions.exports.export(file), { returns: pdf })
  return ticketId
}

async function connectTicketing(tour: Tour, { client }: Person): Promise<void> {
  const credentials = { company_id: 'demo', public_key: 'demo', private_key: 'demo', client_id: 'demo' }
  const body = {
    provider: 'connectwise' as const,
    base_url: `${tour.addresses.dashboard}/psa`,
    ...credentials,
  }
  const connection = z.object({
    id: z.string(),
    provider: z.literal('connectwise'),
    is_active: z.literal(true),
  })
  await tour.call(() => client.psa.connection.put(body), { returns: connection })
  const success = z.object({ success: z.literal(true), message: z.string() })
  await tour.call(() => client.psa.connection.test(), { returns: success })
}

async function findTicket(tour: Tour, { client }: Person): Promise<string> {
  const ticket = z.object({ id: z.string(), summary: z.string().startsWith('VPN'), company: z.string() })
  const returns = z.object({ items: listWithItem(ticket, 'unassigned ticket about a VPN') })
  const { id } = (
    await tour.call(() => client.psa.tickets.search({ text: 'vpn', unassigned: true, page_size: 100 }), {
      returns,
    })
  ).items
  const context = z.object({
    // Null for a record that the ticketing system has deleted, to which a later tour may come.
    company: z.object({ name: z.string() }).nullable(),
    contact: z.object({ name: z.string() }).nullable(),
    notes: z.array(z.unknown()),
  })
  await tour.call(() => client.psa.tickets.getContext({ ticket_id: id }), { returns: context })
  return id
}

/** Assign the ticket, set it to “In Progress”, and tell the client. */
async function takeTicket(tour: Tour, { client, id }: Person, ticketId: string): Promise<void> {
  const { psa } = client
  const board_id = z.string()
  const context = await tour.call(() => psa.tickets.getContext({ ticket_id: ticketId }), {
    returns: z.object({ ticket: z.object({ board_id }) }),
  })
  const inProgress = listWithItem(z.object({ id: z.string(), name: z.literal('In Progress') }), 'status')
  const status = await tour.call(() => psa.tickets.listStatuses({ board_id: context.ticket.board_id }), {
    returns: inProgress,
  })
  const mapping = z.object({ psa_member_id: z.literal('177') })
  await tour.call(() => psa.members.putMapping({ user_id: id, psa_member_id: '177' }), { returns: mapping })
  const changed = z.object({ status: z.literal('In Progress'), owner: z.literal('Lina Haddad') })
  await tour.call(() => psa.tickets.update({ ticket_id: ticketId, status_id: status.id, member_id: 'me' }), {
    returns: changed,
  })
  const note = { ticket_id: ticketId, text: 'We are looking into it.', visibility: 'client' } as const
  await tour.call(() => psa.pushes.createNote(note), {
    returns: z.object({ state: z.literal('queued'), visibility: z.literal('client') }),
  })
}

async function answerFirstStep(tour: Tour, { client }: Person, ticketId: string): Promise<string> {
  const flow = listWithItem(z.object({ id: z.string(), name: z.string().includes('VPN') }), 'flow about VPNs')
  const { id: tree_id } = await tour.call(() => client.flows.trees.list({ search: 'vpn' }), { returns: flow })
  const variables = { user_name: 'maya', vpn_gateway: 'vpn.contoso.example' }
  const option = listWithItem(z.object({ id: z.string(), label: z.string() }), 'option')
  const current_step = z.object({ id: z.string(), options: option })
  const session = await tour.call(
    () => client.sessions.start({ tree_id, ticket_number: ticketId, variables }),
    {
      returns: z.object({ id: z.string(), state: z.literal('in_progress'), current_step }),
    },
  )
  const { id, options } = session.current_step
  const decided = z.object({
    id: z.string(),
    progress: z.object({ answered: z.literal(1), total: z.number() }),
  })
  const decision = { session_id: session.id, step_id: id, option_id: options.id }
  await tour.call(() => client.sessions.steps.recordDecision(decision), { returns: decided })
  return session.id
}

/** Find the session by the number of its ticket, and the flow by the start of a word. */
async function searchForTicket(
  tour: Tour,
  { client }: Person,
  { ticketId, sessionId }: Record<'ticketId' | 'sessionId', string>,
): Promise<void> {
  const earlier = z.object({
    type: z.literal('session'),
    id: z.literal(sessionId),
    ticket_number: z.literal(ticketId),
  })
  const returnsSession = z.object({ results: listWithItem(earlier, 'session of the ticket') })
  await tour.call(() => client.search.find({ q: ticketId }), { returns: returnsSession })
  const mark = z.object({ start: z.number(), end: z.number() })
  const title = z.object({ text: z.string().includes('VPN'), marks: z.array(mark).min(1) })
  const flow = z.object({ type: z.literal('flow'), title })
  await tour.call(() => client.search.find({ q: 'vpn conn' }), {
    returns: z.object({ results: listWithItem(flow, 'flow about VPNs') }),
  })
}

/** Publish a checklist that runs the flow about VPNs, run it, and let the sub-flow answer its step. */
async function runSubflow(tour: Tour, { client }: Person, ticketId: string): Promise<void> {
  const flow = listWithItem(z.object({ id: z.string(), name: z.string().includes('VPN') }), 'flow about VPNs')
  const { id: vpnFlow } = await tour.call(() => client.flows.trees.list({ search: 'vpn' }), { returns: flow })
  const inputs = { user_name: '{{user_name}}', vpn_gateway: '{{gateway}}' }
  const steps = [
    {
      id: 'vpn',
      type: 'procedure_step' as const,
      title: 'Check the VPN',
      description: '',
      subflow: { tree_id: vpnFlow, inputs },
    },
    { id: 'call', type: 'procedure_step' as const, title: 'Call {{user_name}} back', description: '' },
    { id: 'end', type: 'procedure_end' as const, title: 'Done', description: '' },
  ]
  const checklist = {
    tree_type: 'procedural' as const,
    name: 'Remote worker cannot connect',
    tree_structure: { steps },
  }
  const { id: tree_id } = await tour.call(() => client.flows.trees.create(checklist), {
    returns: z.object({ id: z.string() }),
  })
  const variables = { user_name: 'maya', gateway: 'vpn.contoso.example' }
  const waiting = z.object({ id: z.string(), current_step_id: z.literal('vpn') })
  const { id: session_id } = await tour.call(
    () => client.sessions.start({ tree_id, ticket_number: ticketId, variables }),
    {
      returns: waiting,
    },
  )
  const started = z.object({
    id: z.string(),
    parent_session_id: z.literal(session_id),
    ticket_number: z.literal(ticketId),
  })
  const subflow = await tour.call(() => client.sessions.subflows.start({ session_id }), { returns: started })
  const completion = {
    session_id: subflow.id,
    outcome: 'resolved' as const,
    notes: 'The certificate had expired.',
  }
  await tour.call(() => client.sessions.steps.complete(completion), {
    returns: z.object({ state: z.literal('completed') }),
  })
  const answered = z.object({
    current_step_id: z.literal('call'),
    decisions: z.tuple([z.object({ outcome: z.literal('done') })]),
  })
  await tour.call(() => client.sessions.get({ session_id }), { returns: answered })
  const finding = listWithItem(
    z.object({ reason: z.literal('not_enough_sessions'), message: z.string() }),
    'finding about few sessions',
  )
  await tour.call(() => client.flows.health.get({ tree_id }), {
    returns: z.object({ sessions: z.literal(1), findings: finding }),
  })
}

async function pushNoteDespiteOutage(
  tour: Tour,
  admin: Person,
  ticketId: string,
  sessionId: string,
): Promise<void> {
  const { pushes } = admin.client.psa
  // Not `down`: workerd repeats a GET whose connection was lost.
  tour.print('  # The ticketing system fails for one request; the second attempt writes the note.')
  await setFault(tour, { service: 'psa', mode: 'error', times: 1 })
  const queued = z.object({ id: z.string(), state: z.literal('queued') })
  const push = await tour.call(() => pushes.createForSession({ session_id: sessionId }), { returns: queued })
  const failedOnce = listWithItem(
    z.object({ id: z.literal(push.id), attempts: z.literal(1) }),
    'push with one attempt',
  )
  await tour.call(() => pushes.list({ source_id: sessionId }), { poll: true, returns: failedOnce })
  await advanceClock(tour, 30)
  await waitForNote(tour, admin, { ticketId, sourceId: sessionId, text: 'One person', attempts: 2 })
  await clearFaults(tour)
  await resetClock(tour)
}
