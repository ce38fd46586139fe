import { randomBytes } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { LocalNote, LocalPsa, LocalTicket } from './psa-data.ts'

/** HaloPSA's agent for tickets without one. */
const unassignedAgentId = 1

/**
 * Create the part of HaloPSA that the service uses. Like the vendor, it issues bearer tokens, names each list and adds its count, sends
 * notes as HTML, and omits the zone of timestamps.
 */
export function createHaloRoutes(psa: LocalPsa): Hono {
  const app = new Hono()
  const { data } = psa
  const tokens = new Set<string>()
  app.post('/auth/token', async (c) => {
    const { grant_type, client_id, client_secret } = Object.fromEntries(new URLSearchParams(await c.req.text()))
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
  app.get('/api/Status', (c) => c.json(data.statuses.map(({ id, name }) => ({ id, name }))))
  app.get('/api/Agent', (c) =>
    c.json([
      { id: unassignedAgentId, name: 'Unassigned', email: '', isdisabled: false },
      ...data.members.map(({ id, name, email, inactive }) => ({ id, name, email: email ?? '', isdisabled: inactive })),
    ]),
  )
  addTicketRoutes(app, psa)
  addActionRoutes(app, psa)
  addRecordRoutes(app, psa)
  return app
}

function addTicketRoutes(app: Hono, psa: LocalPsa): void {
  app.get('/api/Tickets', (c) => {
    const { team, agent_id, client_id, open_only, page_no = '1', page_size = '50' } = c.req.query()
    const teamIds = team?.split(',').map(Number)
    const matches = psa.data.tickets.filter(
      (ticket) =>
        (!teamIds || teamIds.includes(ticket.boardId)) &&
        (!agent_id || (ticket.memberId ?? unassignedAgentId) === Number(agent_id)) &&
        (!client_id || ticket.companyId === Number(client_id)) &&
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

function addActionRoutes(app: Hono, psa: LocalPsa): void {
  app.get('/api/Actions', (c) => {
    const ticket = psa.findTicket(Number(c.req.query('ticket_id')))
    const actions = (ticket?.notes ?? []).toReversed().slice(0, Number(c.req.query('count') ?? 50))
    return c.json({ record_count: actions.length, actions: actions.map((note) => toActionBody(ticket?.id, note)) })
  })
  app.post('/api/Actions', async (c) => {
    const [action] = await c.req.json<{ ticket_id?: number; note_html?: string; hiddenfromuser?: boolean }[]>()
    const ticket = psa.findTicket(action?.ticket_id ?? 0)
    if (!ticket) return c.json({ error: 'Ticket not found' }, 404)
    if (!action?.note_html) return c.json({ error: 'A note is required' }, 400)
    const text = action.note_html.replaceAll('<br>', '\n').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    return c.json(toActionBody(ticket.id, psa.addNote(ticket, text, action.hiddenfromuser === true)), 201)
  })
}

function addRecordRoutes(app: Hono, { data }: LocalPsa): void {
  const findById = <T extends { id: number }>(list: readonly T[], c: Context) => list.find(({ id }) => id === Number(c.req.param('id')))
  app.get('/api/Client/:id', (c) => {
    const client = findById(data.companies, c)
    if (!client || client.restricted) return c.text('', client ? 403 : 404)
    const { id, name, phone, street, city, zip } = client
    return c.json({ id, name, website: '', phonenumber: phone ?? '', main_site: { line1: street, line2: '', line3: city, postcode: zip } })
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
    })
  })
  app.get('/api/Asset', (c) => {
    const ids = data.tickets.find(({ id }) => id === Number(c.req.query('ticket_id')))?.configurationIds ?? []
    const configurations = data.configurations.filter(({ id }) => ids.includes(id)).slice(0, Number(c.req.query('page_size') ?? 50))
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
  const findName = (list: readonly { id: number; name: string }[], id: number | null) => list.find((item) => item.id === id)?.name ?? ''
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
  }
}

function toActionBody(ticketId: number | undefined, { id, text, internal, author, createdAt }: LocalNote) {
  const note_html = `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br/>')}</p>`
  return {
    id,
    ticket_id: ticketId,
    who: author,
    note: text,
    note_html,
    hiddenfromuser: internal,
    datetime: removeZone(createdAt),
    outcome: internal ? 'Private Note' : 'Public Note',
  }
}

const removeZone = (timestamp: string) => timestamp.replace('Z', '')
