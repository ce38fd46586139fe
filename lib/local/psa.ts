import type { Hono, MiddlewareHandler } from 'hono'
import { type Clock, toTimestamp } from './clock.ts'
import { parseJsonOrText } from './parse-json.ts'
import { createConnectwiseRoutes } from './psa-connectwise.ts'
import { buildPsaData, type LocalPsa } from './psa-data.ts'
import { createHaloRoutes } from './psa-halo.ts'
import type { Records } from './records.ts'

/** Create both PSA providers with the same data, and middleware that records every call with its response. */
export function createPsa({ records, clock }: { records: Records; clock: Clock }): {
  connectwise: Hono
  halo: Hono
  recordCalls: MiddlewareHandler
} {
  const data = buildPsaData()
  let lastNoteId = 1_000_000
  const psa: LocalPsa = {
    data,
    findTicket: (id) => data.tickets.find((ticket) => ticket.id === id),
    addNote(ticket, text, internal) {
      const note = { id: ++lastNoteId, text, internal, author: 'Support Flow', createdAt: toTimestamp(clock.now()), isTimeEntry: false }
      ticket.notes.push(note)
      ticket.updatedAt = note.createdAt
      return note
    },
  }
  const recordCalls: MiddlewareHandler = async (c, next) => {
    const text = await c.req.text()
    const { pathname, search } = new URL(c.req.url)
    await next()
    // Credentials and tokens are not recorded.
    const isTokenCall = pathname.endsWith('/auth/token')
    const request = isTokenCall ? '(credentials)' : parseBody(text)
    const response = isTokenCall ? '(token)' : parseBody(await c.res.clone().text())
    records.add('psa', { method: c.req.method, path: pathname + search, request, status: c.res.status, response })
  }
  return { connectwise: createConnectwiseRoutes(psa), halo: createHaloRoutes(psa), recordCalls }
}

function parseBody(text: string): unknown {
  return text === '' ? null : parseJsonOrText(text)
}
