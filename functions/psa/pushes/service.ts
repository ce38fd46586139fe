import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import * as connection from '#functions/psa/connection/service.ts'
import * as members from '#functions/psa/members/service.ts'
import * as attempts from '#functions/psa/push-attempts/service.ts'
import * as psa from '#functions/psa/tickets/service.ts'
import * as exports from '#functions/sessions/exports/service.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, Problem, throwNotFound, unknownId } from '#problem.ts'
import { type ClientText, isInternalNote, type NoteVisibility, type TicketText } from '#rules/audience.ts'
import { describeResult } from '#rules/exports/report-steps.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { forClient, forTicket } from '#rules/release.ts'
import { type PsaPort, parseTicketId } from '#vendors/psa/psa.ts'
import { maxEntryMinutes, measureMinutes, roundMinutes } from '#vendors/psa/time-entry.ts'
import { enqueueOncePush, enqueuePush, type OncePush, prepareNote, toDescriptionNote } from '#work/pushes.ts'
import * as queries from './queries.ts'
import type {
  NewTicket,
  Push,
  PushPreview,
  PushQuery,
  SessionPush,
  SessionPushPreviewQuery,
  TicketNote,
  TimeEntry,
} from './schemas.ts'

export async function list({ db }: ReadContext, query: PushQuery & PageQuery) {
  return toPage(await queries.selectPushes.all(db, query), query, newestFirst)
}

/**
 * Queue a note with the result of a session for its ticket. Return the push of the same note within the last
 * minute if there is one.
 */
export async function createForSession(
  { db }: WriteContext,
  sessionId: string,
  { internal, notify }: SessionPush,
): Promise<Push> {
  const session = await sessions.requireEditable(db, sessionId)
  const ticketId = requireTicketId(session)
  const note = await writeSessionNote({ db }, sessionId, internal)
  const push = { ticketId, note, sourceKind: 'session', sourceId: sessionId, notify } as const
  const id = await enqueuePush(db, push)
  if (!id) throw connection.notConnected()
  return find(db, id)
}

/** Return what a push of a session would send now, without the texts that its request may have. */
export async function previewForSession(
  ctx: ReadContext,
  sessionId: string,
  { kind, internal }: SessionPushPreviewQuery,
): Promise<PushPreview> {
  const session = await sessions.requireEditable(ctx.db, sessionId)
  switch (kind) {
    case 'note':
      return preview(ctx, requireTicketId(session), await writeSessionNote(ctx, sessionId, internal))
    case 'time_entry': {
      requireTimes(session)
      const note = await prepareNote(ctx.db, writeTimeNote(session, internal ? 'internal' : 'client'))
      return { ticket_id: requireTicketId(session), ...note, ...noMail }
    }
    case 'ticket': {
      requireNoTicket(session)
      const description = await exports.createClientEdition(ctx, sessionId)
      const note = await prepareNote(ctx.db, toDescriptionNote(description))
      return { ticket_id: null, ...note, ...noMail, summary: writeSummary(session) }
    }
  }
}

const noMail = { summary: null, recipient: null, refusal: null }

/** Return a note as a push would add it, and whom the ticketing system would mail it to. */
export async function preview(ctx: ReadContext, ticketId: string, note: TicketText): Promise<PushPreview> {
  const prepared = { ticket_id: ticketId, ...(await prepareNote(ctx.db, note)), ...noMail }
  if (isInternalNote[prepared.visibility]) return prepared
  const { recipient, refusal } = await psa.findRecipient(ctx, ticketId)
  if (!recipient) return { ...prepared, refusal }
  const { email_problem } = await queries.selectEmailProblem.one(ctx.db, recipient.address)
  return { ...prepared, recipient: { ...recipient, email_problem } }
}

async function writeSessionNote(
  ctx: Pick<ReadContext, 'db'>,
  sessionId: string,
  internal: boolean,
): Promise<TicketText> {
  return internal
    ? { visibility: 'internal', text: await exports.createTicketNote(ctx, sessionId) }
    : { visibility: 'client', text: await exports.createClientEdition(ctx, sessionId) }
}

/**
 * Queue a text of the caller as a note. Return the push of the same note within the last minute if there is
 * one.
 */
export async function createNote(
  ctx: WriteContext,
  ticketId: string,
  { text, visibility, notify }: TicketNote,
): Promise<Push> {
  const note = forTicket(visibility, text)
  const id = await enqueuePush(ctx.db, {
    ticketId,
    note,
    sourceKind: 'user',
    sourceId: ctx.caller.userId,
    notify,
  })
  if (!id) throw connection.notConnected()
  return find(ctx.db, id)
}

/**
 * Queue the time of a completed session for its ticket, by default for the caller. Return the earlier push of
 * the session if there is one that has not failed; it moves if the session has another ticket by now.
 */
export async function createTimeEntry(
  ctx: WriteContext,
  sessionId: string,
  { minutes, note, visibility, user_id }: TimeEntry,
): Promise<Push> {
  const { db, caller } = ctx
  const session = await sessions.requireEditable(db, sessionId)
  const { started_at, completed_at } = requireTimes(session)
  const ticketId = requireTicketId(session)
  const psaConnection = await connection.open(ctx)
  const { time_rounding_minutes, time_minimum_minutes } = psaConnection.row
  const entryNote = writeTimeNote(session, visibility, note)
  const earlier = await queries.selectOncePush(db, sessionId, 'time_entry')
  if (earlier?.ticket_id === ticketId) return find(db, earlier.id)
  await requireUnbilled(psaConnection.port, db, sessionId, ticketId)
  if (earlier) return moveTimeEntry(db, earlier.id, { ticketId, note: entryNote })
  const member = await members.findMemberOf(db, user_id ?? (caller.key ? session.user_id : caller.userId))
  if (!member && user_id) throw unknownId('user_id', 'user who is mapped to a member')
  if (!member)
    throw new Problem(
      'psa_member_not_mapped',
      'The user for whom the time is booked is not mapped to a member of the ticketing system',
    )
  const measured = minutes ?? measureMinutes(started_at, completed_at)
  const rounded = roundMinutes(measured, { time_rounding_minutes, time_minimum_minutes })
  if (rounded > maxEntryMinutes)
    throw invalidField(
      ['body', 'minutes'],
      'must be given, because the session took longer than 24 hours',
      'missing',
    )
  const details = { member_id: member.id, started_at, minutes: rounded }
  return pushOnce(db, { kind: 'time_entry', ticketId, note: entryNote, sessionId, details })
}

/** Throw 409 when the time of the session is billed in another ticket. */
async function requireUnbilled(port: PsaPort, db: ReadContext['db'], sessionId: string, ticketId: string) {
  const entries = await attempts
    .findEarlierEntries({ port, db }, sessionId, ticketId)
    .catch((error: unknown) => Promise.reject(connection.toProblem(error)))
  const billed = entries.find(({ isBilled }) => isBilled)
  if (billed)
    throw new Problem(
      'wrong_state',
      `Its time is billed in ticket ${billed.ticketId}. Correct it in the ticketing system`,
    )
}

/** Give the time entry of a session another ticket, unless it has this one. */
async function moveTimeEntry(
  db: WriteContext['db'],
  id: string,
  { ticketId, note }: { ticketId: string; note: TicketText },
): Promise<Push> {
  const { text } = await prepareNote(db, note)
  const moved = await queries.moveTimeEntry.first(db, { id, ticketId, text })
  if (moved) db.outbox({ kind: 'push', id, attempt: moved.attempts + 1, delaySeconds: moved.delay_seconds })
  const push = await find(db, id)
  if (push.ticket_id === ticketId || push.state === 'failed') return push
  throw new Problem(
    'wrong_state',
    'It is being moved between too many tickets; repeat this when it is pushed',
  )
}

function requireTimes({ started_at, completed_at, parent_session_id }: SessionRow) {
  if (parent_session_id)
    throw new Problem('wrong_state', 'Its time is a part of the session that runs it. Book that one', {
      facts: { parent_session_id },
    })
  if (started_at && completed_at) return { started_at, completed_at }
  throw new Problem('wrong_state', 'Only a completed session has its whole time; complete it first')
}

function writeTimeNote(
  session: SessionRow,
  visibility: NoteVisibility,
  note = `${session.name}: ${describeResult(session)}`,
): TicketText {
  return forTicket(visibility, note)
}

/**
 * Queue a new ticket with the result of a session so far. Return the earlier push of the session if there is
 * one that has not failed.
 */
export async function createTicket({ db }: WriteContext, sessionId: string, input: NewTicket): Promise<Push> {
  const session = await sessions.requireEditable(db, sessionId)
  const earlier = await queries.selectOncePush(db, sessionId, 'ticket')
  if (earlier) return find(db, earlier.id)
  requireNoTicket(session)
  const { company_id, contact_id = null, board_id = null } = input
  const description = await exports.createClientEdition({ db }, sessionId)
  const details = { summary: writeSummary(session, input.summary), company_id, contact_id, board_id }
  return pushOnce(db, { kind: 'ticket', description, sessionId, details })
}

function requireNoTicket({ ticket_number }: SessionRow): void {
  if (ticket_number !== null) throw new Problem('already_has_ticket')
}

/** Return the summary of a new ticket: masked, then cut, because a mask may be longer than what it hides. */
function writeSummary(
  { name, client_name }: SessionRow,
  summary = [name, client_name].filter(Boolean).join(': '),
): ClientText {
  return Array.from(forClient(summary)).slice(0, maxSummaryLength).join('') as ClientText
}

// ConnectWise's limit of a summary.
const maxSummaryLength = 100

async function pushOnce(db: WriteContext['db'], push: OncePush): Promise<Push> {
  const id = await enqueueOncePush(db, push)
  if (!id) throw connection.notConnected()
  return find(db, id)
}

function requireTicketId({ ticket_number }: { ticket_number: string | null }): string {
  const ticketId = parseTicketId(ticket_number)
  if (!ticketId) throw new Problem('no_ticket', 'The session has no ticket number of the ticketing system')
  return ticketId
}

export async function retry({ db }: Pick<WriteContext, 'db'>, id: string): Promise<Push> {
  const before = await find(db, id)
  const refuse = () =>
    new Problem(
      'not_failed',
      `Only a failed push that was not replaced can be retried; this one is ${before.state}`,
    )
  const reopened = await queries.reopenPush.run(db, id).catch((error: unknown) => {
    // Another failed push of the session was reopened at the same time.
    throw getViolatedConstraint(error) === 'psa_pushes_once' ? refuse() : error
  })
  if (reopened === 0) throw refuse()
  const push = await find(db, id)
  db.outbox({ kind: 'push', id, attempt: push.attempts + 1 })
  return push
}

async function find(db: ReadContext['db'], id: string): Promise<Push> {
  return (await queries.selectPush.first(db, id)) ?? throwNotFound('Push')
}
