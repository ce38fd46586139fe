import * as z from 'zod'
import { id, optionalNumber, text } from '#vendors/net/wire.ts'
import { type ApiPath, apiPath, type Get, type Query } from './api-path.ts'
import { readContextParts } from './gather.ts'
import { toHaloSite, toTokenUrl } from './halopsa-address.ts'
import {
  Agent,
  Asset,
  AssetList,
  ClientItemWire,
  ClientList,
  ClientWire,
  readNotes,
  type StatusNames,
  StatusWire,
  Team,
  TicketList,
  TicketWire,
  toCompany,
  toTicket,
  toTicketItem,
  UserMailWire,
  UserWire,
  unassignedAgentId,
} from './halopsa-wire.ts'
import { createHaloWrites, toNoteText } from './halopsa-writes.ts'
import type { PsaHttp } from './http.ts'
import { type PsaConnection, PsaError, type PsaPort, type Ticket, type TicketSearch } from './psa.ts'
import { type RecipientAnswer, toRecipient } from './recipient.ts'
import { findSameNote, parseAnswer, parseItems, sortNewestFirst } from './wire.ts'

type Connection = Extract<PsaConnection, { provider: 'halopsa' }>

const maxNotes = 50
const maxRelatedTickets = 10
const maxAssets = 10
const maxClients = 25

// Tokens are cached by addresses, client, tenant and secret, so a caller only gets a token of its own secret.
const tokens = new Map<string, { token: string; expiresAt: number }>()

/**
 * Create a client for the HaloPSA REST API. It uses a bearer token from client credentials. Lists have a
 * total; notes are HTML.
 */
export function createHaloPsa(connection: Connection, http: PsaHttp): PsaPort {
  const root = toHaloSite(connection.baseUrl)
  const call = async (
    path: ApiPath,
    query: Query,
    { method = 'GET', body }: { method?: 'GET' | 'POST' | 'DELETE'; body?: object } = {},
  ): Promise<unknown> => {
    const send = async () =>
      http({
        url: `${root}/api${path}?${toQueryString(query)}`,
        headers: {
          authorization: `Bearer ${await getToken(connection, http)}`,
          'content-type': 'application/json',
        },
        method,
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    const hadToken = tokens.has(tokenKey(connection))
    return send().catch((error: unknown) => {
      // A cached token may have been revoked: get another one and repeat once.
      if (!hadToken || !(error instanceof PsaError) || error.status !== 401) throw error
      tokens.delete(tokenKey(connection))
      return send()
    })
  }
  const get: Get = (path, query = {}) => call(path, query)
  let statuses: Promise<unknown> | undefined
  const readStatuses = () => {
    statuses ??= get(apiPath`/Status`)
    return statuses
  }
  return {
    checkCredentials: async () => void parseItems(z.unknown(), await get(apiPath`/Team`)),
    listBoards: async () =>
      parseItems(Team, await get(apiPath`/Team`)).flatMap(({ inactive, ...team }) =>
        inactive ? [] : [team],
      ),
    listMembers: async () =>
      parseItems(Agent, await get(apiPath`/Agent`)).flatMap(({ isdisabled, ...agent }) =>
        isdisabled || agent.id === unassignedAgentId ? [] : [agent],
      ),
    // HaloPSA's statuses are the same for every team.
    listStatuses: async () => parseItems(StatusWire, await readStatuses()),
    searchCompanies: (words) => searchClients(get, words),
    searchTickets: (search) => searchTickets(get, search),
    getTicket: async (ticketId) => (await readTicket(get, ticketId)).ticket,
    getTicketContext: (ticketId) => readTicketContext(get, ticketId),
    findRecipient: (ticketId) => findRecipient(get, ticketId),
    findNote: async (ticketId, { text, visibility = 'internal', ...query }) =>
      findSameNote(
        readNotes(await get(apiPath`/Actions`, { ticket_id: ticketId, excludesys: 'true', count: 1000 })),
        {
          ...query,
          text: toNoteText({ text, visibility }),
        },
      ),
    ...createHaloWrites(
      get,
      (path, body) => call(path, {}, { method: 'POST', body }),
      (path, query) => call(path, query, { method: 'DELETE' }),
      (ticketId) => readTicket(get, ticketId),
      connection.identity,
    ),
  }
}

function tokenKey({ baseUrl, identity, secrets }: Connection): string {
  return JSON.stringify([
    baseUrl,
    identity.auth_url,
    identity.client_id,
    identity.tenant,
    secrets.client_secret,
  ])
}

const Token = z.object({ access_token: z.string().min(1), expires_in: optionalNumber })

async function getToken(connection: Connection, http: PsaHttp): Promise<string> {
  const key = tokenKey(connection)
  const cached = tokens.get(key)
  if (cached && cached.expiresAt > Date.now()) return cached.token
  const { client_id, tenant, auth_url } = connection.identity
  const form = {
    grant_type: 'client_credentials',
    client_id,
    client_secret: connection.secrets.client_secret,
    scope: 'all',
  }
  const answer = await http({
    method: 'POST',
    url: `${toTokenUrl(connection.baseUrl, auth_url)}${tenant ? `?${toQueryString({ tenant })}` : ''}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: toQueryString(form),
  }).catch((error: unknown) => {
    // OAuth 2.0 servers refuse a client with 400 or 401 (RFC 6749, section 5.2).
    if (error instanceof PsaError && error.status === 400)
      throw new PsaError(
        'auth',
        `The ticketing system refused the credentials${error.message.replace(/^[^:]*/, '')}`,
        { status: 400 },
      )
    throw error
  })
  const { access_token: token, expires_in } = parseAnswer(Token, answer)
  if (tokens.size >= 500) tokens.clear()
  tokens.set(key, { token, expiresAt: Date.now() + Math.max(0, (expires_in ?? 600) - 60) * 1000 })
  return token
}

async function searchTickets(
  get: Get,
  { boardIds, assignedTo, unassigned, companyId, words, page, pageSize }: TicketSearch,
) {
  const agent = assignedTo?.id ?? (unassigned ? unassignedAgentId : null)
  const query = {
    pageinate: 'true',
    page_no: page,
    page_size: pageSize,
    open_only: 'true',
    order: 'lastactiondate',
    orderdesc: 'true',
    ...(boardIds.length > 0 ? { team: boardIds.join(',') } : {}),
    ...(agent ? { agent_id: agent } : {}),
    ...(companyId === null ? {} : { client_id: companyId }),
    ...(words.length > 0 ? { search: words.join(' ') } : {}),
  }
  const [answer, statuses] = await Promise.all([get(apiPath`/Tickets`, query), readStatusNames(get)])
  const { tickets, record_count } = parseAnswer(TicketList, answer)
  return {
    items: parseItems(TicketWire, tickets).map(toTicketItem(statuses)),
    hasMore: record_count === null ? tickets.length >= pageSize : page * pageSize < record_count,
  }
}

async function searchClients(get: Get, words: readonly string[]) {
  const query = {
    pageinate: 'true',
    page_no: 1,
    page_size: maxClients,
    includeinactive: 'false',
    order: 'name',
  }
  const answer = await get(apiPath`/Client`, words.length > 0 ? { ...query, search: words.join(' ') } : query)
  return parseItems(ClientItemWire, parseAnswer(ClientList, answer).clients)
}

async function readTicket(get: Get, ticketId: string): Promise<{ ticket: Ticket; statuses: StatusNames }> {
  const [answer, statuses] = await Promise.all([
    get(apiPath`/Tickets/${ticketId}`, { includedetails: 'true' }),
    readStatusNames(get),
  ])
  return { ticket: toTicket(parseAnswer(TicketWire, answer), statuses), statuses }
}

async function findRecipient(get: Get, ticketId: string): Promise<RecipientAnswer> {
  const { contact_id } = (await readTicket(get, ticketId)).ticket
  if (!contact_id) return toRecipient(null, true)
  const user = await get(apiPath`/Users/${contact_id}`, { includedetails: 'true' })
  return toRecipient(parseAnswer(UserWire, user), !parseAnswer(UserMailWire, user).neversendemails)
}

async function readTicketContext(get: Get, ticketId: string) {
  const { ticket, statuses } = await readTicket(get, ticketId)
  const { company_id, contact_id } = ticket
  const actions = { ticket_id: ticketId, excludesys: 'true', count: maxNotes }
  const others = {
    pageinate: 'true',
    page_no: 1,
    page_size: maxRelatedTickets + 1,
    order: 'lastactiondate',
    orderdesc: 'true',
  }
  return readContextParts(ticket, {
    company: async () =>
      company_id
        ? toCompany(
            parseAnswer(ClientWire, await get(apiPath`/Client/${company_id}`, { includedetails: 'true' })),
          )
        : null,
    contact: async () =>
      contact_id
        ? parseAnswer(UserWire, await get(apiPath`/Users/${contact_id}`, { includedetails: 'true' }))
        : null,
    configurations: async () =>
      parseItems(
        Asset,
        parseAnswer(
          AssetList,
          await get(apiPath`/Asset`, {
            ticket_id: ticketId,
            pageinate: 'true',
            page_no: 1,
            page_size: maxAssets,
          }),
        ).assets,
      ),
    notes: async () => sortNewestFirst(readNotes(await get(apiPath`/Actions`, actions))),
    related_tickets: async () =>
      company_id ? await readRelatedTickets(get, company_id, ticketId, others, statuses) : [],
  })
}

async function readRelatedTickets(
  get: Get,
  companyId: string,
  ticketId: string,
  query: Query,
  statuses: StatusNames,
) {
  const { tickets } = parseAnswer(
    TicketList,
    await get(apiPath`/Tickets`, { ...query, client_id: companyId }),
  )
  const others = parseItems(TicketWire, tickets).filter((ticket) => ticket.id !== ticketId)
  return others.slice(0, maxRelatedTickets).map(toTicketItem(statuses))
}

/**
 * Read the names of statuses, because tickets contain only ids. When it fails, tickets have no status name.
 */
async function readStatusNames(get: Get): Promise<StatusNames> {
  const answer = await get(apiPath`/Status`).catch((error: unknown) =>
    error instanceof PsaError ? [] : Promise.reject(error),
  )
  return new Map(parseItems(z.object({ id, name: text }), answer).map((status) => [status.id, status.name]))
}

const toQueryString = (query: Query) =>
  new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString()
