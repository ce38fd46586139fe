import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { JobContext } from '../../../lib/http/job.ts'
import type { ReadContext, WriteContext } from '../../../lib/http/operation.ts'
import type { SendResult } from '../../../lib/net/send-result.ts'
import { abandonedAttemptError, recordAttempt, secondsUntilRetry } from '../../../lib/outbox/attempts.ts'
import { enqueueEvent } from '../../../lib/outbox/events.ts'
import { enqueuePush } from '../../../lib/outbox/pushes.ts'
import type { SweptKind } from '../../../lib/outbox/sweep.ts'
import { Problem, throwNotFound } from '../../../lib/problem.ts'
import { PsaError, type PsaPort, parseTicketId } from '../../../lib/psa/psa.ts'
import * as exports from '../../sessions/exports/service.ts'
import * as sessions from '../../sessions/sessions/service.ts'
import * as connection from '../connection/service.ts'
import * as psa from '../tickets/service.ts'
import * as queries from './queries.ts'
import type { Push, PushQuery } from './schemas.ts'

/** The parts of a job's context that an attempt needs. */
export type PushContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'vault' | 'psa' | 'cache'>
type AttemptResult = { result: SendResult; noteId: string | null }

export async function list({ db }: ReadContext, query: PushQuery & PageQuery) {
  return toPage(await queries.selectPushes.all(db, query), query.limit)
}

/** Queue a note with the result of a session for its ticket. Return the push of the same note within the last minute if there is one. */
export async function createForSession({ db }: WriteContext, sessionId: string, internal: boolean): Promise<Push> {
  const session = await sessions.requireEditable(db, sessionId)
  const ticketId = parseTicketId(session.ticket_number)
  if (!ticketId) throw new Problem('no_ticket', 'The session has no ticket number of the ticketing system')
  const push = {
    ticketId,
    body: await exports.createTicketNote(db, sessionId),
    internal,
    sourceKind: 'session',
    sourceId: sessionId,
  } as const
  const id = await enqueuePush(db, push, queries.lockSession.query(sessionId))
  if (!id) throw connection.notConnected()
  return find(db, id)
}

export async function retry({ db }: Pick<WriteContext, 'db'>, id: string): Promise<Push> {
  const before = await find(db, id)
  if ((await queries.reopenPush.run(db, id)) === 0)
    throw new Problem('not_failed', `Only a failed note can be retried; this one is ${before.state}`)
  const push = await find(db, id)
  db.outbox({ kind: 'push', id, attempt: push.attempts + 1 })
  return push
}

/** Make one attempt to add a note. A duplicate message finds the attempt already claimed and does nothing. */
export async function attempt(ctx: PushContext, pushId: string, attemptNumber: number): Promise<void> {
  const claimed = await queries.claimPush.first(ctx.platform, pushId, attemptNumber)
  if (claimed) await recordResult(ctx, claimed, await sendNote(ctx, claimed))
}

/** Fail the pushes whose last attempt never reported a result. */
export async function failAbandoned(ctx: PushContext): Promise<void> {
  for (const abandoned of await queries.selectAbandonedPushes.all(ctx.platform))
    await recordResult(ctx, abandoned, { result: { ok: false, status: null, error: abandonedAttemptError, gone: true }, noteId: null })
}

/** Return the functions with which the sweep claims and attempts due pushes. */
export function toSweptKind(ctx: PushContext): SweptKind {
  return {
    kind: 'push',
    parallel: 1,
    claimDue: (limit) => queries.claimDuePushes.all(ctx.platform, limit),
    attempt: (id, attemptNumber) => attempt(ctx, id, attemptNumber),
  }
}

/** Record the result of an attempt, with an event if the push failed and no attempt follows. Enqueue the next attempt if there is one. */
async function recordResult(ctx: PushContext, claimed: queries.ClaimedPush, { result, noteId }: AttemptResult): Promise<void> {
  const delaySeconds = secondsUntilRetry(claimed, result)
  recordAttempt('push', result, delaySeconds)
  await ctx.openAccountScope(claimed.account_id).transaction(async (db) => {
    if (!(await queries.completeAttempt.first(db, claimed, result, noteId, delaySeconds))) return
    if (delaySeconds !== null) db.outbox({ kind: 'push', id: claimed.id, attempt: claimed.attempts + 1, delaySeconds })
    else if (!result.ok) await enqueueEvent(db, toFailureEvent(claimed, result.error))
  })
}

async function sendNote(ctx: PushContext, claimed: queries.ClaimedPush): Promise<AttemptResult> {
  try {
    const psaConnection = await connection.open({ ...ctx, db: ctx.openAccountScope(claimed.account_id).db })
    const noteId = await addNoteOnce(psaConnection.port, claimed)
    await psa.deleteCachedTicket(ctx, psaConnection, claimed.ticket_id)
    return { result: { ok: true, status: null }, noteId }
  } catch (error) {
    return { result: toSendResult(error), noteId: null }
  }
}

/** Add the note, unless an earlier attempt added it but lost the response. Return the note's id. */
async function addNoteOnce(port: PsaPort, { ticket_id, body, internal, attempts, created_at }: queries.ClaimedPush): Promise<string> {
  // A day earlier than the push, because some servers return local times without an offset.
  const since = new Date(Date.parse(created_at) - 86_400_000).toISOString()
  const existingId = attempts > 1 ? await port.findNote(ticket_id, { text: body, since }) : null
  return existingId ?? port.addNote(ticket_id, { text: body, internal })
}

/**
 * Convert an error of the ticketing system to a result. A missing ticket, an invalid request and a missing or inactive connection are
 * final; other errors of the ticketing system may be retried. Rethrow any other error.
 */
function toSendResult(error: unknown): SendResult {
  if (error instanceof Problem && error.kind === 'psa_not_connected') return { ok: false, status: null, error: error.message, gone: true }
  if (!(error instanceof PsaError)) throw error
  const { kind, message, status, retryAfterSeconds } = error
  const isFinal = kind === 'missing' || kind === 'invalid'
  return { ok: false, status, error: message, gone: isFinal, ...(retryAfterSeconds ? { retryAfterSeconds } : {}) }
}

function toFailureEvent({ source_kind, source_id, ticket_id, requested_by }: queries.ClaimedPush, reason: string) {
  return {
    key: 'psa.push_failed',
    actorId: null,
    causedById: requested_by,
    teamId: null,
    source: source_kind,
    sessionId: source_id,
    psaTicketId: ticket_id,
    reason,
    ownerId: requested_by ?? '',
  } as const
}

async function find(db: ReadContext['db'], id: string): Promise<Push> {
  return (await queries.selectPush.first(db, id)) ?? throwNotFound('Push')
}
