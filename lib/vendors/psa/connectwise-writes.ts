import { isInternalNote, type NoteVisibility, type TicketText } from '#rules/audience.ts'
import { type ApiPath, apiPath, type Get } from './api-path.ts'
import { joinConditions, toIdList, toLiteral } from './conditions.ts'
import { chargeTypes, type TicketKind, type TicketKinds } from './connectwise-kinds.ts'
import { readPages } from './connectwise-pages.ts'
import {
  CreatedRecord,
  isBilled,
  TicketReferenceWire,
  TicketWire,
  TimeEntryWire,
  toTicket,
} from './connectwise-wire.ts'
import type { NewTicket, NewTimeEntry, PsaWrites, TicketChange } from './psa.ts'
import { parseAnswer, parseItems } from './wire.ts'

export type Send = (method: 'POST' | 'PATCH' | 'DELETE', path: ApiPath, body?: object) => Promise<unknown>

// The limit of the field `summary`:
// https://developer.connectwise.com/Products/ConnectWise_PSA/REST#/Tickets/postServiceTickets
const maxSummaryLength = 100

/** Create the part of the client that writes to ConnectWise. */
export function createConnectWiseWrites(get: Get, send: Send, { callAs, readKind }: TicketKinds): PsaWrites {
  const create = async (path: ApiPath, body: object) =>
    parseAnswer(CreatedRecord, await send('POST', path, body)).id
  return {
    addNote: (ticketId, note, mailTo) =>
      callAs(ticketId, async (kind) =>
        create(apiPath`/${kind}/tickets/${ticketId}/notes`, toNoteBody(note, mailTo !== undefined)),
      ),
    updateTicket: async (ticketId, change) =>
      toTicket(
        parseAnswer(
          TicketWire,
          await callAs(ticketId, async (kind) =>
            send('PATCH', apiPath`/${kind}/tickets/${ticketId}`, toPatch(change)),
          ),
        ),
      ),
    createTicket: (ticket) => create(apiPath`/service/tickets`, toTicketBody(ticket)),
    async findTicket(reference) {
      const query = {
        conditions: `externalXRef=${toLiteral(reference)}`,
        fields: 'id,externalXRef',
        orderBy: 'id asc',
        pageSize: 5,
      }
      const tickets = parseItems(TicketReferenceWire, await get(apiPath`/service/tickets`, query))
      return tickets.find(({ externalXRef }) => externalXRef === reference)?.id ?? null
    },
    addTimeEntry: async (entry) =>
      create(apiPath`/time/entries`, toTimeEntryBody(entry, await readKind(entry.ticketId))),
    async findTimeEntry(ticketId, reference) {
      const isTicket = `(${Object.values(chargeTypes)
        .map((type) => `chargeToType=${toLiteral(type)}`)
        .join(' or ')})`
      const conditions = joinConditions(`chargeToId in ${toIdList([ticketId])}`, isTicket)
      const entries = await readPages(
        get,
        apiPath`/time/entries`,
        { conditions, fields: 'id,internalNotes,status,invoice', orderBy: 'id desc' },
        TimeEntryWire,
      )
      const entry = entries.find(({ internalNotes }) => internalNotes?.includes(reference))
      return entry ? { id: entry.id, isBilled: isBilled(entry) } : null
    },
    // https://github.com/tjone270/pyconnectwise-psa/blob/0763118f99cf1067f197b2f3e278e83f77fac416/docs/TimeEntriesApi.md
    deleteTimeEntry: async (_, entryId) => void (await send('DELETE', apiPath`/time/entries/${entryId}`)),
  }
}

const toReference = (id: string) => ({ id: Number(id) })

/**
 * Return the operations of a PATCH. A status belongs to a board, so the board is replaced first
 * (https://developer.connectwise.com/Best_Practices/PSA_API_Requests).
 */
function toPatch({ boardId, statusId, memberId }: TicketChange) {
  const replace = (path: string, id: string | null | undefined) =>
    id === undefined ? [] : [{ op: 'replace', path, value: id === null ? null : toReference(id) }]
  return [...replace('board', boardId), ...replace('status', statusId), ...replace('owner', memberId)]
}

/** The sections of the ticket in which a text is shown. */
const sections: Record<
  NoteVisibility,
  { detailDescription: boolean; internalAnalysis: boolean; resolution: boolean }
> = {
  internal: { detailDescription: false, internalAnalysis: true, resolution: false },
  client: { detailDescription: true, internalAnalysis: false, resolution: false },
  resolution: { detailDescription: false, internalAnalysis: false, resolution: true },
}

/**
 * Without `isMailed` a note is documentation. With it ConnectWise sends the mails that the ticket has
 * switched on (https://developer.connectwise.com/Products/ConnectWise_PSA/REST#/TicketNotes).
 */
function toNoteBody({ text, visibility }: TicketText, isMailed: boolean) {
  const { detailDescription, internalAnalysis, resolution } = sections[visibility]
  const flags = {
    detailDescriptionFlag: detailDescription,
    internalAnalysisFlag: internalAnalysis,
    resolutionFlag: resolution,
  }
  return {
    text,
    ...flags,
    internalFlag: isInternalNote[visibility],
    externalFlag: !isInternalNote[visibility],
    processNotifications: isMailed,
  }
}

function toTicketBody({ summary, description, companyId, contactId, boardId, reference }: NewTicket) {
  return {
    summary: Array.from(summary).slice(0, maxSummaryLength).join(''),
    initialDescription: description,
    company: toReference(companyId),
    contact: contactId ? toReference(contactId) : undefined,
    board: boardId ? toReference(boardId) : undefined,
    externalXRef: reference,
  }
}

/**
 * Without `timeEnd`, the hours count from the start. The reference is in the notes that the client does not
 * see.
 */
function toTimeEntryBody(
  { ticketId, memberId, startedAt, minutes, note, reference }: NewTimeEntry,
  kind: TicketKind,
) {
  const { detailDescription, internalAnalysis, resolution } = sections[note.visibility]
  return {
    chargeToId: Number(ticketId),
    chargeToType: chargeTypes[kind],
    member: toReference(memberId),
    // ConnectWise takes no fractions of a second.
    timeStart: startedAt.replace(/\.\d+Z$/, 'Z'),
    actualHours: Math.round((minutes / 60) * 100) / 100,
    notes: note.text,
    internalNotes: `Reference ${reference}`,
    addToDetailDescriptionFlag: detailDescription,
    addToInternalAnalysisFlag: internalAnalysis,
    addToResolutionFlag: resolution,
    emailResourceFlag: false,
    emailContactFlag: false,
    emailCcFlag: false,
  }
}
