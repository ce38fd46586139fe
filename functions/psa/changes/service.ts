import type { WriteDb } from '#db/scope.ts'
import * as connection from '#functions/psa/connection/service.ts'
import * as rules from '#functions/psa/rules/service.ts'
import * as tickets from '#functions/psa/tickets/service.ts'
import type { JobContext } from '#http/job.ts'
import { sha256Base64url } from '#vendors/auth/hash.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { findSurvivor } from '#vendors/psa/merged.ts'
import { PsaError, type Ticket } from '#vendors/psa/psa.ts'
import { recordAttempt, recordFailedAttempt } from '#work/attempts.ts'
import { defineWork } from '#work/define-work.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import * as queries from './queries.ts'

/** The parts of a job's context that a read needs. */
export type ChangeContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'vault' | 'psa' | 'cache'>

export const work = defineWork({
  kind: 'ticket_change',
  statements: queries.attempts,
  async attempt(ctx: ChangeContext, claimed) {
    const result = await readTicket(ctx, claimed)
    if (!result.ok) return recordFailure(ctx, claimed, result)
    // A session is prepared before the read is recorded as done, so that a crash between them repeats both.
    if (result.ticket) await rules.prepareSession(ctx, claimed.account_id, result.ticket)
    await recordRead(ctx, claimed, result)
  },
  fail: recordFailure,
})

type Failure = Extract<SendResult, { ok: false }>

/**
 * A ticket, and the one that is left of it after merges, which may be itself. Each is null when the ticketing
 * system has none.
 */
interface TicketState {
  ticket: Ticket | null
  survivor: Ticket | null
}

/** Read the ticket and delete it from the cache. */
async function readTicket(
  ctx: ChangeContext,
  { account_id, ticket_id }: queries.ClaimedChange,
): Promise<({ ok: true } & TicketState) | Failure> {
  try {
    const psa = await connection.open({ ...ctx, db: ctx.openAccountScope(account_id).db })
    const read = (id: string) => psa.port.getTicket(id).catch(toNullWhenMissing)
    const ticket = await read(ticket_id)
    const survivor = await findSurvivor(ticket, read, (each) => each?.merged_into ?? null)
    await tickets.deleteCachedTicket(ctx, psa, ticket_id)
    return { ok: true, ticket, survivor }
  } catch (error) {
    return connection.toSendResult(error)
  }
}

function toNullWhenMissing(error: unknown): null {
  if (error instanceof PsaError && error.kind === 'missing') return null
  throw error
}

/**
 * Record a read. If the ticket's state has changed, move or pause its schedules, and send an event to its
 * open sessions.
 */
async function recordRead(
  ctx: ChangeContext,
  claimed: queries.ClaimedChange,
  state: TicketState,
): Promise<void> {
  const fingerprint = await toFingerprint(state.ticket)
  const result = { ok: true, status: null } as const
  recordAttempt('ticket_change', result, null)
  await ctx.openAccountScope(claimed.account_id).transaction(async (db) => {
    await queries.lockTicket.run(db, claimed.ticket_id)
    const earlier = await queries.selectFingerprint(db, claimed.ticket_id)
    if (!(await queries.completeAttempt.first(db, claimed, result, fingerprint, null))) return
    if (earlier?.fingerprint !== fingerprint) await announceChange(db, claimed.ticket_id, state)
  })
}

/** A merged ticket is closed in ticketing systems, but its work goes on in the ticket that is left. */
async function announceChange(
  db: WriteDb,
  ticketId: string,
  { ticket, survivor }: TicketState,
): Promise<void> {
  const mergedInto = survivor && survivor !== ticket ? survivor.id : null
  const paused = isClosed(survivor) ? await queries.pauseSchedules.all(db, ticketId) : []
  const moved = mergedInto ? await queries.moveSchedules.all(db, ticketId, mergedInto) : []
  const sessions = await queries.selectOpenSessions(db, ticketId)
  if (sessions.length + paused.length + moved.length === 0) return
  await enqueueLiveEvent(db, 'ticket_changed', {
    ticket_id: ticketId,
    status: ticket?.status ?? null,
    is_closed: isClosed(ticket),
    merged_into: mergedInto,
    sessions,
    paused_schedule_ids: paused.map(({ id }) => id),
  })
}

const isClosed = (ticket: Ticket | null) => ticket === null || ticket.is_closed

/** Return a hash of what the event is about, because the names of people must not be stored. */
function toFingerprint(ticket: Ticket | null): Promise<string> {
  return sha256Base64url(
    JSON.stringify(
      ticket && [
        ticket.status,
        ticket.board_id,
        ticket.owner,
        ticket.priority,
        ticket.is_closed,
        ticket.updated_at,
      ],
    ),
  )
}

function recordFailure(ctx: ChangeContext, claimed: queries.ClaimedChange, result: Failure): Promise<void> {
  return recordFailedAttempt(ctx, 'ticket_change', claimed, result, (db, delaySeconds) =>
    queries.completeAttempt.first(db, claimed, result, null, delaySeconds),
  )
}
