import { z } from 'zod'
import type { Reader } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import * as connection from '../connection/service.ts'
import * as members from '../members/service.ts'
import { Board, TicketContext, type TicketQuery } from './schemas.ts'

type Asking = connection.Connecting & Pick<Reader, 'cache'>

const boardSeconds = 60 * 60
const contextSeconds = 5 * 60

export async function listBoards(ctx: Asking) {
  const psa = await connection.connected(ctx)
  return cached(ctx, psa, { name: 'boards', schema: z.array(Board), seconds: boardSeconds }, () => psa.port.boards().catch(failed()))
}

export async function searchTickets(ctx: Asking, { assigned_to_me, unassigned, board_ids = [], page, page_size }: TicketQuery) {
  if (assigned_to_me && unassigned)
    throw invalid([{ loc: ['query', 'unassigned'], msg: 'Not together with assigned_to_me', type: 'contradiction' }])
  const psa = await connection.connected(ctx)
  const assignedTo = assigned_to_me ? ((await members.mine(ctx)) ?? notMapped()) : null
  const search = { boardIds: board_ids, assignedTo, unassigned, page, pageSize: page_size }
  const { items, hasMore } = await psa.port.searchTickets(search).catch(failed())
  return { items, page, page_size, has_more: hasMore }
}

/** Everything around a ticket, for a person or a prompt. Throws 404, 409 `psa_not_connected`, or 502 with the provider's failure as its code. */
export async function context(ctx: Asking, ticketId: string): Promise<TicketContext> {
  const psa = await connection.connected(ctx)
  const read = async () => ({ ...(await psa.port.ticketContext(ticketId).catch(failed('Ticket'))), fetched_at: psa.now })
  // What is incomplete is asked for again the next time.
  const whole = (found: TicketContext) => found.unavailable.length === 0
  return cached(ctx, psa, { name: ticketPlace(ticketId), schema: TicketContext, seconds: contextSeconds, whole }, read)
}

/** What was kept of a ticket is out of date: something was written on it. */
export async function forgetTicket({ cache }: Pick<Asking, 'cache'>, { key }: connection.Connected, ticketId: string): Promise<void> {
  await cache.drop(placeOf(key, ticketPlace(ticketId)))
}

const placeOf = (key: string, name: string) => `psa:${key}:${name}`
const ticketPlace = (ticketId: string) => `ticket:${ticketId}`

interface Keeping<S extends z.ZodType> {
  name: string
  schema: S
  seconds: number
  whole?: (value: z.output<S>) => boolean
}

/** What was read within the last `seconds` by the database's clock, or what `read` answers; a cache that is away or wrong is passed over. */
async function cached<S extends z.ZodType>(
  { cache }: Asking,
  { key, now }: connection.Connected,
  { name, schema, seconds, whole = () => true }: Keeping<S>,
  read: () => Promise<z.output<S>>,
): Promise<z.output<S>> {
  const place = placeOf(key, name)
  const kept = z.object({ at: z.string(), value: z.unknown() }).safeParse(await cache.get(place)).data
  const fresh = kept && Date.parse(now) - Date.parse(kept.at) < seconds * 1000 ? schema.safeParse(kept.value) : undefined
  if (fresh?.success) return fresh.data
  const value = await read()
  if (whole(value)) await cache.set(place, { at: now, value }, seconds)
  return value
}

function failed(missingThing?: string) {
  return (error: unknown): never => {
    throw connection.problemOf(error, missingThing)
  }
}

function notMapped(): never {
  throw new Problem('conflict', 'You are mapped to no member of the ticketing system', { code: 'psa_member_not_mapped' })
}
