// The data of an invented managed service provider. It is generated from one seed, so it is the same on every
// machine. The names are in psa-data.json.

import named from './psa-data.json' with { type: 'json' }

export interface LocalNote {
  id: number
  text: string
  internal: boolean
  /** Whether ConnectWise shows it as the resolution. */
  resolution?: boolean
  author: string
  createdAt: string
  /** Whether the note belongs to a time entry, which ConnectWise lists apart from the notes. */
  isTimeEntry: boolean
  timeEntry?: LocalTimeEntry
  /** The name of HaloPSA's action that added the note. */
  outcome?: string
}
export interface LocalTimeEntry {
  memberId: number
  startedAt: string
  hours: number
  internalNotes: string
  isBilled?: true
}
export interface LocalTicket {
  id: number
  summary: string
  description: string
  boardId: number
  statusId: number
  priorityId: number
  companyId: number
  contactId: number | null
  memberId: number | null
  configurationIds: number[]
  closed: boolean
  createdAt: string
  updatedAt: string
  notes: LocalNote[]
  /** The id in another system: `externalXRef` in ConnectWise, `third_party_id_string` in HaloPSA. */
  reference?: string
  type?: string
  details: LocalTicketDetails
  /** The ticket that it was merged into. */
  mergedInto?: number
}
export interface LocalTicketDetails {
  subType: string
  item: string
  sla: string
  isInSla: boolean
  resolveBy: string
  requiredBy: string | null
  /** 1 is the highest, as HaloPSA numbers urgency and impact. */
  severity: number
  impact: number
  site: string
  team: string
  /** Members besides the owner, of a ticket that has one. */
  otherMemberIds: number[]
  customFields: { name: string; value: string | boolean | null }[]
  /** Whether ConnectWise mails the contact. */
  mailsContact: boolean
}
type Named = { id: number; name: string }

export interface PsaData {
  boards: (Named & { inactive: boolean })[]
  /** ConnectWise neither takes nor offers an `inactive` status. */
  statuses: (Named & { boardId: number; closed: boolean; inactive: boolean })[]
  priorities: Named[]
  members: (Named & { identifier: string; email: string | null; inactive: boolean })[]
  /** The API's user may not read the record of a `restricted` company. */
  companies: (Named & {
    identifier: string
    phone: string | null
    street: string
    city: string
    zip: string
    restricted: boolean
  })[]
  contacts: (Named & {
    companyId: number
    title: string | null
    email: string
    phone: string | null
    neverMailed: boolean
  })[]
  configurations: (Named & {
    companyId: number
    type: string
    maker: string
    model: string
    serial: string
    os: string | null
    ip: string | null
  })[]
  tickets: LocalTicket[]
  /** Tickets of projects, which only ConnectWise has. Their ids are of the same series. */
  projectTickets: LocalTicket[]
}

/** Return a generator of numbers from 0 up to 1 that repeats for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

const hourMs = 3_600_000
const firstTicketMs = Date.parse('2026-09-01T08:00:00.000Z')

/** The data that both providers serve in their own wire formats, with the functions they share. */
export interface LocalPsa {
  data: PsaData
  findTicket(id: number): LocalTicket | undefined
  findProjectTicket(id: number): LocalTicket | undefined
  /** Add a note to a ticket as the API's user. */
  addNote(ticket: LocalTicket, text: string, internal: boolean, timeEntry?: LocalTimeEntry): LocalNote
  /** Change a ticket. Return why the change is not possible, or null. */
  changeTicket(ticket: LocalTicket, change: LocalTicketChange): string | null
  /** Merge a ticket into another one, which gets its notes. */
  mergeTicket(ticket: LocalTicket, parent: LocalTicket): void
  /** Delete a time entry or another note. Return why it is not possible, or null. */
  deleteNote(ticket: LocalTicket, id: number): 'missing' | 'billed' | null
  createTicket(
    ticket: Pick<
      LocalTicket,
      'summary' | 'description' | 'companyId' | 'contactId' | 'boardId' | 'reference'
    >,
  ): LocalTicket
}
export type LocalTicketChange = Partial<Pick<LocalTicket, 'boardId' | 'statusId' | 'memberId'>>

/**
 * Build six client companies with contacts and devices, four boards, seven members, 200 tickets with the ids
 * 4601 to 4800, and three of projects.
 */
export function buildPsaData(): PsaData {
  const next = createRandom(20_261_121)
  const randomBelow = (count: number) => Math.floor(next() * count)
  const pick = <T>(list: readonly T[]): T => list[randomBelow(list.length)] as T
  const masterData = { ...buildBoardsAndMembers(), ...buildClients(pick, randomBelow) }
  const tickets = Array.from({ length: 200 }, (_, n) => buildTicket(4601 + n, masterData, pick, randomBelow))
  const projectTickets = Array.from({ length: 3 }, (_, n) =>
    buildTicket(4901 + n, masterData, pick, randomBelow),
  )
  return { ...masterData, tickets, projectTickets }
}

/** Build what depends on the id of a ticket alone. */
export function buildTicketDetails(id: number, createdAt: string): LocalTicketDetails {
  const at = (hours: number) => new Date(Date.parse(createdAt) + hours * hourMs).toISOString()
  const pick = <T>(list: readonly T[]): T => list[id % list.length] as T
  return {
    subType: pick(['Printer', 'Network', 'Mail']),
    item: pick(['Fault', 'Request']),
    sla: pick(['Standard', 'Premium']),
    isInSla: id % 5 !== 0,
    resolveBy: at(pick([8, 24])),
    requiredBy: id % 3 === 0 ? at(72) : null,
    severity: 1 + (id % 3),
    impact: 1 + (id % 2),
    site: pick(['Main office', 'Warehouse']),
    team: pick(['First line', 'Field service']),
    mailsContact: id % 10 !== 0,
    otherMemberIds: id % 4 === 0 ? [178] : [],
    customFields: [
      { name: 'Building', value: pick(['North wing', 'South wing']) },
      { name: 'Approved', value: id % 2 === 0 },
      { name: 'Cost centre', value: null },
    ],
  }
}

function buildBoardsAndMembers() {
  const boards = named.boards.map((name, n) => ({ id: n + 1, name, inactive: name.startsWith('Old') }))
  const statuses = boards.flatMap(({ id }) =>
    named.statuses.map((name, n) => ({
      id: id * 10 + n,
      name,
      boardId: id,
      closed: name.endsWith('Closed'),
      inactive: name.startsWith('Old'),
    })),
  )
  const priorities = named.priorities.map((name, n) => ({ id: n + 5, name }))
  const members = named.members.map((member, n) => ({ id: 176 + n, ...member }))
  return { boards, statuses, priorities, members }
}

function buildClients(pick: <T>(list: readonly T[]) => T, randomBelow: (count: number) => number) {
  const companies = named.companies.map(({ name, ...address }, n) => ({
    id: 21 + n,
    name,
    identifier: name.replace(/\W/g, ''),
    ...address,
    zip: `ZZ${n} 1AB`,
    phone: n === 2 ? null : `+44 20 5550 01${n}0`,
    restricted: name === 'Harbor Legal',
  }))
  const contacts = companies.flatMap(({ id: companyId, identifier }, c) =>
    Array.from({ length: 4 }, (_, n) => {
      const name = named.contacts[(c * 3 + n) % named.contacts.length] ?? ''
      return {
        id: 310 + c * 10 + n,
        name,
        companyId,
        title: pick(named.job_titles),
        email: `${name.split(' ')[0]?.toLowerCase()}@${identifier.toLowerCase()}.example`,
        phone: n === 3 ? null : `+44 20 5550 01${c}${n + 1}`,
        neverMailed: n === 3,
      }
    }),
  )
  const configurations = companies.flatMap(({ id: companyId, identifier }, c) =>
    Array.from({ length: 7 }, (_, n) => {
      const device = pick(named.devices)
      const start = `${identifier.slice(0, 4)}-${device.type.slice(0, 3)}`.toUpperCase()
      return {
        id: 800 + c * 10 + n,
        name: `${start}-0${n + 1}`,
        companyId,
        ...device,
        serial: `SN${randomBelow(1e8)}`,
        ip: n === 6 ? null : `10.${c}.8.${20 + n}`,
      }
    }),
  )
  return { companies, contacts, configurations }
}

function buildTicket(
  id: number,
  {
    boards,
    statuses,
    priorities,
    members,
    companies,
    contacts,
    configurations,
  }: Omit<PsaData, 'tickets' | 'projectTickets'>,
  pick: <T>(list: readonly T[]) => T,
  randomBelow: (count: number) => number,
): LocalTicket {
  const board = pick(boards.filter(({ inactive }) => !inactive))
  const status = pick(statuses.filter(({ boardId, inactive }) => boardId === board.id && !inactive))
  const company = pick(companies)
  const { summary, description } = pick(named.problems)
  const createdMs = firstTicketMs + (id - 4601) * 9 * hourMs + randomBelow(3) * hourMs
  const author = () => pick(members.filter(({ inactive }) => !inactive)).name
  const count = id % 40 === 11 ? 14 : randomBelow(6)
  const notes = Array.from({ length: count }, (_, n) => ({
    id: id * 100 + n,
    text: pick(named.notes),
    internal: randomBelow(2) === 0,
    author: author(),
    createdAt: new Date(createdMs + (n + 1) * hourMs).toISOString(),
    isTimeEntry: n % 3 === 2,
  }))
  return {
    id,
    summary: `${summary} at ${company.name}`,
    description,
    boardId: board.id,
    statusId: status.id,
    priorityId: pick(priorities).id,
    companyId: company.id,
    contactId:
      randomBelow(8) === 0 ? null : pick(contacts.filter(({ companyId }) => companyId === company.id)).id,
    memberId: randomBelow(3) === 0 ? null : pick(members).id,
    configurationIds: configurations
      .filter(({ companyId }) => companyId === company.id && randomBelow(3) === 0)
      .map((configuration) => configuration.id),
    closed: status.closed,
    createdAt: new Date(createdMs).toISOString(),
    updatedAt: notes.at(-1)?.createdAt ?? new Date(createdMs).toISOString(),
    notes,
    details: buildTicketDetails(id, new Date(createdMs).toISOString()),
  }
}
