import type { Hono, MiddlewareHandler } from 'hono'
import { type Clock, timestamp } from './clock.ts'
import { type LocalPsa, makeCompany } from './psa-company.ts'
import { connectwiseRoutes } from './psa-connectwise.ts'
import { haloRoutes } from './psa-halo.ts'
import type { Records } from './records.ts'

/** Both providers over one company; every call lies on the desk with its answer. */
export function createPsa({ records, clock }: { records: Records; clock: Clock }): {
  connectwise: Hono
  halo: Hono
  recorded: MiddlewareHandler
} {
  const company = makeCompany()
  let written = 1_000_000
  const psa: LocalPsa = {
    company,
    ticket: (id) => company.tickets.find((ticket) => ticket.id === id),
    write(ticket, text, internal) {
      const note = { id: ++written, text, internal, author: 'Support Flow', at: timestamp(clock.now()) }
      ticket.notes.push(note)
      ticket.updatedAt = note.at
      return note
    },
  }
  const recorded: MiddlewareHandler = async (c, next) => {
    const text = await c.req.text()
    const { pathname, search } = new URL(c.req.url)
    await next()
    // What opens the door is nobody's business, not even here.
    const request = pathname.endsWith('/auth/token') ? '(credentials)' : parsed(text)
    const answer = pathname.endsWith('/auth/token') ? '(token)' : parsed(await c.res.clone().text())
    records.add('psa', { method: c.req.method, path: pathname + search, request, status: c.res.status, response: answer })
  }
  return { connectwise: connectwiseRoutes(psa), halo: haloRoutes(psa), recorded }
}

function parsed(text: string): unknown {
  try {
    return text ? JSON.parse(text) : null
  } catch {
    return text
  }
}
