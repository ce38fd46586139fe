import type { Hono, MiddlewareHandler } from 'hono'
import { type Clock, toTimestamp } from '#local/clock.ts'
import { parseJsonOrText } from '#local/vendors/parse-json.ts'
import type { Records } from '#local/vendors/records.ts'
import { createConnectwiseRoutes } from './psa-connectwise.ts'
import { buildPsaData, buildTicketDetails, type LocalNote, type LocalPsa } from './psa-data.ts'
import { createHaloRoutes } from './psa-halo.ts'

/** Create both PSA providers with the same data, and middleware that records every call with its response. */
export function createPsa({ records, clock }: { records: Records; clock: Clock }): {
  connectwise: Hono
  halo: Hono
  recordCalls: MiddlewareHandler
} {
  const data = buildPsaData()
  let lastNoteId = 1_000_000
  let lastTicketId = 90_000
  const psa: LocalPsa = {
    data,
    findTicket: (id) => data.tickets.find((ticket) => ticket.id === id),
    findProjectTicket: (id) => data.projectTickets.find((ticket) => ticket.id === id),
    addNote(ticket, text, internal, timeEntry) {
      const createdAt = toTimestamp(clock.now())
      const note: LocalNote = {
        id: ++lastNoteId,
        text,
        internal,
        author: 'Support Flow',
        createdAt,
        isTimeEntry: timeEntry !== undefined,
        timeEntry,
      }
      ticket.notes.push(note)
      ticket.updatedAt = note.createdAt
      return note
    },
    changeTicket(ticket, change) {
      const { boardId, statusId, memberId } = { ...ticket, ...change }
      const status = data.statuses.find(({ id }) => id === statusId)
      if (!data.boards.some(({ id }) => id === boardId)) return 'The board does not exist'
      if (!status || status.boardId !== boardId) return 'The status does not belong to the board'
      if (status.inactive && statusId !== ticket.statusId) return 'The status is inactive'
      if (memberId !== null && !data.members.some(({ id }) => id === memberId))
        return 'The member does not exist'
      Object.assign(ticket, {
        boardId,
        statusId,
        memberId,
        closed: status.closed,
        updatedAt: toTimestamp(clock.now()),
      })
      return null
    },
    mergeTicket(ticket, parent) {
      parent.notes.push(...ticket.notes.splice(0))
      Object.assign(ticket, { mergedInto: parent.id, closed: true, updatedAt: toTimestamp(clock.now()) })
    },
    deleteNote(ticket, id) {
      const note = ticket.notes.find((candidate) => candidate.id === id)
      if (!note) return 'missing'
      if (note.timeEntry?.isBilled) return 'billed'
      ticket.notes.splice(ticket.notes.indexOf(note), 1)
      return null
    },
    createTicket(fields) {
      const createdAt = toTimestamp(clock.now())
      const [status] = data.statuses.filter(({ boardId }) => boardId === fields.boardId)
      const defaults = {
        statusId: status?.id ?? 0,
        priorityId: 7,
        memberId: null,
        configurationIds: [],
        closed: false,
        notes: [],
      }
      const id = ++lastTicketId
      const details = buildTicketDetails(id, createdAt)
      const ticket = { id, ...fields, ...defaults, details, createdAt, updatedAt: createdAt }
      data.tickets.push(ticket)
      return ticket
    },
  }
  const recordCalls: MiddlewareHandler = async (c, next) => {
    const text = await c.req.text()
    const { pathname, search } = new URL(c.req.url)
    await next()
    // Credentials and tokens are not recorded.
    const isTokenCall = pathname.endsWith('/token')
    const request = isTokenCall ? '(credentials)' : parseBody(text)
    const response = isTokenCall ? '(token)' : parseBody(await c.res.clone().text())
    records.add('psa', {
      method: c.req.method,
      path: pathname + search,
      request,
      status: c.res.status,
      response,
    })
  }
  return { connectwise: createConnectwiseRoutes(psa), halo: createHaloRoutes(psa), recordCalls }
}

function parseBody(text: string): unknown {
  return text === '' ? null : parseJsonOrText(text)
}
