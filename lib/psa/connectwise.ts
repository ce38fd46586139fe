import { z } from 'zod'
import { all, idList, literal } from './conditions.ts'
import {
  CompanyWire,
  ConfigurationRef,
  ConfigurationWire,
  ContactWire,
  Created,
  company,
  configuration,
  contact,
  fullTicket,
  isActive,
  MemberWire,
  member,
  Named,
  Note,
  TicketWire,
  ticketItem,
} from './connectwise-wire.ts'
import { gather } from './gather.ts'
import type { PsaHttp } from './http.ts'
import type { Configuration, NewNote, PsaConnection, PsaPort, TicketSearch } from './psa.ts'
import { newestFirst, read, readList } from './wire.ts'

type Connection = Extract<PsaConnection, { provider: 'connectwise' }>
type Query = Record<string, string | number>

const mostNotes = 50
const mostConfigurations = 10
const mostRelated = 10
const perPage = 1000
const itemFields = 'id,summary,board,status,priority,company,contact,owner,closedFlag,_info'

/** ConnectWise Manage over its REST API 3.0: basic auth of a company's API member, and the client id of the integration. */
export function connectwise({ baseUrl, identity, secrets }: Connection, http: PsaHttp): PsaPort {
  const root = apiRoot(baseUrl)
  const headers = {
    authorization: `Basic ${base64(`${identity.company_id}+${secrets.public_key}:${secrets.private_key}`)}`,
    clientid: identity.client_id,
  }
  const get = (path: string, query: Query = {}) => http({ url: `${root}${path}${queryText(query)}`, headers })
  const post = (path: string, body: object) =>
    http({ method: 'POST', url: root + path, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return {
    check: async () => void read(z.looseObject({}), await get('/system/info')),
    boards: () => everyPage(get, '/service/boards', { conditions: 'inactiveFlag=false', fields: 'id,name', orderBy: 'name asc' }, Named),
    members: async () =>
      (await everyPage(get, '/system/members', { conditions: 'inactiveFlag=false', orderBy: 'identifier asc' }, MemberWire))
        .filter(isActive)
        .map(member),
    searchTickets: (search) => searchTickets(get, search),
    ticketContext: (ticketId) => ticketContext(get, ticketId),
    addNote: async (ticketId, note) => read(Created, await post(`/service/tickets/${ticketId}/notes`, noteBody(note))).id,
    async findNote(ticketId, marker) {
      const notes = await everyPage(get, `/service/tickets/${ticketId}/notes`, { orderBy: 'id desc' }, Note)
      return notes.find((note) => note.text.includes(marker))?.id ?? null
    },
  }
}

/** Where the API is: cloud sites have a host of their own for it, and an address may name the API's folder already. */
function apiRoot(baseUrl: string): string {
  const url = new URL(baseUrl)
  const site = /^(na|eu|au|aus|za)\.myconnectwise\.net$|^(staging)\.connectwisedev\.com$/.exec(url.hostname)
  if (site) url.hostname = `api-${url.hostname}`
  const path = url.pathname.replace(/\/+$/, '')
  return url.origin + (path.endsWith('/apis/3.0') ? path : `${path}/v4_6_release/apis/3.0`)
}

type Get = (path: string, query?: Query) => Promise<unknown>

/** Lists have no total: they are asked for until a page is not full, at most five. */
async function everyPage<S extends z.ZodType>(get: Get, path: string, query: Query, item: S): Promise<z.output<S>[]> {
  const found: z.output<S>[] = []
  for (let page = 1; page <= 5; page++) {
    const answer = read(z.array(z.unknown()), await get(path, { ...query, page, pageSize: perPage }))
    found.push(...readList(item, answer))
    if (answer.length < perPage) break
  }
  return found
}

async function searchTickets(get: Get, { boardIds, assignedTo, unassigned, page, pageSize }: TicketSearch) {
  const mine = assignedTo && literal(assignedTo.identifier)
  const conditions = all(
    'closedFlag=false',
    boardIds.length > 0 && `board/id in ${idList(boardIds)}`,
    mine ? `(owner/identifier=${mine} or resources contains ${mine})` : false,
    unassigned && '(owner=null and resources=null)',
  )
  const query = { conditions, orderBy: 'lastUpdated desc, id desc', fields: itemFields }
  const answer = read(z.array(z.unknown()), await get('/service/tickets', { ...query, page, pageSize }))
  // The one item after a full page says whether there is more, since no total does.
  const next =
    answer.length < pageSize ? [] : await get('/service/tickets', { ...query, fields: 'id', page: page * pageSize + 1, pageSize: 1 })
  return { items: readList(TicketWire, answer).map(ticketItem), hasMore: read(z.array(z.unknown()), next).length > 0 }
}

async function ticketContext(get: Get, ticketId: string) {
  const ticket = fullTicket(read(TicketWire, await get(`/service/tickets/${ticketId}`)))
  const { company_id, contact_id } = ticket
  const notes = { orderBy: 'id desc', pageSize: mostNotes }
  return gather(ticket, {
    company: async () => (company_id ? company(read(CompanyWire, await get(`/company/companies/${company_id}`))) : null),
    contact: async () => (contact_id ? contact(read(ContactWire, await get(`/company/contacts/${contact_id}`))) : null),
    configurations: () => configurations(get, ticketId),
    notes: async () => newestFirst(readList(Note, await get(`/service/tickets/${ticketId}/notes`, notes))),
    related_tickets: async () => (company_id ? related(get, company_id, ticketId) : []),
  })
}

async function related(get: Get, companyId: string, ticketId: string) {
  const conditions = all(`company/id in ${idList([companyId])}`, `id not in ${idList([ticketId])}`)
  const query = { conditions, orderBy: 'lastUpdated desc, id desc', fields: itemFields, pageSize: mostRelated }
  return readList(TicketWire, await get('/service/tickets', query)).map(ticketItem)
}

/** The list says hardly more than ids, so each is asked for; one whose details fail is shown by its name. */
async function configurations(get: Get, ticketId: string): Promise<Configuration[]> {
  const listed = readList(ConfigurationRef, await get(`/service/tickets/${ticketId}/configurations`, { pageSize: mostConfigurations }))
  return Promise.all(
    listed.slice(0, mostConfigurations).map(async (short) => {
      const details = await get(`/company/configurations/${short.id}`).then((answer) => read(ConfigurationWire, answer))
      return { ...configuration(details), name: details.name ?? short.deviceIdentifier ?? `Configuration ${short.id}` }
    }),
  )
}

function noteBody({ text, internal, marker }: NewNote) {
  const where = { detailDescriptionFlag: !internal, internalAnalysisFlag: internal, resolutionFlag: false }
  // Nobody is mailed about it: the note is documentation.
  return { text: `${text}\n\n${marker}`, ...where, internalFlag: internal, externalFlag: !internal, processNotifications: false }
}

function queryText(query: Query): string {
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString()
  return search ? `?${search}` : ''
}

/** Of UTF-8, where btoa takes Latin-1 alone. */
function base64(plain: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(plain)))
}
