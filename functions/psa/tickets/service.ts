import * as z from 'zod'
import type { ReadContext } from '../../../lib/http/operation.ts'
import { invalidField, Problem } from '../../../lib/problem.ts'
import * as connection from '../connection/service.ts'
import * as members from '../members/service.ts'
import { Board, TicketContext, type TicketQuery } from './schemas.ts'

type PsaReadContext = connection.ConnectionContext & Pick<ReadContext, 'cache'>

const boardSeconds = 60 * 60
const contextSeconds = 5 * 60

export async function listBoards(ctx: PsaReadContext) {
  const psa = await connection.open(ctx)
  return readThroughCache(ctx, psa, { name: 'boards', schema: z.array(Board), seconds: boardSeconds }, () =>
    psa.port.listBoards().catch(throwPsaProblem()),
  )
}

export async function search(ctx: PsaReadContext, { assigned_to_me, unassigned, board_ids = [], page, page_size }: TicketQuery) {
  if (assigned_to_me && unassigned) throw invalidField(['query', 'unassigned'], 'must not be combined with assigned_to_me', 'contradiction')
  const psa = await connection.open(ctx)
  const assignedTo = assigned_to_me ? ((await members.findOwnMember(ctx)) ?? throwNotMapped()) : null
  const filters = { boardIds: board_ids, assignedTo, unassigned, page, pageSize: page_size }
  const { items, hasMore } = await psa.port.searchTickets(filters).catch(throwPsaProblem())
  return { items, page, page_size, has_more: hasMore }
}

/** Return a ticket with its context. Throw 404, 409 `psa_not_connected`, or 502 with a code for the provider's failure. */
export async function getContext(ctx: PsaReadContext, ticketId: string): Promise<TicketContext> {
  const psa = await connection.open(ctx)
  const read = async () => ({ ...(await psa.port.getTicketContext(ticketId).catch(throwPsaProblem('Ticket'))), fetched_at: psa.now })
  // An incomplete context is not cached, so the next request reads it again.
  const isComplete = (context: TicketContext) => context.unavailable.length === 0
  return readThroughCache(ctx, psa, { name: toTicketCacheName(ticketId), schema: TicketContext, seconds: contextSeconds, isComplete }, read)
}

/** Delete a ticket from the cache, because a note was added to it. */
export async function deleteCachedTicket(
  { cache }: Pick<PsaReadContext, 'cache'>,
  { key }: connection.OpenConnection,
  ticketId: string,
): Promise<void> {
  await cache.delete(toCacheKey(key, toTicketCacheName(ticketId)))
}

const toCacheKey = (key: string, name: string) => `psa:${key}:${name}`
const toTicketCacheName = (ticketId: string) => `ticket:${ticketId}`

interface CacheOptions<S extends z.ZodType> {
  name: string
  schema: S
  seconds: number
  isComplete?: (value: z.output<S>) => boolean
}

/**
 * Return the cached value if it is less than `seconds` old by the database's clock. Otherwise call `read` and cache its result. An
 * unreachable cache or an invalid entry counts as a miss.
 */
async function readThroughCache<S extends z.ZodType>(
  { cache }: PsaReadContext,
  { key, now }: connection.OpenConnection,
  { name, schema, seconds, isComplete = () => true }: CacheOptions<S>,
  read: () => Promise<z.output<S>>,
): Promise<z.output<S>> {
  const cacheKey = toCacheKey(key, name)
  const entry = z.object({ at: z.string(), value: z.unknown() }).safeParse(await cache.get(cacheKey)).data
  const cached = entry && Date.parse(now) - Date.parse(entry.at) < seconds * 1000 ? schema.safeParse(entry.value) : undefined
  if (cached?.success) return cached.data
  const value = await read()
  if (isComplete(value)) await cache.set(cacheKey, { at: now, value }, seconds)
  return value
}

/** Create a `catch` handler that converts a provider's error to a Problem. */
function throwPsaProblem(resource?: string) {
  return (error: unknown): never => {
    throw connection.toProblem(error, resource)
  }
}

function throwNotMapped(): never {
  throw new Problem('psa_member_not_mapped', 'You are not mapped to a member of the ticketing system')
}
