import { randomBytes } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { LocalNote, LocalPsa, LocalTicket } from './psa-company.ts'

const nobody = 1

/** HaloPSA as far as it is asked here: bearer tokens, lists under their own names with a count, HTML, times without a zone. */
export function haloRoutes(psa: LocalPsa): Hono {
  const app = new Hono()
  const { company } = psa
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
  app.get('/api/Team', (c) => c.json(company.boards.map(({ id, name, inactive }) => ({ id, name, inactive }))))
  app.get('/api/Status', (c) => c.json(company.statuses.map(({ id, name }) => ({ id, name }))))
  app.get('/api/Agent', (c) =>
    c.json([
      { id: nobody, name: 'Unassigned', email: '', isdisabled: false },
      ...company.members.map(({ id, name, email, inactive }) => ({ id, name, email: email ?? '', isdisabled: inactive })),
    ]),
  )
  ticketRoutes(app, psa)
  actionRoutes(app, psa)
  recordRoutes(app, psa)
  return app
}

function ticketRoutes(app: Hono, psa: LocalPsa): void {
  app.get('/api/Tickets', (c) => {
    const { team, agent_id, client_id, open_only, page_no = '1', page_size = '50' } = c.req.query()
    const teams = team?.split(',').map(Number)
    const found = psa.company.tickets.filter(
      (ticket) =>
        (!teams || teams.includes(ticket.boardId)) &&
        (!agent_id || (ticket.memberId ?? nobody) === Number(agent_id)) &&
        (!client_id || ticket.companyId === Number(client_id)) &&
        !(open_only === 'true' && ticket.closed),
    )
    const sorted = found.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt) || b.id - a.id)
    const from = (Number(page_no) - 1) * Number(page_size)
    return c.json({
      record_count: found.length,
      tickets: sorted.slice(from, from + Number(page_size)).map((ticket) => ticketBody(psa, ticket)),
    })
  })
  app.get('/api/Tickets/:id', (c) => {
    const ticket = psa.ticket(Number(c.req.param('id')))
    return ticket ? c.json({ ...ticketBody(psa, ticket), details: ticket.description }) : c.text('', 404)
  })
}

function actionRoutes(app: Hono, psa: LocalPsa): void {
  app.get('/api/Actions', (c) => {
    const ticket = psa.ticket(Number(c.req.query('ticket_id')))
    const actions = (ticket?.notes ?? []).toReversed().slice(0, Number(c.req.query('count') ?? 50))
    return c.json({ record_count: actions.length, actions: actions.map((note) => actionBody(ticket?.id, note)) })
  })
  app.post('/api/Actions', async (c) => {
    const [given] = await c.req.json<{ ticket_id?: number; note_html?: string; hiddenfromuser?: boolean }[]>()
    const ticket = psa.ticket(given?.ticket_id ?? 0)
    if (!ticket) return c.json({ error: 'Ticket not found' }, 404)
    if (!given?.note_html) return c.json({ error: 'A note is required' }, 400)
    const text = given.note_html.replaceAll('<br>', '\n').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
    return c.json(actionBody(ticket.id, psa.write(ticket, text, given.hiddenfromuser === true)), 201)
  })
}

function recordRoutes(app: Hono, { company }: LocalPsa): void {
  const by = <T extends { id: number }>(list: readonly T[], c: Context) => list.find(({ id }) => id === Number(c.req.param('id')))
  app.get('/api/Client/:id', (c) => {
    const found = by(company.companies, c)
    if (!found || found.restricted) return c.text('', found ? 403 : 404)
    const { id, name, phone, street, city, zip } = found
    return c.json({ id, name, website: '', phonenumber: phone ?? '', main_site: { line1: street, line2: '', line3: city, postcode: zip } })
  })
  app.get('/api/Users/:id', (c) => {
    const found = by(company.contacts, c)
    if (!found) return c.text('', 404)
    return c.json({
      id: found.id,
      name: found.name,
      jobtitle: found.title ?? '',
      emailaddress: found.email,
      phonenumber: found.phone ?? '',
    })
  })
  app.get('/api/Asset', (c) => {
    const ids = company.tickets.find(({ id }) => id === Number(c.req.query('ticket_id')))?.configurationIds ?? []
    const assets = company.configurations.filter(({ id }) => ids.includes(id)).slice(0, Number(c.req.query('page_size') ?? 50))
    const shown = assets.map(({ id, name, type, maker, model, serial, os, ip }) => ({
      ...{ id, inventory_number: `A${id}`, key_field: name, assettype_name: type, manufacturer_name: maker },
      ...{ model, serial_number: serial, os: os ?? '', ip_address: ip ?? '' },
    }))
    return c.json({ record_count: assets.length, assets: shown })
  })
}

function ticketBody({ company }: LocalPsa, ticket: LocalTicket) {
  const name = (list: readonly { id: number; name: string }[], id: number | null) => list.find((one) => one.id === id)?.name ?? ''
  return {
    ...{
      id: ticket.id,
      summary: ticket.summary,
      team_id: ticket.boardId,
      team: name(company.boards, ticket.boardId),
      status_id: ticket.statusId,
    },
    ...{
      client_id: ticket.companyId,
      client_name: name(company.companies, ticket.companyId),
      priority: { name: name(company.priorities, ticket.priorityId) },
    },
    ...{ user_id: ticket.contactId ?? 0, user_name: name(company.contacts, ticket.contactId) },
    ...{ agent_id: ticket.memberId ?? nobody, agent_name: name(company.members, ticket.memberId) || 'Unassigned' },
    ...{ dateoccurred: zoneless(ticket.createdAt), lastactiondate: zoneless(ticket.updatedAt), hasbeenclosed: ticket.closed },
  }
}

function actionBody(ticketId: number | undefined, { id, text, internal, author, at }: LocalNote) {
  const note_html = `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br/>')}</p>`
  return {
    id,
    ticket_id: ticketId,
    who: author,
    note: text,
    note_html,
    hiddenfromuser: internal,
    datetime: zoneless(at),
    outcome: internal ? 'Private Note' : 'Public Note',
  }
}

const zoneless = (at: string) => at.replace('Z', '')
