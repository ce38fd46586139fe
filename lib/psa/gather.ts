import { PsaError, type SidePart, sideParts, type Ticket, type TicketContext } from './psa.ts'

type Sides = { [P in SidePart]: () => Promise<TicketContext[P]> }
const nothing = { company: null, contact: null, configurations: [], notes: [], related_tickets: [] }

/** Asks for everything around a ticket at once. A part that fails is left empty and named; it never takes the others with it. */
export async function gather(ticket: Ticket, sides: Sides): Promise<TicketContext> {
  const unavailable: SidePart[] = []
  const asked = await Promise.all(
    sideParts.map(async (part) => {
      const value = await sides[part]().catch((error: unknown) => {
        if (!(error instanceof PsaError)) throw error
        unavailable.push(part)
        return nothing[part]
      })
      return [part, value] as const
    }),
  )
  const found = Object.fromEntries(asked) as Pick<TicketContext, SidePart>
  return { ticket, ...found, unavailable: sideParts.filter((part) => unavailable.includes(part)) }
}
