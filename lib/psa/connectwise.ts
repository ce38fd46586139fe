import { z } from 'zod'
import { all, idList, literal } from './conditions.ts'
import { gather } from './gather.ts'
import type { PsaHttp } from './http.ts'
import type { Configuration, Member, NewNote, PsaConnection, PsaPort, TicketSearch } from './psa.ts'
import { flag, id, joined, newestFirst, optionalId, read, readList, reference, text, time } from './wire.ts'

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

const Info = z.object({ lastUpdated: time, dateEntered: time }).partial().nullish().catch(null)
const Created = z.object({ id })
const Named = z.object({ id, name: text }).transform((board) => ({ id: board.id, name: board.name ?? `Board ${board.id}` }))
const TicketWire = z.object({
  id,
  summary: text.optional(),
  board: reference,
  status: reference,
  priority: reference,
  company: reference,
  contact: reference,
  contactName: text.optional(),
  owner: reference,
  resources: text.optional(),
  type: reference,
  initialDescription: text.optional(),
  closedFlag: flag,
  _info: Info,
})

function ticketItem(wire: z.output<typeof TicketWire>) {
  return {
    id: wire.id,
    summary: wire.summary ?? '',
    board: wire.board.name,
    status: wire.status.name,
    priority: wire.priority.name,
    company: wire.company.name,
    contact: wire.contact.name ?? wire.contactName ?? null,
    owner: wire.owner.name ?? wire.owner.identifier ?? wire.resources ?? null,
    updated_at: wire._info?.lastUpdated ?? null,
  }
}

function fullTicket(wire: z.output<typeof TicketWire>) {
  return {
    ...ticketItem(wire),
    board_id: wire.board.id,
    company_id: wire.company.id,
    contact_id: wire.contact.id,
    type: wire.type.name,
    description: wire.initialDescription ?? null,
    is_closed: wire.closedFlag,
    created_at: wire._info?.dateEntered ?? null,
  }
}

const CompanyWire = z.object({
  id,
  name: text,
  phoneNumber: text,
  website: text,
  addressLine1: text,
  addressLine2: text,
  city: text,
  state: text,
  zip: text,
})
function company(wire: z.output<typeof CompanyWire>) {
  const { id, name, website, phoneNumber: phone } = wire
  const address = joined(wire.addressLine1, wire.addressLine2, wire.city, joined(wire.state, wire.zip))
  return { id, name: name ?? `Company ${id}`, phone, address, website }
}

const Communication = z.object({ communicationType: text, value: text, defaultFlag: flag })
const ContactWire = z.object({
  id,
  firstName: text,
  lastName: text,
  title: text,
  communicationItems: z.array(z.unknown()).nullish().catch(null),
})
function contact({ id, firstName, lastName, title, communicationItems }: z.output<typeof ContactWire>) {
  const items = readList(Communication, communicationItems ?? [])
  const of = (kind: string) => {
    const those = items.filter(({ communicationType }) => communicationType === kind)
    return (those.find(({ defaultFlag }) => defaultFlag) ?? those[0])?.value ?? null
  }
  return { id, name: [firstName, lastName].filter(Boolean).join(' ') || `Contact ${id}`, title, email: of('Email'), phone: of('Phone') }
}

const ConfigurationRef = z.object({ id, deviceIdentifier: text })
const ConfigurationWire = z.object({
  ...{
    id,
    name: text,
    type: reference,
    manufacturer: reference,
    modelNumber: text,
    serialNumber: text,
    osType: text,
    osInfo: text,
    ipAddress: text,
  },
})
function configuration(wire: z.output<typeof ConfigurationWire>): Omit<Configuration, 'name'> {
  const { id, type, manufacturer, modelNumber: model, serialNumber: serial_number, osInfo, osType, ipAddress: ip_address } = wire
  return { id, type: type.name, manufacturer: manufacturer.name, model, serial_number, operating_system: osInfo ?? osType, ip_address }
}

// Its author is a member, or a contact who wrote in; some versions send either as a whole record.
const Author = z.object({ name: text, firstName: text, lastName: text, identifier: text }).nullish().catch(null)
const Note = z
  .object({ id, text, member: Author, contact: Author, createdBy: text, internalAnalysisFlag: flag, internalFlag: flag, dateCreated: time })
  .transform((wire) => ({
    id: wire.id,
    text: wire.text ?? '',
    author: authorOf(wire.member) ?? authorOf(wire.contact) ?? wire.createdBy,
    internal: wire.internalAnalysisFlag || wire.internalFlag,
    created_at: wire.dateCreated,
  }))
function authorOf(who: z.output<typeof Author>): string | null {
  return who ? (who.name ?? ([who.firstName, who.lastName].filter(Boolean).join(' ') || who.identifier)) : null
}

const MemberWire = z.object({ id: optionalId, identifier: text, firstName: text, lastName: text, officeEmail: text, inactiveFlag: flag })
type MemberRow = z.output<typeof MemberWire>
const isActive = (wire: MemberRow): wire is MemberRow & { id: string; identifier: string } =>
  Boolean(wire.id && wire.identifier) && !wire.inactiveFlag
function member({ id, identifier, firstName, lastName, officeEmail: email }: MemberRow & { id: string; identifier: string }): Member {
  return { id, identifier, name: [firstName, lastName].filter(Boolean).join(' ') || identifier, email }
}

function queryText(query: Query): string {
  const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString()
  return search ? `?${search}` : ''
}

/** Of UTF-8, where btoa takes Latin-1 alone. */
function base64(plain: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(plain)))
}
