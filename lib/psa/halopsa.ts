import { z } from 'zod'
import { gather } from './gather.ts'
import {
  Action,
  ActionList,
  Agent,
  Asset,
  AssetList,
  ClientWire,
  client,
  fullTicket,
  nobody,
  type Statuses,
  Team,
  TicketList,
  TicketWire,
  ticketItem,
  UserWire,
} from './halopsa-wire.ts'
import type { PsaHttp } from './http.ts'
import { type NewNote, type PsaConnection, PsaError, type PsaPort, type TicketSearch } from './psa.ts'
import { id, newestFirst, read, readList, text } from './wire.ts'

type Connection = Extract<PsaConnection, { provider: 'halopsa' }>
type Query = Record<string, string | number>
type Get = (path: string, query?: Query) => Promise<unknown>

const mostNotes = 50
const mostRelated = 10
const mostAssets = 10

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
/** The answer is the action, or a list of it. */
function actionId(answer: unknown): string {
  return read(z.object({ id }), Array.isArray(answer) ? answer[0] : answer).id
}

const search = (query: Query) => new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString()
