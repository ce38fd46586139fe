import * as z from 'zod'
import type { ReadDb } from '#db/scope.ts'
import { Board, Status } from '#functions/psa/connection/schemas.ts'
import * as connection from '#functions/psa/connection/service.ts'
import * as members from '#functions/psa/members/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, Problem, unknownId } from '#problem.ts'
import { findSurvivor } from '#vendors/psa/merged.ts'
import type { CompanyItem, Ticket, TicketChange } from '#vendors/psa/psa.ts'
import type { RecipientAnswer } from '#vendors/psa/recipient.ts'
import * as queries from './queries.ts'
import { CachedContext, type TicketContext, type TicketQuery, type TicketUpdate } from './schemas.ts'

type PsaReadContext = connection.ConnectionContext & Pick<ReadContext, 'cache'>

const boardSeconds = 60 * 60
const contextSeconds = 5 * 60

export async function listBoards(ctx: PsaReadContext) {
  return readBoards(ctx, await connection.open(ctx))
}

function readBoards(ctx: PsaReadContext, psa: connection.OpenConnection) {
  return readThroughCache(ctx, psa, { name: 'boards', schema: z.array(Board), seconds: boardSeconds }, () =>
    psa.port.listBoards().catch(throwPsaProblem()),
  )
}

export async function listStatuses(ctx: PsaReadContext, boardId: string) {
  return readStatuses(ctx, await connection.open(ctx), boardId)
}

function readStatuses(ctx: PsaReadContext, psa: connection.OpenConnection, boardId: string) {
  return readThroughCache(
    ctx,
    psa,
    { name: `statuses:${boardId}`, schema: z.array(Status), seconds: boardSeconds },
    () => psa.port.listStatuses(boardId).catch(throwPsaProblem('Board')),
  )
}

export async function searchCompanies(ctx: PsaReadContext, text: string): Promise<CompanyItem[]> {
  const { port } = await connection.open(ctx)
  return port.searchCompanies(toWords(text)).catch(throwPsaProblem())
}

/**
 * Change a ticket, or the one that it was merged into, at the ticketing system. Throw 422 for an id that the
 * connection does not have, 404, 409 and 502 as `getContext`.
 */
export async function update(ctx: WriteContext, ticketId: string, changes: TicketUpdate): Promise<Ticket> {
  const { board_id: boardId, status_id: statusId, member_id } = changes
  if (boardId && !statusId) throw invalidField(['body', 'status_id'], 'is required with board_id', 'missing')
  const psa = await connection.open(ctx)
  const read = (id: string) => psa.port.getTicket(id).catch(throwPsaProblem('Ticket'))
  const ticket = await findSurvivor(await read(ticketId), read, ({ merged_into }) => merged_into)
  if (Object.keys(changes).length === 0) return ticket
  const change: TicketChange = { boardId, statusId, memberId: await findMemberId(ctx, psa, member_id) }
  await requireStatus(ctx, psa, ticket, change)
  const changed = await psa.port.updateTicket(ticket.id, change).catch(throwPsaProblem('Ticket'))
  await deleteCachedTicket(ctx, psa, ticket.id)
  return changed
}

/** Throw 422 unless the board is active and the status belongs to it, or to the ticket's board. */
async function requireStatus(
  ctx: WriteContext,
  psa: connection.OpenConnection,
  ticket: Ticket,
  { boardId, statusId }: TicketChange,
): Promise<void> {
  if (boardId && !(await readBoards(ctx, psa)).some(({ id }) => id === boardId))
    throw unknownId('board_id', 'board')
  if (!statusId) return
  const statusBoardId = boardId ?? ticket.board_id
  const statuses = statusBoardId ? await readStatuses(ctx, psa, statusBoardId) : []
  if (!statuses.some(({ id }) => id === statusId)) throw unknownId('status_id', 'status of the board')
}

/**
 * Return the id of the member to assign. Throw 409 for `me` without a mapping, and 422 for an unknown member.
 */
async function findMemberId(
  ctx: WriteContext,
  { port }: connection.OpenConnection,
  memberId: TicketUpdate['member_id'],
) {
  if (memberId === 'me') return ((await members.findOwnMember(ctx)) ?? throwNotMapped()).id
  if (
    typeof memberId === 'string' &&
    !(await port.listMembers().catch(throwPsaProblem())).some(({ id }) => id === memberId)
  )
    throw unknownId('member_id', 'member')
  return memberId
}

const maxWords = 10

/** Split a search into words. Each of them is one condition, so their number is bounded. */
function toWords(text: string): string[] {
  return text.split(/\s+/).filter(Boolean).slice(0, maxWords)
}

export async function search(
  ctx: PsaReadContext,
  { assigned_to_me, unassigned, board_ids = [], text = '', page, page_size }: TicketQuery,
) {
  if (assigned_to_me && unassigned)
    throw invalidField(['query', 'unassigned'], 'must not be combined with assigned_to_me', 'contradiction')
  const psa = await connection.open(ctx)
  const assignedTo = assigned_to_me ? ((await members.findOwnMember(ctx)) ?? throwNotMapped()) : null
  const filters = {
    boardIds: board_ids,
    assignedTo,
    unassigned,
    companyId: null,
    words: toWords(text),
    page,
    pageSize: page_size,
  }
  const { items, hasMore } = await psa.port.searchTickets(filters).catch(throwPsaProblem())
  return { items, page, page_size, has_more: hasMore }
}

/**
 * Return a ticket with its context. Throw 404, 409 `psa_not_connected`, or 502 with a code for the provider's
 * failure.
 */
export async function getContext(ctx: PsaReadContext, ticketId: string): Promise<TicketContext> {
  const psa = await connection.open(ctx)
  const read = async () => ({
    ...(await psa.port.getTicketContext(ticketId).catch(throwPsaProblem('Ticket'))),
    fetched_at: psa.now,
  })
  // An incomplete context is not cached, so the next request reads it again.
  const isComplete = (context: z.output<typeof CachedContext>) => context.unavailable.length === 0
  const options = {
    name: toTicketCacheName(ticketId),
    schema: CachedContext,
    seconds: contextSeconds,
    isComplete,
  }
  const context = await readThroughCache(ctx, psa, options, read)
  const addedIds = new Set(await listAddedNotes(ctx.db, ticketId))
  return {
    ...context,
    notes: context.notes.map((note) => ({ ...note, added_by_service: addedIds.has(note.id) })),
  }
}

/** Return the context of the ticket that a ticket was merged into, or its own. Throw as `getContext`. */
export async function getSurvivingContext(ctx: PsaReadContext, ticketId: string): Promise<TicketContext> {
  const read = (id: string) => getContext(ctx, id)
  return findSurvivor(await read(ticketId), read, ({ ticket }) => ticket.merged_into)
}

const maxClientTickets = 10

/**
 * List the 10 newest other open tickets of the client of a ticket, or of the one that it was merged into.
 * Throw as `getContext`.
 */
export async function listOpenTicketsOfClient(ctx: PsaReadContext, ticketId: string) {
  const { ticket } = await getSurvivingContext(ctx, ticketId)
  if (ticket.company_id === null) return { ticket, tickets: [], hasMore: false }
  const { port } = await connection.open(ctx)
  const filters = {
    boardIds: [],
    assignedTo: null,
    unassigned: false,
    companyId: ticket.company_id,
    words: [],
  }
  const page = await port
    .searchTickets({ ...filters, page: 1, pageSize: maxClientTickets + 1 })
    .catch(throwPsaProblem())
  const others = page.items.filter(({ id }) => id !== ticket.id)
  return {
    ticket,
    tickets: others.slice(0, maxClientTickets),
    hasMore: page.hasMore || others.length > maxClientTickets,
  }
}

/** Return the ticketing system's ids of the notes that this service has added to a ticket. */
export function listAddedNotes(db: ReadDb, ticketId: string): Promise<string[]> {
  return queries.selectAddedNotes(db, ticketId)
}

/**
 * Return whom the ticketing system mails about a note for the client of a ticket, or of the one that it was
 * merged into. Throw as `getContext`.
 */
export async function findRecipient(
  ctx: connection.ConnectionContext,
  ticketId: string,
): Promise<RecipientAnswer> {
  const { port } = await connection.open(ctx)
  const read = (id: string) => port.getTicket(id).catch(throwPsaProblem('Ticket'))
  const { id } = await findSurvivor(await read(ticketId), read, ({ merged_into }) => merged_into)
  return port.findRecipient(id).catch(throwPsaProblem('Ticket'))
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
 * Return the cached value if it is less than `seconds` old by the database's clock. Otherwise call `read` and
 * cache its result. An unreachable cache or an invalid entry counts as a miss.
 */
async function readThroughCache<S extends z.ZodType>(
  { cache }: PsaReadContext,
  { key, now }: connection.OpenConnection,
  { name, schema, seconds, isComplete = () => true }: CacheOptions<S>,
  read: () => Promise<z.output<S>>,
): Promise<z.output<S>> {
  const cacheKey = toCacheKey(key, name)
  const entry = z.object({ at: z.string(), value: z.unknown() }).safeParse(await cache.get(cacheKey)).data
  const cachedValue =
    entry && Date.parse(now) - Date.parse(entry.at) < seconds * 1000
      ? schema.safeParse(entry.value)
      : undefined
  if (cachedValue?.success) return cachedValue.data
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
