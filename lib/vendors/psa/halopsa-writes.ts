import * as z from 'zod'
import { isInternalNote, type NoteVisibility } from '#rules/audience.ts'
import { html } from '#rules/text/html.ts'
import { id } from '#vendors/net/wire.ts'
import { type ApiPath, apiPath, type Get, type Query } from './api-path.ts'
import {
  isBilledAction,
  readNotes,
  TicketList,
  TicketReferenceWire,
  unassignedAgentId,
} from './halopsa-wire.ts'
import type { NewTicket, NewTimeEntry, PsaWrites, Ticket, TicketChange } from './psa.ts'
import { parseAnswer, parseItems } from './wire.ts'

type Post = (path: ApiPath, body: object) => Promise<unknown>
type Delete = (path: ApiPath, query: Query) => Promise<unknown>
/** The names of the actions that add notes. */
interface NoteOutcomes {
  private_note_outcome?: string | null
  public_note_outcome?: string | null
}
type ReadTicket = (ticketId: string) => Promise<{ ticket: Ticket }>

/**
 * Create the part of the client that writes to HaloPSA. Its POST takes a list; an item with an id changes the
 * record with this id.
 */
export function createHaloWrites(
  get: Get,
  post: Post,
  remove: Delete,
  readTicket: ReadTicket,
  outcomes: NoteOutcomes,
): PsaWrites {
  const save = async (path: ApiPath, record: object) => parseSavedId(await post(path, [record]))
  return {
    addNote: (ticketId, note, mailTo) =>
      save(apiPath`/Actions`, { ...toNoteBody(ticketId, note, outcomes), ...toMail(mailTo) }),
    async updateTicket(ticketId, change) {
      await readTicket(ticketId)
      await save(apiPath`/Tickets`, toChangeBody(ticketId, change))
      return (await readTicket(ticketId)).ticket
    },
    createTicket: (ticket) => save(apiPath`/Tickets`, toTicketBody(ticket)),
    async findTicket(reference) {
      const { tickets } = parseAnswer(
        TicketList,
        await get(apiPath`/Tickets`, { third_party_id_string: reference, count: 50 }),
      )
      // An older server may ignore the filter, so the reference is compared.
      return (
        parseItems(TicketReferenceWire, tickets).find((ticket) => ticket.third_party_id_string === reference)
          ?.id ?? null
      )
    },
    addTimeEntry: (entry) => save(apiPath`/Actions`, toTimeEntryBody(entry, outcomes)),
    async findTimeEntry(ticketId, reference) {
      const answer = await get(apiPath`/Actions`, { ticket_id: ticketId, excludesys: 'true', count: 1000 })
      const entry = readNotes(answer).find(({ text }) => text.includes(reference))
      if (!entry) return null
      // A list may leave out the invoice, which is a detail of the action.
      const query = { ticket_id: ticketId, includedetails: 'true' }
      const details = await get(apiPath`/Actions/${entry.id}`, query)
      return { id: entry.id, isBilled: parseAnswer(isBilledAction, details) }
    },
    // https://www.powershellgallery.com/packages/HaloAPI/1.23.2/Content/Remove%5CRemove-HaloAction.ps1
    deleteTimeEntry: async (ticketId, entryId) =>
      void (await remove(apiPath`/Actions/${entryId}`, { ticket_id: ticketId })),
  }
}

/** Read the id of a saved record. The response is the record or a list with it. */
function parseSavedId(answer: unknown): string {
  return parseAnswer(z.object({ id }), Array.isArray(answer) ? answer[0] : answer).id
}

function toChangeBody(ticketId: string, { statusId, boardId, memberId }: TicketChange) {
  return {
    id: Number(ticketId),
    ...(statusId === undefined ? {} : { status_id: Number(statusId) }),
    ...(boardId === undefined ? {} : { team_id: Number(boardId) }),
    ...(memberId === undefined ? {} : { agent_id: Number(memberId ?? unassignedAgentId) }),
  }
}

/** HaloPSA has no notes for the resolution: it is a public note that says so. */
interface NoteBody {
  text: string
  visibility: NoteVisibility
}

/** Return the text of a note as HaloPSA has it. */
export function toNoteText({ text, visibility }: NoteBody): string {
  return visibility === 'resolution' ? `Resolution:\n${text}` : text
}

function toNoteBody(ticketId: string, note: NoteBody, outcomes: NoteOutcomes) {
  const isInternal = isInternalNote[note.visibility]
  return {
    ticket_id: Number(ticketId),
    outcome: isInternal
      ? (outcomes.private_note_outcome ?? 'Private Note')
      : (outcomes.public_note_outcome ?? 'Public Note'),
    note_html: toHtml(toNoteText(note)),
    hiddenfromuser: isInternal,
    sendemail: false,
  }
}

function toTicketBody({ summary, description, companyId, contactId, boardId, reference }: NewTicket) {
  return {
    summary,
    details_html: toHtml(description),
    client_id: Number(companyId),
    user_id: contactId ? Number(contactId) : undefined,
    team_id: boardId ? Number(boardId) : undefined,
    third_party_id_string: reference,
  }
}

/** HaloPSA mails an action with `sendemail` to the addresses in `emailto`. */
const toMail = (address: string | undefined) =>
  address === undefined ? {} : { sendemail: true, emailto: address }

/**
 * `timetaken` is in hours. An action has no field for a reference, so the last line of its text is the
 * reference.
 */
function toTimeEntryBody(
  { ticketId, memberId, startedAt, minutes, note, reference }: NewTimeEntry,
  outcomes: NoteOutcomes,
) {
  const endedAt = new Date(Date.parse(startedAt) + minutes * 60_000).toISOString()
  return {
    ...toNoteBody(
      ticketId,
      { text: `${note.text}\n\nReference ${reference}`, visibility: note.visibility },
      outcomes,
    ),
    who_agentid: Number(memberId),
    timetaken: minutes / 60,
    actionarrivaldate: startedAt,
    actioncompletiondate: endedAt,
  }
}

const toHtml = (text: string) =>
  String(html`${text.split('\n').map((line, index) => [index > 0 && html`<br>`, line])}`)
