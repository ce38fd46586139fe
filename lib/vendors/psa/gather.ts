import { type ContextPart, contextParts, PsaError, type Ticket, type TicketContext } from './psa.ts'

type PartReaders = { [P in ContextPart]: () => Promise<TicketContext[P]> }
const emptyParts = { company: null, contact: null, configurations: [], notes: [], related_tickets: [] }

/** Read all parts of a context in parallel. A part that fails is empty and named in `unavailable`. */
export async function readContextParts(ticket: Ticket, readers: PartReaders): Promise<TicketContext> {
  const unavailable: ContextPart[] = []
  const parts = await Promise.all(
    contextParts.map(async (part) => {
      const value = await readers[part]().catch((error: unknown) => {
        if (!(error instanceof PsaError)) throw error
        unavailable.push(part)
        return emptyParts[part]
      })
      return [part, value] as const
    }),
  )
  const values = Object.fromEntries(parts) as Pick<TicketContext, ContextPart>
  return { ticket, ...values, unavailable: contextParts.filter((part) => unavailable.includes(part)) }
}
