import type { ReadDb } from '#db/scope.ts'
import * as connection from '#functions/psa/connection/service.ts'
import * as psa from '#functions/psa/tickets/service.ts'
import type { JobContext } from '#http/job.ts'
import { type ClientText, readTicketText, type TicketText } from '#rules/audience.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import type { ConnectionRow } from '#vendors/psa/connection.ts'
import { findSurvivor } from '#vendors/psa/merged.ts'
import { PsaError, type PsaPort, type Ticket } from '#vendors/psa/psa.ts'
import { type Recipient, refusalTexts } from '#vendors/psa/recipient.ts'
import { enqueueNext, recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import { defineWork } from '#work/define-work.ts'
import { enqueueEvent } from '#work/events.ts'
import { TicketDetails, TimeEntryDetails } from '#work/pushes.ts'
import * as queries from './queries.ts'

/** The parts of a job's context that an attempt needs. */
export type PushContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'vault' | 'psa' | 'cache'>
/** `created` is null after a failure. */
type AttemptResult = { result: SendResult; created: queries.CreatedRecord | null }

export const work = defineWork({
  kind: 'push',
  statements: queries.attempts,
  attempt: async (ctx: PushContext, claimed) => recordResult(ctx, claimed, await sendNote(ctx, claimed)),
  fail: (ctx, claimed, result) => recordResult(ctx, claimed, { result, created: null }),
})

/**
 * Record the result of an attempt, with an event if the push failed and no attempt follows. Enqueue the next
 * attempt if there is one.
 */
async function recordResult(
  ctx: PushContext,
  claimed: queries.ClaimedPush,
  { result, created }: AttemptResult,
): Promise<void> {
  const delaySeconds = secondsUntilRetry(claimed, result)
  recordAttempt('push', result, delaySeconds)
  await ctx.openAccountScope(claimed.account_id).transaction(async (db) => {
    if (!(await queries.completeAttempt.first(db, claimed, result, created, delaySeconds))) return
    if (delaySeconds !== null) enqueueNext(db, 'push', claimed, delaySeconds)
    else if (created && claimed.kind === 'ticket')
      await queries.linkTicket(db, claimed.source_id, created.ticketId)
    else if (!result.ok) await enqueueEvent(db, toFailureEvent(claimed, result.error))
  })
}

async function sendNote(ctx: PushContext, claimed: queries.ClaimedPush): Promise<AttemptResult> {
  try {
    const { db } = ctx.openAccountScope(claimed.account_id)
    const psaConnection = await connection.open({ ...ctx, db })
    const created = await pushers[claimed.kind](psaConnection.port, claimed, { db, row: psaConnection.row })
    const changed = claimed.ticket_id === null ? [] : [created.ticketId, ...(created.earlierTicketIds ?? [])]
    for (const ticketId of changed) await psa.deleteCachedTicket(ctx, psaConnection, ticketId)
    return { result: { ok: true, status: null }, created }
  } catch (error) {
    return { result: connection.toSendResult(error), created: null }
  }
}

type Push = (
  port: PsaPort,
  claimed: queries.ClaimedPush,
  account: { db: ReadDb; row: ConnectionRow },
) => Promise<queries.CreatedRecord>

/**
 * Add the note, unless an earlier attempt or a failed push added it but lost the response: so it is also
 * mailed once. Then set the ticket's status if the push does.
 */
const addNoteOnce: Push = async (port, claimed, { db, row }) => {
  const ticket = await findTicket(port, claimed)
  const existingId = await findAddedNote(port, claimed, { ticketId: ticket.id, db })
  const mailed = notifies(claimed) ? await findRecipient(port, ticket.id, existingId !== null) : undefined
  const id = existingId ?? (await port.addNote(ticket.id, readNote(claimed), mailed?.address))
  const statusId = claimed.details.sets_status ? row.resolved_statuses[ticket.board_id ?? ''] : undefined
  if (statusId) await setStatus(port, ticket, statusId)
  return { id, ticketId: ticket.id, mailed, statusId }
}

const notifies = ({ details }: queries.ClaimedPush) => details.notify === true

/**
 * Return the id of the note if an earlier attempt or a failed push of it may have added it and has. Throw if
 * that push mailed nobody and this one should: the note cannot be mailed any more.
 */
async function findAddedNote(
  port: PsaPort,
  claimed: queries.ClaimedPush,
  { ticketId, db }: { ticketId: string; db: ReadDb },
): Promise<string | null> {
  const failedNotes = await queries.selectFailedNotes.one(db, claimed)
  if (claimed.attempts === 1 && !failedNotes.since) return null
  // A day earlier than the push, because some servers return local times without an offset.
  const since = new Date(Date.parse(failedNotes.since ?? claimed.created_at) - 86_400_000).toISOString()
  const others = await psa.listAddedNotes(db, ticketId)
  const id = await port.findNote(ticketId, { ...readNote(claimed), since, others })
  if (id && notifies(claimed) && failedNotes.notifies === false)
    throw new PsaError(
      'invalid',
      'An earlier push has added the note without an e-mail; send it to the client in the ticketing system',
    )
  return id
}

/**
 * Return who gets the note by e-mail. Throw if nobody does, unless `isMailed` says that an earlier attempt
 * has mailed it.
 */
async function findRecipient(
  port: PsaPort,
  ticketId: string,
  isMailed: boolean,
): Promise<Recipient | undefined> {
  const { recipient, refusal } = await port.findRecipient(ticketId)
  if (recipient || isMailed) return recipient ?? undefined
  throw new PsaError('invalid', `No note was added and nobody was mailed: ${refusalTexts[refusal]}`)
}

/** Set the status of a ticket. The message of a failure says that the note is there. */
async function setStatus(port: PsaPort, { id }: Ticket, statusId: string): Promise<void> {
  await port.updateTicket(id, { statusId }).catch((error: unknown) => {
    if (!(error instanceof PsaError)) throw error
    const { kind, message, status, retryAfterSeconds } = error
    throw new PsaError(kind, `The note was added, but the ticket did not get its status. ${message}`, {
      status,
      retryAfterSeconds,
    })
  })
}

/**
 * Return the reference that a time entry or a ticket of a session has in the ticketing system. It does not
 * depend on the push, so that a push after a failed one finds what that created.
 */
const toReference = (sessionId: string) => `sf-${sessionId}`

/**
 * Add the time entry, unless an earlier attempt or push of the session has added it. One that they added to
 * another ticket is deleted before, so that there are never two.
 */
const addTimeEntryOnce: Push = async (port, claimed, { db }) => {
  const { member_id, started_at, minutes } = TimeEntryDetails.parse(claimed.details)
  const [{ id: ticketId }, reference] = [await findTicket(port, claimed), toReference(claimed.source_id)]
  const entry = {
    ticketId,
    memberId: member_id,
    startedAt: started_at,
    minutes,
    note: readNote(claimed),
    reference,
  }
  const earlier = await findEarlierEntries({ port, db }, claimed.source_id, ticketId)
  for (const old of earlier) await port.deleteTimeEntry(old.ticketId, old.id)
  const added = await port.findTimeEntry(ticketId, reference)
  const id = added?.id ?? (await port.addTimeEntry(entry))
  return { id, ticketId, earlierTicketIds: earlier.map((old) => old.ticketId) }
}

/**
 * Find the time entries of a session in other tickets than this one, or the one that it was merged into. A
 * ticket that is gone has none.
 */
export async function findEarlierEntries(
  { port, db }: { port: PsaPort; db: ReadDb },
  sessionId: string,
  ticketId: string,
) {
  const rows = await queries.selectEarlierTickets.all(db, sessionId, ticketId)
  if (rows.length === 0) return []
  const [target, ...survivors] = await Promise.all(
    [ticketId, ...rows.map(({ ticket_id }) => ticket_id)].map((id) => findTicketUnlessGone(port, id)),
  )
  const ticketIds = new Set(survivors.flatMap((ticket) => (ticket ? [ticket.id] : [])))
  if (target) ticketIds.delete(target.id)
  const entries = await Promise.all(
    [...ticketIds].map(async (id) => ({
      ticketId: id,
      entry: await port.findTimeEntry(id, toReference(sessionId)),
    })),
  )
  return entries.flatMap(({ ticketId: id, entry }) => (entry ? [{ ticketId: id, ...entry }] : []))
}

const findTicketUnlessGone = (port: PsaPort, ticketId: string) =>
  findMergedTicket(port, ticketId).catch((error: unknown) => {
    if (error instanceof PsaError && error.kind === 'missing') return null
    throw error
  })

/** Create the ticket, unless an earlier attempt or push of the session has created it. */
const createTicketOnce: Push = async (port, claimed) => {
  const {
    summary,
    company_id: companyId,
    contact_id: contactId,
    board_id: boardId,
  } = TicketDetails.parse(claimed.details)
  const reference = toReference(claimed.source_id)
  // Only a text for clients is stored for a ticket.
  const ticket = {
    summary,
    description: claimed.body as ClientText,
    companyId,
    contactId,
    boardId,
    reference,
  }
  const id = (await port.findTicket(reference)) ?? (await port.createTicket(ticket))
  return { id, ticketId: id }
}

const pushers = { note: addNoteOnce, time_entry: addTimeEntryOnce, ticket: createTicketOnce }

/** Return the ticket of a note or time entry, or the one that it was merged into. */
async function findTicket(port: PsaPort, { ticket_id }: queries.ClaimedPush): Promise<Ticket> {
  if (ticket_id === null) throw new Error('A note or time entry has a ticket')
  return findMergedTicket(port, ticket_id)
}

async function findMergedTicket(port: PsaPort, ticketId: string): Promise<Ticket> {
  return findSurvivor(await port.getTicket(ticketId), port.getTicket, ({ merged_into }) => merged_into)
}

function readNote({ body, internal, details }: queries.ClaimedPush): TicketText {
  return readTicketText(
    details.is_resolution === true ? 'resolution' : internal ? 'internal' : 'client',
    body,
  )
}

function toFailureEvent(
  { source_kind, source_id, ticket_id, requested_by }: queries.ClaimedPush,
  reason: string,
) {
  return {
    key: 'psa.push_failed',
    actorId: null,
    causedById: requested_by,
    teamId: null,
    source: source_kind,
    sessionId: source_id,
    psaTicketId: ticket_id,
    reason,
    ownerId: requested_by,
  } as const
}
