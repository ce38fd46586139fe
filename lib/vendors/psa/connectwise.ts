import * as z from 'zod'
import { encodeBase64 } from '#rules/text/bytes.ts'
import { apiPath, type Get, type Query } from './api-path.ts'
import { containsAll, joinConditions, toIdList, toLiteral } from './conditions.ts'
import { toApiRoot } from './connectwise-address.ts'
import { createTicketKinds, type TicketKind, type TicketKinds } from './connectwise-kinds.ts'
import { readPages } from './connectwise-pages.ts'
import {
  BoardWire,
  CompanyItemWire,
  CompanyWire,
  ConfigurationRef,
  ConfigurationWire,
  ContactWire,
  isActiveMember,
  MemberWire,
  NoteWire,
  StatusWire,
  TicketMailWire,
  TicketWire,
  toCompany,
  toConfiguration,
  toContact,
  toMember,
  toTicket,
  toTicketItem,
} from './connectwise-wire.ts'
import { createConnectWiseWrites, type Send } from './connectwise-writes.ts'
import { readContextParts } from './gather.ts'
import type { PsaHttp } from './http.ts'
import {
  type Configuration,
  type PsaConnection,
  PsaError,
  type PsaPort,
  type Ticket,
  type TicketNote,
  type TicketSearch,
  ticketIdPattern,
} from './psa.ts'
import { type RecipientAnswer, toRecipient } from './recipient.ts'
import { findSameNote, parseAnswer, parseItems, parseList, sortNewestFirst } from './wire.ts'

type Connection = Extract<PsaConnection, { provider: 'connectwise' }>

const maxNotes = 50
const maxConfigurations = 10
const maxRelatedTickets = 10
const maxCompanies = 25
const itemFields = 'id,summary,board,status,priority,company,contact,owner,resources,closedFlag,_info'

/**
 * Create a client for the ConnectWise Manage REST API 3.0. It uses an API member's keys and the integration's
 * client id.
 */
export function createConnectWise({ baseUrl, identity, secrets }: Connection, http: PsaHttp): PsaPort {
  const root = toApiRoot(baseUrl)
  const headers = {
    authorization: `Basic ${encodeBase64(new TextEncoder().encode(`${identity.company_id}+${secrets.public_key}:${secrets.private_key}`))}`,
    clientid: identity.client_id,
  }
  const get: Get = (path, query = {}) => http({ url: `${root}${path}${toQueryString(query)}`, headers })
  const send: Send = (method, path, body) =>
    http({
      method,
      url: root + path,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  const kinds = createTicketKinds(get)
  return {
    checkCredentials: async () => void parseAnswer(z.looseObject({}), await get(apiPath`/system/info`)),
    listBoards: () =>
      readPages(
        get,
        apiPath`/service/boards`,
        { conditions: 'inactiveFlag=false', fields: 'id,name', orderBy: 'name asc' },
        BoardWire,
      ),
    listMembers: async () =>
      (
        await readPages(
          get,
          apiPath`/system/members`,
          { conditions: 'inactiveFlag=false', orderBy: 'identifier asc' },
          MemberWire,
        )
      )
        .filter(isActiveMember)
        .map(toMember),
    listStatuses: async (boardId) =>
      (
        await readPages(
          get,
          apiPath`/service/boards/${boardId}/statuses`,
          { orderBy: 'sortOrder asc' },
          StatusWire,
        )
      ).flatMap(({ inactive, ...status }) => (inactive ? [] : [status])),
    searchCompanies: async (words) => {
      const conditions = joinConditions('deletedFlag=false', containsAll('name', words))
      const query = { conditions, fields: 'id,name', orderBy: 'name asc', pageSize: maxCompanies }
      return parseItems(CompanyItemWire, await get(apiPath`/company/companies`, query))
    },
    searchTickets: (search) => searchTickets(get, search),
    getTicket: (ticketId) => readTicket(get, kinds, ticketId),
    getTicketContext: (ticketId) => readTicketContext(get, kinds, ticketId),
    findRecipient: (ticketId) => findRecipient(get, kinds, ticketId),
    findNote: async (ticketId, query) =>
      findSameNote(
        await kinds.callAs(ticketId, (kind) =>
          readPages(get, apiPath`/${kind}/tickets/${ticketId}/notes`, { orderBy: 'id desc' }, NoteWire),
        ),
        query,
      ),
    ...createConnectWiseWrites(get, send, kinds),
  }
}

async function searchTickets(
  get: Get,
  { boardIds, assignedTo, unassigned, companyId, words, page, pageSize }: TicketSearch,
) {
  const owner = assignedTo && toLiteral(assignedTo.identifier)
  const conditions = joinConditions(
    'closedFlag=false',
    boardIds.length > 0 && `board/id in ${toIdList(boardIds)}`,
    owner ? `(owner/identifier=${owner} or resources contains ${owner})` : false,
    unassigned && '(owner=null and resources=null)',
    companyId !== null && `company/id in ${toIdList([companyId])}`,
    matchWords(words),
  )
  const query = { conditions, orderBy: 'lastUpdated desc, id desc', fields: itemFields }
  const answer = parseList(await get(apiPath`/service/tickets`, { ...query, page, pageSize }))
  // Lists have no total, so the first item after a full page shows whether there are more.
  const next =
    answer.length < pageSize
      ? []
      : await get(apiPath`/service/tickets`, {
          ...query,
          fields: 'id',
          page: page * pageSize + 1,
          pageSize: 1,
        })
  const tickets = parseItems(TicketWire, answer)
  // The condition also finds those of `janet` for `jan`.
  const found = assignedTo ? tickets.filter((ticket) => isAssigned(ticket, assignedTo.identifier)) : tickets
  return { items: found.map(toTicketItem), hasMore: parseList(next).length > 0 }
}

function isAssigned({ owner, resources }: z.output<typeof TicketWire>, identifier: string): boolean {
  const names = [owner.identifier ?? '', ...(resources ?? '').split(',')]
  return names.some((name) => name.trim().toLowerCase() === identifier.toLowerCase())
}

/** Write the condition for the words of a search. A single number may be the ticket's id. */
function matchWords(words: readonly string[]): string | false {
  const inSummary = containsAll('summary', words)
  const [word = ''] = words
  return words.length === 1 && ticketIdPattern.test(word)
    ? `(id in ${toIdList([word])} or ${inSummary})`
    : inSummary
}

async function readTicket(get: Get, kinds: TicketKinds, ticketId: string): Promise<Ticket> {
  return toTicket(
    parseAnswer(
      TicketWire,
      await kinds.callAs(ticketId, (kind) => get(apiPath`/${kind}/tickets/${ticketId}`)),
    ),
  )
}

/** A ticket may have another address than its contact. */
async function findRecipient(get: Get, kinds: TicketKinds, ticketId: string): Promise<RecipientAnswer> {
  const answer = await kinds.callAs(ticketId, (kind) => get(apiPath`/${kind}/tickets/${ticketId}`))
  const {
    contact: reference,
    contactEmailAddress,
    automaticEmailContactFlag,
  } = parseAnswer(TicketMailWire, answer)
  if (!reference.id) return toRecipient(null, automaticEmailContactFlag)
  const contact = toContact(parseAnswer(ContactWire, await get(apiPath`/company/contacts/${reference.id}`)))
  return toRecipient({ ...contact, email: contactEmailAddress || contact.email }, automaticEmailContactFlag)
}

async function readTicketContext(get: Get, kinds: TicketKinds, ticketId: string) {
  const ticket = await readTicket(get, kinds, ticketId)
  const kind = await kinds.readKind(ticketId)
  const { company_id, contact_id } = ticket
  return readContextParts(ticket, {
    company: async () =>
      company_id
        ? toCompany(parseAnswer(CompanyWire, await get(apiPath`/company/companies/${company_id}`)))
        : null,
    contact: async () =>
      contact_id
        ? toContact(parseAnswer(ContactWire, await get(apiPath`/company/contacts/${contact_id}`)))
        : null,
    configurations: () => readConfigurations(get, kind, ticketId),
    notes: () => readNotes(get, kind, ticketId),
    related_tickets: async () => (company_id ? readRelatedTickets(get, company_id, ticketId) : []),
  })
}

/**
 * Read the newest notes, those of time entries included. The list has no documented order, and old servers do
 * not have it.
 */
async function readNotes(get: Get, kind: TicketKind, ticketId: string): Promise<TicketNote[]> {
  const notes = await readPages(get, apiPath`/${kind}/tickets/${ticketId}/allNotes`, {}, NoteWire).catch(
    (error: unknown) => {
      if (!(error instanceof PsaError) || (error.kind !== 'missing' && error.status !== 405)) throw error
      return readPages(get, apiPath`/${kind}/tickets/${ticketId}/notes`, {}, NoteWire)
    },
  )
  return sortNewestFirst(notes).slice(0, maxNotes)
}

async function readRelatedTickets(get: Get, companyId: string, ticketId: string) {
  const conditions = joinConditions(
    `company/id in ${toIdList([companyId])}`,
    `id not in ${toIdList([ticketId])}`,
  )
  const query = {
    conditions,
    orderBy: 'lastUpdated desc, id desc',
    fields: itemFields,
    pageSize: maxRelatedTickets,
  }
  return parseItems(TicketWire, await get(apiPath`/service/tickets`, query)).map(toTicketItem)
}

/**
 * Read each configuration by itself, because the list contains little more than ids. One that is deleted, hidden
 * from the keys or cannot be shown (500) has its name alone.
 */
async function readConfigurations(get: Get, kind: TicketKind, ticketId: string): Promise<Configuration[]> {
  const configurations = parseItems(
    ConfigurationRef,
    await get(apiPath`/${kind}/tickets/${ticketId}/configurations`, { pageSize: maxConfigurations }),
  )
  return Promise.all(
    configurations.slice(0, maxConfigurations).map(async (reference) => {
      const answer = await get(apiPath`/company/configurations/${reference.id}`).catch((error: unknown) => {
        if (!(error instanceof PsaError) || ![403, 404, 500].includes(error.status ?? 0)) throw error
        return { id: reference.id }
      })
      const details = parseAnswer(ConfigurationWire, answer)
      return {
        ...toConfiguration(details),
        name: details.name ?? reference.deviceIdentifier ?? `Configuration ${reference.id}`,
      }
    }),
  )
}

function toQueryString(query: Query): string {
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]) => [key, String(value)]),
  ).toString()
  return search ? `?${search}` : ''
}
