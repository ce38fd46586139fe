import { z } from 'zod'
import { gather } from './gather.ts'
import type { PsaHttp } from './http.ts'
import { type NewNote, type PsaConnection, PsaError, type PsaPort, type TicketSearch } from './psa.ts'
import { flag, id, joined, newestFirst, optionalId, read, readList, text, time } from './wire.ts'

type Connection = Extract<PsaConnection, { provider: 'halopsa' }>
type Query = Record<string, string | number>
type Get = (path: string, query?: Query) => Promise<unknown>

const mostNotes = 50
const mostRelated = 10
const mostAssets = 10
// Tickets that nobody has belong to an agent of this id, who is nobody.
const nobody = '1'

// Tokens by all that earns one, so that nobody is served with what another's secret bought. They live as long as the isolate does.
const tokens = new Map<string, { token: string; expiresAt: number }>()

/** HaloPSA over its REST API: a bearer token by client credentials, lists under their own names with a count, notes as HTML. */
export function halopsa(connection: Connection, http: PsaHttp): PsaPort {
  const root = connection.baseUrl.replace(/\/+$/, '')
  const call = async (path: string, query: Query, body?: object): Promise<unknown> => {
    const send = async () =>
      http({
        url: `${root}/api${path}?${search(query)}`,
        headers: { authorization: `Bearer ${await tokenOf(connection, root, http)}`, 'content-type': 'application/json' },
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
      })
    const keptToken = tokens.has(keyOf(connection))
    return send().catch((error: unknown) => {
      // A token may be taken back before its time; only one that was kept earns a second try.
      if (!keptToken || !(error instanceof PsaError) || error.status !== 401) throw error
      tokens.delete(keyOf(connection))
      return send()
    })
  }
  const get: Get = (path, query = {}) => call(path, query)
  return {
    check: async () => void readList(z.unknown(), await get('/Team')),
    boards: async () => readList(Team, await get('/Team')).flatMap(({ inactive, ...team }) => (inactive ? [] : [team])),
    members: async () =>
      readList(Agent, await get('/Agent')).flatMap(({ isdisabled, ...agent }) => (isdisabled || agent.id === nobody ? [] : [agent])),
    searchTickets: (given) => searchTickets(get, given),
    ticketContext: (ticketId) => ticketContext(get, ticketId),
    addNote: async (ticketId, note) => actionId(await call('/Actions', {}, [noteBody(ticketId, note)])),
    async findNote(ticketId, marker) {
      const { actions } = read(ActionList, await get('/Actions', { ticket_id: ticketId, excludesys: 'true', count: 1000 }))
      return readList(Action, actions).find((note) => note.text.includes(marker))?.id ?? null
    },
  }
}

function keyOf({ baseUrl, identity, secrets }: Connection): string {
  return JSON.stringify([baseUrl, identity.client_id, identity.tenant, secrets.client_secret])
}

const Token = z.object({ access_token: z.string().min(1), expires_in: z.number().catch(600) })

async function tokenOf(connection: Connection, root: string, http: PsaHttp): Promise<string> {
  const key = keyOf(connection)
  const kept = tokens.get(key)
  if (kept && kept.expiresAt > Date.now()) return kept.token
  const { client_id, tenant } = connection.identity
  const form = { grant_type: 'client_credentials', client_id, client_secret: connection.secrets.client_secret, scope: 'all' }
  const answer = await http({
    method: 'POST',
    url: `${root}/auth/token${tenant ? `?${search({ tenant })}` : ''}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: search(form),
  }).catch((error: unknown) => {
    // OAuth refuses a client with 400 as well as with 401.
    if (error instanceof PsaError && error.status === 400)
      throw new PsaError('auth', 'The ticketing system refused the credentials', { status: 400 })
    throw error
  })
  const { access_token: token, expires_in } = read(Token, answer)
  if (tokens.size >= 500) tokens.clear()
  tokens.set(key, { token, expiresAt: Date.now() + Math.max(0, expires_in - 60) * 1000 })
  return token
}

async function searchTickets(get: Get, { boardIds, assignedTo, unassigned, page, pageSize }: TicketSearch) {
  const agent = assignedTo?.id ?? (unassigned ? nobody : null)
  const query = {
    ...{ pageinate: 'true', page_no: page, page_size: pageSize, open_only: 'true', order: 'lastactiondate', orderdesc: 'true' },
    ...(boardIds.length > 0 ? { team: boardIds.join(',') } : {}),
    ...(agent ? { agent_id: agent } : {}),
  }
  const [answer, statuses] = await Promise.all([get('/Tickets', query), statusNames(get)])
  const { tickets, record_count } = read(TicketList, answer)
  return { items: readList(TicketWire, tickets).map(ticketItem(statuses)), hasMore: page * pageSize < record_count }
}

async function ticketContext(get: Get, ticketId: string) {
  const [answer, statuses] = await Promise.all([get(`/Tickets/${ticketId}`, { includedetails: 'true' }), statusNames(get)])
  const ticket = fullTicket(read(TicketWire, answer), statuses)
  const { company_id, contact_id } = ticket
  const actions = { ticket_id: ticketId, excludesys: 'true', count: mostNotes }
  const others = { pageinate: 'true', page_no: 1, page_size: mostRelated + 1, order: 'lastactiondate', orderdesc: 'true' }
  return gather(ticket, {
    company: async () => (company_id ? client(read(ClientWire, await get(`/Client/${company_id}`, { includedetails: 'true' }))) : null),
    contact: async () => (contact_id ? read(UserWire, await get(`/Users/${contact_id}`, { includedetails: 'true' })) : null),
    configurations: async () =>
      readList(
        Asset,
        read(AssetList, await get('/Asset', { ticket_id: ticketId, pageinate: 'true', page_no: 1, page_size: mostAssets })).assets,
      ),
    notes: async () => newestFirst(readList(Action, read(ActionList, await get('/Actions', actions)).actions)),
    related_tickets: async () => (company_id ? await related(get, company_id, ticketId, others, statuses) : []),
  })
}

async function related(get: Get, companyId: string, ticketId: string, query: Query, statuses: Statuses) {
  const { tickets } = read(TicketList, await get('/Tickets', { ...query, client_id: companyId }))
  const others = readList(TicketWire, tickets).filter((ticket) => ticket.id !== ticketId)
  return others.slice(0, mostRelated).map(ticketItem(statuses))
}

type Statuses = ReadonlyMap<string, string | null>

/** Tickets name their status by its id; without the list of names they have none. */
async function statusNames(get: Get): Promise<Statuses> {
  const answer = await get('/Status').catch((error: unknown) => (error instanceof PsaError ? [] : Promise.reject(error)))
  return new Map(readList(z.object({ id, name: text }), answer).map((status) => [status.id, status.name]))
}

function noteBody(ticketId: string, { text, internal, marker }: NewNote) {
  const note_html = `${text}\n\n${marker}`.split('\n').map(escaped).join('<br>')
  return {
    ticket_id: Number(ticketId),
    outcome: internal ? 'Private Note' : 'Public Note',
    note_html,
    hiddenfromuser: internal,
    sendemail: false,
  }
}

const escaped = (line: string) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" }
/** What a note of HTML says: its lines, without its markup. */
function plain(html: string): string {
  const lines = html.replace(/<br\s*\/?>|<\/(p|div|li|tr)>/gi, '\n').replace(/<[^>]*>/g, '')
  return lines.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => named[name] ?? '').trim()
}

/** The answer is the action, or a list of it. */
function actionId(answer: unknown): string {
  return read(z.object({ id }), Array.isArray(answer) ? answer[0] : answer).id
}

const list = z.array(z.unknown()).catch([])
const TicketList = z.object({ tickets: list, record_count: z.int() })
const ActionList = z.object({ actions: list })
const AssetList = z.object({ assets: list })
const Team = z.object({ id, name: text, inactive: flag }).transform((team) => ({ ...team, name: team.name ?? `Team ${team.id}` }))
const Agent = z
  .object({ id, name: text, email: text, isdisabled: flag })
  .transform(({ name, email, ...agent }) => ({ ...agent, identifier: email ?? name ?? agent.id, name: name ?? agent.id, email }))

const TicketWire = z.object({
  ...{
    id,
    summary: text,
    details: text,
    team: text,
    team_id: optionalId,
    client_id: optionalId,
    client_name: text,
    user_id: optionalId,
    user_name: text,
  },
  ...{ agent_id: optionalId, agent_name: text, tickettype_name: text, dateoccurred: time, lastactiondate: time, hasbeenclosed: flag },
  status_id: optionalId,
  priority: z.object({ name: text }).nullish().catch(null),
})
const ticketItem = (statuses: Statuses) => (wire: z.output<typeof TicketWire>) => ({
  id: wire.id,
  summary: wire.summary ?? '',
  board: wire.team,
  status: statuses.get(wire.status_id ?? '') ?? null,
  priority: wire.priority?.name ?? null,
  company: wire.client_name,
  contact: wire.user_name,
  owner: wire.agent_id === nobody ? null : wire.agent_name,
  updated_at: wire.lastactiondate,
})
function fullTicket(wire: z.output<typeof TicketWire>, statuses: Statuses) {
  return {
    ...ticketItem(statuses)(wire),
    board_id: wire.team_id,
    company_id: wire.client_id,
    contact_id: wire.user_id,
    type: wire.tickettype_name,
    description: wire.details,
    is_closed: wire.hasbeenclosed,
    created_at: wire.dateoccurred,
  }
}

const ClientWire = z.object({
  ...{ id, name: text, website: text, phonenumber: text },
  main_site: z.object({ line1: text, line2: text, line3: text, postcode: text }).nullish().catch(null),
})
function client({ id, name, website, phonenumber: phone, main_site: at }: z.output<typeof ClientWire>) {
  const address = at ? joined(at.line1, at.line2, at.line3, at.postcode) : null
  return { id, name: name ?? `Client ${id}`, phone, address, website }
}
const UserWire = z
  .object({ id, name: text, jobtitle: text, emailaddress: text, phonenumber: text })
  .transform(({ id, name, jobtitle: title, emailaddress: email, phonenumber: phone }) => ({
    id,
    name: name ?? `User ${id}`,
    title,
    email,
    phone,
  }))
const Asset = z
  .object({
    id,
    inventory_number: text,
    key_field: text,
    assettype_name: text,
    manufacturer_name: text,
    model: text,
    serial_number: text,
    os: text,
    ip_address: text,
  })
  .transform((wire) => ({
    id: wire.id,
    name: wire.key_field ?? wire.inventory_number ?? `Asset ${wire.id}`,
    type: wire.assettype_name,
    manufacturer: wire.manufacturer_name,
    model: wire.model,
    serial_number: wire.serial_number,
    operating_system: wire.os,
    ip_address: wire.ip_address,
  }))
const Action = z.object({ id, who: text, note: text, note_html: text, hiddenfromuser: flag, datetime: time }).transform((wire) => ({
  id: wire.id,
  text: wire.note_html === null ? (wire.note ?? '') : plain(wire.note_html),
  author: wire.who,
  internal: wire.hiddenfromuser,
  created_at: wire.datetime,
}))

const search = (query: Query) => new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString()
