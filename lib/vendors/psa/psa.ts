import type { ClientText, NoteVisibility, TicketText } from '#rules/audience.ts'
import type { RecipientAnswer } from './recipient.ts'

/** A service board in ConnectWise, a team in HaloPSA. */
export interface Board {
  id: string
  name: string
}

/** A status of a board. `is_closed` is null where the provider does not say. */
export interface Status {
  id: string
  name: string
  is_closed: boolean | null
}

/** A ticket in a list. Times are RFC 3339; an unknown value is null. */
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

export interface Ticket extends TicketItem, TicketDetails {
  board_id: string | null
  company_id: string | null
  contact_id: string | null
  type: string | null
  description: string | null
  is_closed: boolean
  /** The ticket that it was merged into. That may have been merged too. */
  merged_into: string | null
  created_at: string | null
}

/** What technicians decide by, besides status and priority. Its texts have at most 500 characters. */
export interface TicketDetails {
  sub_type: string | null
  item: string | null
  /** The service level agreement. */
  sla: string | null
  is_in_sla: boolean | null
  /** What is due next by the agreement, in ConnectWise's words. */
  sla_status: string | null
  resolve_by: string | null
  required_by: string | null
  /** HaloPSA's urgency. */
  severity: string | null
  impact: string | null
  site: string | null
  team: string | null
  /** The assigned people, at most 50. */
  resources: string[]
  /** At most 50, in the vendor's order. A field without a value is left out. */
  custom_fields: CustomField[]
}

export interface CustomField {
  name: string
  value: string
}

/** A company in a list. */
export interface CompanyItem {
  id: string
  name: string
}

export interface Company extends CompanyItem {
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

/** A client's device or service that the ticket is about. */
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

/** The parts of a context beside the ticket, in the order of `unavailable`. */
export const contextParts = ['company', 'contact', 'configurations', 'notes', 'related_tickets'] as const
export type ContextPart = (typeof contextParts)[number]

/**
 * A ticket with its company, contact, devices, notes and related tickets. `unavailable` names the parts that
 * could not be read.
 */
export interface TicketContext {
  ticket: Ticket
  company: Company | null
  contact: Contact | null
  configurations: Configuration[]
  /** Newest first. */
  notes: TicketNote[]
  related_tickets: TicketItem[]
  unavailable: ContextPart[]
}

export interface Member {
  id: string
  /** The sign-in name. ConnectWise searches tickets by it. */
  identifier: string
  name: string
  email: string | null
}

export interface TicketSearch {
  /** An empty list means all boards. */
  boardIds: readonly string[]
  assignedTo: Pick<Member, 'id' | 'identifier'> | null
  unassigned: boolean
  /** Null means all companies. */
  companyId: string | null
  /** Each of these words must be in the summary. A single number also finds the ticket with this id. */
  words: readonly string[]
  /** Starts at 1. */
  page: number
  pageSize: number
}

/** The fields of a ticket to change. A field that is left out stays as it is. */
export interface TicketChange {
  statusId?: string | undefined
  boardId?: string | undefined
  /** Null removes the owner. */
  memberId?: string | null | undefined
}

/** A time entry. `reference` is stored with it, and identifies it when an attempt is repeated. */
export interface NewTimeEntry {
  ticketId: string
  memberId: string
  /** RFC 3339. */
  startedAt: string
  minutes: number
  note: TicketText
  reference: string
}

export interface TimeEntry {
  id: string
  isBilled: boolean
}

/** A ticket to create. `reference` is stored with it, and identifies it when an attempt is repeated. */
export interface NewTicket {
  summary: ClientText
  description: ClientText
  companyId: string
  contactId: string | null
  boardId: string | null
  reference: string
}

/** A note that an earlier attempt may have added. */
export interface NoteQuery {
  text: string
  /** `internal` by default. */
  visibility?: NoteVisibility
  /** RFC 3339. Older notes are not considered. */
  since: string
  /** Ids of notes that others have added. */
  others?: readonly string[]
}

/** One account's ticketing system. Every method throws only PsaError when the provider fails. */
export interface PsaPort {
  /** Throw when the provider refuses the credentials. */
  checkCredentials(): Promise<void>
  listBoards(): Promise<Board[]>
  listStatuses(boardId: string): Promise<Status[]>
  /** Return up to 25 active companies whose name contains all words, by name. */
  searchCompanies(words: readonly string[]): Promise<CompanyItem[]>
  /** Return open tickets, the last changed first. */
  searchTickets(search: TicketSearch): Promise<{ items: TicketItem[]; hasMore: boolean }>
  /** Throw `missing` when the ticket does not exist. A part that fails is only left out. */
  getTicketContext(id: string): Promise<TicketContext>
  /** Throw `missing` when the ticket does not exist. */
  getTicket(id: string): Promise<Ticket>
  updateTicket(id: string, change: TicketChange): Promise<Ticket>
  /** Return the ticket's id. */
  createTicket(ticket: NewTicket): Promise<string>
  /** Return the id of the ticket with this reference, or null. */
  findTicket(reference: string): Promise<string | null>
  /** Return the time entry's id. */
  addTimeEntry(entry: NewTimeEntry): Promise<string>
  /** Return the ticket's time entry with this reference, or null. */
  findTimeEntry(ticketId: string, reference: string): Promise<TimeEntry | null>
  /** Delete a time entry. The provider refuses one that is billed. */
  deleteTimeEntry(ticketId: string, id: string): Promise<void>
  /** Return the active members. */
  listMembers(): Promise<Member[]>
  /** Return whom the provider mails about a note for the client of this ticket. */
  findRecipient(ticketId: string): Promise<RecipientAnswer>
  /** Return the note's id. With `mailTo`, the address of `findRecipient`, the provider also mails it. */
  addNote(ticketId: string, note: TicketText, mailTo?: string): Promise<string>
  /** Return the id of a note with the same words, or null. */
  findNote(ticketId: string, note: NoteQuery): Promise<string | null>
}

export type PsaErrorKind = 'auth' | 'forbidden' | 'missing' | 'rate_limit' | 'down' | 'invalid'

/**
 * A failure of the provider. The message is shown to users: a sentence of ours, and that of the provider as
 * `readSentence` cleaned it.
 */
export class PsaError extends Error {
  readonly kind: PsaErrorKind
  readonly status: number | null
  readonly retryAfterSeconds: number | undefined

  constructor(
    kind: PsaErrorKind,
    message: string,
    {
      status = null,
      retryAfterSeconds,
    }: { status?: number | null; retryAfterSeconds?: number | undefined } = {},
  ) {
    super(message)
    this.name = 'PsaError'
    this.kind = kind
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** A connection with its decrypted secrets. Use it for one request only, and never log it. */
export type PsaConnection = { baseUrl: string } & (
  | {
      provider: 'connectwise'
      identity: { company_id: string; client_id: string }
      secrets: { public_key: string; private_key: string }
    }
  | { provider: 'halopsa'; identity: HaloIdentity; secrets: { client_secret: string } }
)
interface HaloIdentity {
  client_id: string
  tenant: string | null
  /** The authorisation server, if it is not below the base URL. */
  auth_url?: string | null
  /** The names of the actions that add notes, if they are not the vendor's. */
  private_note_outcome?: string | null
  public_note_outcome?: string | null
}
export const providers = ['connectwise', 'halopsa'] as const
export type Provider = (typeof providers)[number]

/** Open a connection. Its port serves one request, in at most ten seconds. */
export type OpenPsa = (connection: PsaConnection) => PsaPort

/** The ids of tickets in both providers are numbers. */
export const ticketIdPattern = /^\d{1,15}$/

/** Parse a ticket number as technicians write it (`4711`, `#4711`). Return null when it is not one. */
export function parseTicketId(text: string | null): string | null {
  return /^\s*#?(\d{1,15})\s*$/.exec(text ?? '')?.[1] ?? null
}

/** What writes to the ticketing system. */
export type PsaWrites = Pick<
  PsaPort,
  | 'addNote'
  | 'updateTicket'
  | 'createTicket'
  | 'findTicket'
  | 'addTimeEntry'
  | 'findTimeEntry'
  | 'deleteTimeEntry'
>
