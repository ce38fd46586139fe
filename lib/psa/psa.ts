/** A service board (a team's queue, where the provider has those). */
export interface Board {
  id: string
  name: string
}

/** A ticket as a list shows it. Times are RFC 3339; what the provider does not say is null. */
export interface TicketItem {
  id: string
  summary: string
  board: string | null
  status: string | null
  priority: string | null
  company: string | null
  contact: string | null
  owner: string | null
  updated_at: string | null
}

export interface Ticket extends TicketItem {
  board_id: string | null
  company_id: string | null
  contact_id: string | null
  type: string | null
  description: string | null
  is_closed: boolean
  created_at: string | null
}

export interface Company {
  id: string
  name: string
  phone: string | null
  address: string | null
  website: string | null
}

export interface Contact {
  id: string
  name: string
  title: string | null
  email: string | null
  phone: string | null
}

/** A device or service of the client's that the ticket is about. */
export interface Configuration {
  id: string
  name: string
  type: string | null
  manufacturer: string | null
  model: string | null
  serial_number: string | null
  operating_system: string | null
  ip_address: string | null
}

export interface TicketNote {
  id: string
  text: string
  author: string | null
  internal: boolean
  created_at: string | null
}

/** The parts of a context that are asked for beside the ticket, in the order in which they are named when they fail. */
export const sideParts = ['company', 'contact', 'configurations', 'notes', 'related_tickets'] as const
export type SidePart = (typeof sideParts)[number]

/** A ticket with what is known around it. `unavailable` names the parts that the provider did not give. */
export interface TicketContext {
  ticket: Ticket
  company: Company | null
  contact: Contact | null
  configurations: Configuration[]
  /** Newest first. */
  notes: TicketNote[]
  related_tickets: TicketItem[]
  unavailable: SidePart[]
}

export interface Member {
  id: string
  /** The sign-in name; some providers find tickets by it. */
  identifier: string
  name: string
  email: string | null
}

export interface TicketSearch {
  /** Of boards; none given means all. */
  boardIds: readonly string[]
  assignedTo: Pick<Member, 'id' | 'identifier'> | null
  unassigned: boolean
  /** From 1. */
  page: number
  pageSize: number
}

export interface NewNote {
  text: string
  internal: boolean
  /** Stands in the note, so that it is known again. */
  marker: string
}

/** One account's ticketing system. Every method throws PsaError, and nothing else, when the provider does not do what it is asked. */
export interface PsaPort {
  /** Whether the credentials are let in. */
  check(): Promise<void>
  boards(): Promise<Board[]>
  /** Open tickets, the last changed first. */
  searchTickets(search: TicketSearch): Promise<{ items: TicketItem[]; hasMore: boolean }>
  /** Throws `missing` when there is no such ticket; what fails beside the ticket itself is only left out. */
  ticketContext(id: string): Promise<TicketContext>
  /** Those who are active. */
  members(): Promise<Member[]>
  /** Answers the note's id. */
  addNote(ticketId: string, note: NewNote): Promise<string>
  /** The id of a note that holds the marker, or null. */
  findNote(ticketId: string, marker: string): Promise<string | null>
}

export type PsaErrorKind = 'auth' | 'missing' | 'rate_limit' | 'down' | 'invalid'

/** What a provider's failure comes to. The message is for people outside: no address, secret or word of the provider's is in it. */
export class PsaError extends Error {
  readonly kind: PsaErrorKind
  readonly status: number | null
  readonly retryAfterSeconds: number | undefined

  constructor(
    kind: PsaErrorKind,
    message: string,
    { status = null, retryAfterSeconds }: { status?: number | null; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message)
    this.name = 'PsaError'
    this.kind = kind
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Where a connection leads and what opens it, decrypted: for one request, and never for a log. */
export type PsaConnection = { baseUrl: string } & (
  | { provider: 'connectwise'; identity: { company_id: string; client_id: string }; secrets: { public_key: string; private_key: string } }
  | { provider: 'halopsa'; identity: { client_id: string; tenant: string | null }; secrets: { client_secret: string } }
)
export const providers = ['connectwise', 'halopsa'] as const
export type Provider = (typeof providers)[number]

/** Opens connections; each port lasts one request and gives its calls ten seconds in all. */
export type OpenPsa = (connection: PsaConnection) => PsaPort

/** The id in what a technician calls a ticket (`4711`, `#4711`), or null when there is none. */
export function ticketIdOf(text: string | null): string | null {
  return /^\s*#?(\d{1,15})\s*$/.exec(text ?? '')?.[1] ?? null
}
