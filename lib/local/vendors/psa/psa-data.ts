// The data of an invented managed service provider. It is generated from one seed, so it is the same on every
// machine.

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

const companyNames = [
  'Contoso Dental',
  'Alder & Finch Architects',
  'Brightwater Foods',
  'Harbor Legal',
  'Northgate Clinic',
  'Tilden Freight',
]
const streets = [
  '4 Mill Lane',
  '12 Canal Street',
  '77 Foundry Road',
  '3 Harbor Square',
  '210 Station Road',
  '9 Depot Way',
]
const cities = ['Leeds', 'Bristol', 'Hull', 'Dover', 'York', 'Derby']
const contactNames = [
  'Maya Lindgren',
  'Owen Hart',
  'Priya Nair',
  'Jonas Weber',
  'Elif Demir',
  'Sofia Rossi',
  'Liam Okafor',
  'Grace Tan',
  'Noor Haddad',
  'Ivan Petrov',
]
const jobTitles = ['Office manager', 'Bookkeeper', 'Dispatcher', 'Head nurse', 'Partner', null]
const devices = [
  { type: 'Workstation', maker: 'Lenovo', model: 'ThinkPad T14', os: 'Windows 11 Pro' },
  { type: 'Server', maker: 'Dell', model: 'PowerEdge T350', os: 'Windows Server 2022' },
  { type: 'Printer', maker: 'Brother', model: 'HL-L6400DW', os: null },
  { type: 'Firewall', maker: 'Fortinet', model: 'FortiGate 60F', os: 'FortiOS 7.4' },
  { type: 'Access point', maker: 'Ubiquiti', model: 'U6 Pro', os: null },
]
const problems = [
  ['Printer is offline', 'Nothing comes out since this morning, the display says ready.'],
  ['VPN drops every few minutes', 'Working from home is impossible, the tunnel closes again and again.'],
  ['Outlook asks for the password again and again', 'I typed it ten times, it is the right one.'],
  ['New starter needs an account', 'She begins on Monday and needs mail, the share and a laptop.'],
  ['Disk of the file server is nearly full', 'The monitoring says 94 percent on volume D.'],
  ['Laptop does not start', 'Black screen, the fan spins, nothing else.'],
  ['Backup failed two nights in a row', 'The job ends with an error about a snapshot.'],
  ['Wi-Fi is slow in the meeting room', 'Calls break up, at the desks it is fine.'],
  ['Account is locked', 'I came back from holiday and cannot sign in.'],
  ['Suspicious mail with an invoice', 'I opened the attachment before I thought about it.'],
] as const
const noteTexts = [
  'Called back, nobody there. Left a message.',
  'Restarted the service and asked to try again.',
  'The same as last month; checked the event log for 10016 and 7031.',
  'Waiting for the vendor.',
  'Remote session, cleared the queue, printed a test page.',
  'Client confirms that it works now.',
  'Escalated to the second line, with screenshots.',
  'Replaced the cable. No change.',
]

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
  const boards = ['Service Desk', 'Projects', 'Alerts', 'Old Desk'].map((name, n) => ({
    id: n + 1,
    name,
    inactive: name === 'Old Desk',
  }))
  const statusNames = ['New', 'In Progress', 'Waiting on Client', 'Closed', 'Old Closed']
  const statuses = boards.flatMap(({ id }) =>
    statusNames.map((name, n) => ({
      ...{ id: id * 10 + n, name, boardId: id },
      ...{ closed: name.endsWith('Closed'), inactive: name.startsWith('Old') },
    })),
  )
  const priorities = [
    'Priority 1 - Critical',
    'Priority 2 - High',
    'Priority 3 - Medium',
    'Priority 4 - Low',
  ].map((name, n) => ({
    id: n + 5,
    name,
  }))
  const memberNames = [
    'Dana Reyes',
    'Lina Haddad',
    'Alex Moreau',
    'Sam Berg',
    'Robin Miller',
    'Kim "Kit" O’Neil',
    'Gone Longago',
  ]
  const members = memberNames.map((name, n) => {
    const [first = '', last = ''] = [name.split(' ')[0], name.split(' ').at(-1)]
    const identifier = n === 5 ? 'kit"\\o' : `${first.slice(0, 1)}${last}`.toLowerCase()
    const email =
      [`engineer@northwind.example`, `lead@northwind.example`, `admin@northwind.example`][n] ??
      `${first.toLowerCase()}@msp.example`
    return { id: 176 + n, name, identifier, email: n === 4 ? null : email, inactive: n === 6 }
  })
  return { boards, statuses, priorities, members }
}

function buildClients(pick: <T>(list: readonly T[]) => T, randomBelow: (count: number) => number) {
  const companies = companyNames.map((name, n) => ({
    id: 21 + n,
    name,
    identifier: name.replace(/\W/g, ''),
    street: streets[n] ?? '',
    city: cities[n] ?? '',
    zip: `ZZ${n} 1AB`,
    phone: n === 2 ? null : `+44 20 5550 01${n}0`,
    restricted: name === 'Harbor Legal',
  }))
  const contacts = companies.flatMap(({ id: companyId, identifier }, c) =>
    Array.from({ length: 4 }, (_, n) => {
      const name = contactNames[(c * 3 + n) % contactNames.length] ?? ''
      const email = `${name.split(' ')[0]?.toLowerCase()}@${identifier.toLowerCase()}.example`
      const phone = n === 3 ? null : `+44 20 5550 01${c}${n + 1}`
      return {
        id: 310 + c * 10 + n,
        name,
        companyId,
        title: pick(jobTitles),
        email,
        phone,
        neverMailed: n === 3,
      }
    }),
  )
  const configurations = companies.flatMap(({ id: companyId, identifier }, c) =>
    Array.from({ length: 7 }, (_, n) => {
      const { type, maker, model, os } = pick(devices)
      const name = `${identifier.slice(0, 4).toUpperCase()}-${type.slice(0, 3).toUpperCase()}-${String(n + 1).padStart(2, '0')}`
      return {
        id: 800 + c * 10 + n,
        name,
        companyId,
        type,
        maker,
        model,
        serial: `SN${randomBelow(1e8)}`,
        os,
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
  const [summary, description] = pick(problems)
  const createdMs = firstTicketMs + (id - 4601) * 9 * hourMs + randomBelow(3) * hourMs
  const author = () => pick(members.filter(({ inactive }) => !inactive)).name
  const count = id % 40 === 11 ? 14 : randomBelow(6)
  const notes = Array.from({ length: count }, (_, n) => ({
    id: id * 100 + n,
    text: pick(noteTexts),
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
