import { randomBytes } from 'node:crypto'
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import type { LocalNote, LocalPsa, LocalTicket, LocalTimeEntry } from './psa-data.ts'

/** HaloPSA's agent for tickets without one. */
const unassignedAgentId = 1

/**
 * Create the part of HaloPSA that the service uses. Like the vendor, it issues bearer tokens, names each list
 * and adds its count, sends notes as HTML, and omits the zone of timestamps.
 */
export function createHaloRoutes(psa: LocalPsa): Hono {
  const app = new Hono()
  const { data } = psa
  const tokens = new Set<string>()
  // As at some customers, the authorisation server may have an address of its own.
  app.on('POST', ['/auth/token', '/authorisation-server/token'], async (c) => {
    const { grant_type, client_id, client_secret } = Object.fromEntries(
      new URLSearchParams(await c.req.text()),
    )
    if (grant_type !== 'client_credentials' || client_id !== 'demo' || client_secret !== 'demo')
      return c.json({ error: 'invalid_client' }, 400)
    const token = randomBytes(24).toString('base64url')
    tokens.add(token)
    return c.json({ access_token: token, token_type: 'Bearer', expires_in: 3600, scope: 'all' })
  })
  app.use('/api/*', async (c, next) => {
    if (!tokens.has(c.req.header('authorization')?.replace('Bearer ', '') ?? '')) return c.text('', 401)
    await next()
    return undefined
  })
  app.get('/api/Team', (c) => c.json(data.boards.map(({ id, name, inactive }) => ({ id, name, inactive }))))
  app.get('/api/Status', (c) =>
    c.json(data.statuses.filter(({ inactive }) => !inactive).map(({ id, name }) => ({ id, name }))),
  )
  app.get('/api/Agent', (c) =>
    c.json([
      { id: unassignedAgentId, name: 'Unassigned', email: '', isdisabled: false },
      ...data.members.map(({ id, name, email, inactive }) => ({
        id,
        name,
        email: email ?? '',
        isdisabled: inactive,
      })),
    ]),
  )
  addTicketRoutes(app, psa)
  addTicketWrites(app, psa)
  addActionRoutes(app, psa)
  addOneActionRoutes(app, psa)
  addRecordRoutes(app, psa)
  return app
}

function addTicketRoutes(app: Hono, psa: LocalPsa): void {
  app.get('/api/Tickets', (c) => {
    const {
      team,
      agent_id,
      client_id,
      open_only,
      search = '',
      third_party_id_string,
      page_no = '1',
      page_size = '50',
    } = c.req.query()
    const words = search.toLowerCase().split(' ')
    const teamIds = team?.split(',').map(Number)
    const matches = psa.data.tickets.filter(
      (ticket) =>
        (!teamIds || teamIds.includes(ticket.boardId)) &&
        (!agent_id || (ticket.memberId ?? unassignedAgentId) === Number(agent_id)) &&
        (!client_id || ticket.companyId === Number(client_id)) &&
        (!third_party_id_string || ticket.reference === third_party_id_string) &&
        words.every((word) => `${ticket.id} ${ticket.summary}`.toLowerCase().includes(word)) &&
        !(open_only === 'true' && ticket.closed),
    )
    const sorted = matches.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt) || b.id - a.id)
    const from = (Number(page_no) - 1) * Number(page_size)
    return c.json({
      record_count: matches.length,
      tickets: sorted.slice(from, from + Number(page_size)).map((ticket) => toTicketBody(psa, ticket)),
    })
  })
  app.get('/api/Tickets/:id', (c) => {
    const ticket = psa.findTicket(Number(c.req.param('id')))
    return ticket ? c.json({ ...toTicketBody(psa, ticket), details: ticket.description }) : c.text('', 404)
  })
}

const TicketInput = z.object({
  id: z.int().optional(),
  summary: z.string().optional(),
  details_html: z.string().optional(),
  client_id: z.int().optional(),
  user_id: z.int().optional(),
  team_id: z.int().optional(),
  status_id: z.int().optional(),
  agent_id: z.int().optional(),
  third_party_id_string: z.string().optional(),
})

/** Add the route that creates tickets and, with an id, changes them. Its body is a list. */
function addTicketWrites(app: Hono, psa: LocalPsa): void {
  app.post('/api/Tickets', async (c) => {
    const { data: inputs } = z.tuple([TicketInput]).safeParse(await c.req.json())
    if (!inputs) return c.json({ error: 'The body is a list of tickets' }, 400)
    const [input] = inputs
    if (input.id === undefined) return createTicket(c, psa, input)
    const ticket = psa.findTicket(input.id)
    if (!ticket) return c.json({ error: 'Ticket not found' }, 404)
    const { status_id, team_id, agent_id } = input
    const refusal = psa.changeTicket(ticket, {
      ...(status_id === undefined ? {} : { statusId: status_id }),
      ...(team_id === undefined ? {} : { boardId: team_id }),
      ...(agent_id === undefined ? {} : { memberId: agent_id === unassignedAgentId ? null : agent_id }),
    })
    return refusal ? c.json({ error: refusal }, 400) : c.json(toTicketBody(psa, ticket), 201)
  })
}

function createTicket(c: Context, psa: LocalPsa, input: z.output<typeof TicketInput>): Response {
  const {
    summary,
    details_html = '',
    client_id: companyId,
    user_id = null,
    team_id = 1,
    third_party_id_string: reference,
  } = input
  if (!summary || !psa.data.companies.some(({ id }) => id === companyId))
    return c.json({ error: 'Please select a client and a summary' }, 400)
  const optional = reference === undefined ? {} : { reference }
  const ids = { companyId: companyId as number, contactId: user_id, boardId: team_id }
  return c.json(
    toTicketBody(
      psa,
      psa.createTicket({ summary, description: htmlToText(details_html), ...ids, ...optional }),
    ),
    201,
  )
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
const htmlToText = (html: string) =>
  html.replaceAll('<br>', '\n').replace(/&(#?\w+);/g, (entity, name) => entities[name] ?? entity)

interface ActionInput {
  ticket_id?: number
  outcome?: string
  note_html?: string
  hiddenfromuser?: boolean
  who_agentid?: number
  timetaken?: number
  actionarrivaldate?: string
  sendemail?: boolean
  emailto?: string
}

/** Return the time that an action records, or undefined. */
function toTimeEntry({
  who_agentid: memberId,
  timetaken: hours,
  actionarrivaldate: startedAt,
}: ActionInput): LocalTimeEntry | undefined {
  if (memberId === undefined || hours === undefined || startedAt === undefined) return undefined
  return { memberId, hours, startedAt, internalNotes: '' }
}

function addActionRoutes(app: Hono, psa: LocalPsa): void {
  app.get('/api/Actions', (c) => {
    const ticket = psa.findTicket(Number(c.req.query('ticket_id')))
    const actions = (ticket?.notes ?? []).toReversed().slice(0, Number(c.req.query('count') ?? 50))
    return c.json({
      record_count: actions.length,
      actions: actions.map((note) => toActionBody(ticket?.id, note)),
    })
  })
  app.post('/api/Actions', async (c) => {
    const [action] = await c.req.json<ActionInput[]>()
    const ticket = psa.findTicket(action?.ticket_id ?? 0)
    if (!ticket) return c.json({ error: 'Ticket not found' }, 404)
    if (!action?.note_html) return c.json({ error: 'A note is required' }, 400)
    if (action.sendemail && !action.emailto) return c.json({ error: 'A recipient is required' }, 400)
    const note = psa.addNote(
      ticket,
      htmlToText(action.note_html),
      action.hiddenfromuser === true,
      toTimeEntry(action),
    )
    if (action.outcome !== undefined) note.outcome = action.outcome
    return c.json(toActionBody(ticket.id, note), 201)
  })
}

/**
 * Add the routes of one action, of the ticket in the query
 * (https://www.powershellgallery.com/packages/HaloAPI/1.23.2/Content/Remove%5CRemove-HaloAction.ps1). That
 * HaloPSA refuses to delete an action with an invoice is an assumption.
 */
function addOneActionRoutes(app: Hono, psa: LocalPsa): void {
  app.get('/api/Actions/:id', (c) => {
    const ticket = psa.findTicket(Number(c.req.query('ticket_id')))
    const note = ticket?.notes.find(({ id }) => id === Number(c.req.param('id')))
    if (!note) return c.text('', 404)
    const invoice = note.timeEntry?.isBilled ? { actioninvoicenumber: 'INV-0071' } : {}
    return c.json({ ...toActionBody(ticket?.id, note), ...invoice })
  })
  app.delete('/api/Actions/:id', (c) => {
    const ticket = psa.findTicket(Number(c.req.query('ticket_id')))
    const refusal = ticket ? psa.deleteNote(ticket, Number(c.req.param('id'))) : 'missing'
    if (refusal === 'missing') return c.text('', 404)
    return refusal ? c.json({ error: 'The action is on an invoice' }, 400) : c.body(null, 204)
  })
}

function addRecordRoutes(app: Hono, { data }: LocalPsa): void {
  const findById = <T extends { id: number }>(list: readonly T[], c: Context) =>
    list.find(({ id }) => id === Number(c.req.param('id')))
  app.get('/api/Client', (c) => {
    const words = (c.req.query('search') ?? '').toLowerCase().split(' ')
    const clients = data.companies.filter(({ name }) =>
      words.every((word) => name.toLowerCase().includes(word)),
    )
    return c.json({ record_count: clients.length, clients: clients.map(({ id, name }) => ({ id, name })) })
  })
  app.get('/api/Client/:id', (c) => {
    const client = findById(data.companies, c)
    if (!client || client.restricted) return c.text('', client ? 403 : 404)
    const { id, name, phone, street, city, zip } = client
    return c.json({
      id,
      name,
      website: '',
      phonenumber: phone ?? '',
      main_site: { line1: street, line2: '', line3: city, postcode: zip },
    })
  })
  app.get('/api/Users/:id', (c) => {
    const contact = findById(data.contacts, c)
    if (!contact) return c.text('', 404)
    return c.json({
      id: contact.id,
      name: contact.name,
      jobtitle: contact.title ?? '',
      emailaddress: contact.email,
      phonenumber: contact.phone ?? '',
      neversendemails: contact.neverMailed,
    })
  })
  app.get('/api/Asset', (c) => {
    const ids = data.tickets.find(({ id }) => id === Number(c.req.query('ticket_id')))?.configurationIds ?? []
    const configurations = data.configurations
      .filter(({ id }) => ids.includes(id))
      .slice(0, Number(c.req.query('page_size') ?? 50))
    const assets = configurations.map(({ id, name, type, maker, model, serial, os, ip }) => ({
      id,
      inventory_number: `A${id}`,
      key_field: name,
      assettype_name: type,
      manufacturer_name: maker,
      model,
      serial_number: serial,
      os: os ?? '',
      ip_address: ip ?? '',
    }))
    return c.json({ record_count: assets.length, assets })
  })
}

function toTicketBody({ data }: LocalPsa, ticket: LocalTicket) {
  const findName = (list: readonly { id: number; name: string }[], id: number | null) =>
    list.find((item) => item.id === id)?.name ?? ''
  return {
    id: ticket.id,
    summary: ticket.summary,
    team_id: ticket.boardId,
    team: findName(data.boards, ticket.boardId),
    status_id: ticket.statusId,
    client_id: ticket.companyId,
    client_name: findName(data.companies, ticket.companyId),
    priority: { name: findName(data.priorities, ticket.priorityId) },
    user_id: ticket.contactId ?? 0,
    user_name: findName(data.contacts, ticket.contactId),
    agent_id: ticket.memberId ?? unassignedAgentId,
    agent_name: findName(data.members, ticket.memberId) || 'Unassigned',
    dateoccurred: removeZone(ticket.createdAt),
    lastactiondate: removeZone(ticket.updatedAt),
    hasbeenclosed: ticket.closed,
    ...toDetailFields(data, ticket),
    merged_into_id: ticket.mergedInto ?? 0,
    ...(ticket.reference ? { third_party_id_string: ticket.reference } : {}),
    ...(ticket.type ? { tickettype_name: ticket.type } : {}),
  }
}

function toDetailFields({ members }: LocalPsa['data'], { details, memberId }: LocalTicket) {
  const others = members.filter(({ id }) => memberId !== null && details.otherMemberIds.includes(id))
  return {
    category_1: details.subType,
    category_2: details.item,
    sla_id: 1,
    sla_name: details.sla,
    excludefromsla: false,
    slatimeleft: details.isInSla ? 4 : -2,
    fixbydate: removeZone(details.resolveBy),
    deadlinedate: details.requiredBy === null ? '0001-01-01T00:00:00' : removeZone(details.requiredBy),
    urgency: details.severity,
    impact: details.impact,
    site_id: 9,
    site_name: details.site,
    additional_agents: others.map(({ id, name }) => ({ agent_id: id, agent_name: name })),
    customfields: details.customFields.map(({ name, value }, index) => ({
      id: index + 101,
      name: `CF${name.replaceAll(' ', '')}`,
      label: name,
      ...(typeof value === 'boolean'
        ? { value: value ? 1 : 0, display: value ? 'Yes' : 'No' }
        : { value: value ?? '' }),
    })),
  }
}

function toActionBody(
  ticketId: number | undefined,
  { id, text, internal, author, createdAt, timeEntry, outcome }: LocalNote,
) {
  const note_html = `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br/>')}</p>`
  return {
    id,
    ticket_id: ticketId,
    who: author,
    note: text,
    note_html,
    hiddenfromuser: internal,
    datetime: removeZone(createdAt),
    ...(timeEntry
      ? {
          timetaken: timeEntry.hours,
          who_agentid: timeEntry.memberId,
          actionarrivaldate: timeEntry.startedAt,
        }
      : {}),
    outcome: outcome ?? (internal ? 'Private Note' : 'Public Note'),
  }
}

const removeZone = (timestamp: string) => timestamp.replace('Z', '')
