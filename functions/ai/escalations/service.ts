import { type PageQuery, toPage } from '#db/page.ts'
import { ignoreMissingRow } from '#db/required-row.ts'
import type { AiSessionRow, Handoff } from '#db/rows/ai-session.ts'
import { selectAiSession } from '#db/rows/ai-session-queries.ts'
import { selectColleagues } from '#db/rows/colleagues.ts'
import { selectRosters } from '#db/rows/on-call-rosters.ts'
import { selectTicketSite } from '#db/rows/ticket-site.ts'
import { inTransaction, type WriteDb } from '#db/scope.ts'
import type { AiSessionDetail } from '#functions/ai/sessions/schemas.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import * as reminders from '#functions/oncall/reminders/service.ts'
import * as schedules from '#functions/oncall/schedules/service.ts'
import { addColleagues, withColleagues } from '#functions/presence/service.ts'
import { Content, type ReadContext, SocketUpgrade, type WriteContext } from '#http/operation.ts'
import { notFound, Problem } from '#problem.ts'
import { writeTicketUrl } from '#vendors/psa/ticket-url.ts'
import { type EmittedEvent, enqueueEmitted } from '#work/events.ts'
import { insertLiveEvent, registerLiveEvent, type StoredLiveEvent } from '#work/live-events.ts'
import * as queries from './queries.ts'

export async function listQueue({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectQueue.all(db, page), page, queries.queueOrder)
}

/** Open the stream of the account's events, as a WebSocket or as server-sent events. */
export async function streamEvents(
  ctx: ReadContext,
  lastEventIdInUrl: string | undefined,
): Promise<Content | SocketUpgrade> {
  const { db, caller, realtime, signal, reconnectSecret } = ctx
  await queries.requireAccess(db)
  const { accountId, userId, signInId } = caller
  // An EventSource that reconnects repeats its URL, so the header is newer.
  const listener = { userId, signInId, lastEventId: ctx.lastEventId ?? lastEventIdInUrl ?? null }
  if (!ctx.wantsSocket)
    return new Content(
      await realtime.subscribe(accountId, { ...listener, signal, reconnectSecret }),
      'text/event-stream',
    )
  // RFC 9110 requires the header. It names what the client should use instead.
  if (!realtime.acceptSocket)
    throw new Problem('websocket_unavailable', undefined, { headers: { upgrade: 'HTTP/1.1' } })
  return new SocketUpgrade(await realtime.acceptSocket(accountId, listener))
}

/** Claim a handoff. Idempotent for the current claimant. */
export async function claim(ctx: WriteContext, sessionId: string, handoffId: string): Promise<Handoff> {
  const { db } = ctx
  const claimEvents = await prepareClaimEvents(ctx, sessionId)
  if (claimEvents) {
    const results = await db
      .batch([
        queries.claimHandoff.query(sessionId, handoffId),
        selectColleagues.query('ai_session', sessionId),
        ...claimEvents,
      ])
      .catch(ignoreMissingRow)
    if (results) {
      const [[claimed], alsoHere, ...events] = results
      registerEvents(db, events)
      return withColleagues((claimed as { handoff: Handoff }).handoff, alsoHere)
    }
  }
  const state = await queries.selectHandoffState.first(db, sessionId, handoffId)
  if (!state?.is_claimant || !state.handoff) throw toConflict(state, 'claim')
  return addColleagues(ctx, 'ai_session', sessionId, Promise.resolve(state.handoff))
}

/** Acknowledge an unclaimed escalation. Only the first acknowledgement counts; a later one changes nothing. */
export async function acknowledge(ctx: WriteContext, sessionId: string, handoffId: string): Promise<Handoff> {
  const handoff = await inTransaction(ctx.db, async (db) => {
    const before = await queries.selectHandoffState.first(db, sessionId, handoffId)
    if (before && !before.is_author)
      await reminders.acknowledgeHandoff(db, { sessionId, handoffId }, ctx.caller.userId)
    const state = await queries.selectHandoffState.first(db, sessionId, handoffId)
    const isAcknowledged = state?.handoff?.acknowledged_at && !state.winner && isWaiting(state)
    if (!state?.handoff || state.is_author || !isAcknowledged) throw toConflict(state, 'acknowledge')
    return state.handoff
  })
  return addColleagues(ctx, 'ai_session', sessionId, Promise.resolve(handoff))
}

const isWaiting = ({ status }: queries.HandoffState) =>
  status === 'escalated' || status === 'requesting_escalation'

// If the same colleague claims and picks up in two concurrent requests, the second attempt finds the claim.
const maxAttempts = 3

/** Pick up an escalated session. Idempotent for the colleague who has already picked it up. */
export async function pickUp(ctx: WriteContext, sessionId: string): Promise<AiSessionDetail> {
  for (let attempt = 1; ; attempt++) {
    const pickedUp = await tryPickUp(ctx, sessionId)
    if (pickedUp) return pickedUp
    const state = await queries.selectHandoffState.first(ctx.db, sessionId, null)
    if (state?.status === 'active' && state.has_picked_up)
      return addColleagues(ctx, 'ai_session', sessionId, aiSessions.get(ctx, sessionId))
    const isOwnClaim = state?.status === 'claimed' && state.is_claimant
    if (!isOwnClaim || attempt === maxAttempts) throw toConflict(state, 'claim')
  }
}

/**
 * Pick up a session, and return it with the colleagues who are there. Return undefined when nothing has
 * changed.
 */
async function tryPickUp(ctx: WriteContext, sessionId: string): Promise<AiSessionDetail | undefined> {
  const { db } = ctx
  const claimEvents = await prepareClaimEvents(ctx, sessionId)
  const results = await db
    .batch([
      queries.pickUpSession.query(sessionId, claimEvents !== null),
      selectAiSession.query(sessionId),
      selectColleagues.query('ai_session', sessionId),
      // A stream shows the claim before the end of the handoff.
      ...(claimEvents ?? []),
      insertLiveEvent(db, 'handoff_closed', { session_id: sessionId, reason: 'picked_up' }),
    ])
    .catch(ignoreMissingRow)
  if (!results) return undefined
  const [, [session], alsoHere, ...events] = results
  registerEvents(db, events)
  return withColleagues(aiSessions.toDetail(session as AiSessionRow), alsoHere)
}

/**
 * Return the statements that store the events of the caller's claim. They run with it in one batch: a Worker
 * would open a connection for a transaction of several steps. Return null if the handoff is claimed already,
 * or the session has none.
 */
async function prepareClaimEvents({ db, caller }: WriteContext, sessionId: string) {
  const [[facts], told, rosters, sites] = await db.batch([
    queries.selectClaimFacts.query(sessionId),
    queries.selectToldUsers.query(sessionId),
    selectRosters.query({ sessionId }),
    selectTicketSite(db),
  ])
  const { engineer_id } = facts ?? {}
  if (!facts?.is_unclaimed || !engineer_id) return null
  const onCallIds = await schedules.chooseAlerted(rosters, { steps: [], engineerId: engineer_id })
  const ticketUrl = writeTicketUrl(sites[0], facts.psa_ticket_id)
  return queries.insertClaimEvents(
    db,
    sessionId,
    { ...facts, engineer_id, claimant_id: caller.userId },
    { told, onCallIds, ticketUrl },
  )
}

/** Register the events that a batch has stored, one by each statement. */
function registerEvents(db: WriteDb, results: readonly (StoredLiveEvent | EmittedEvent)[][]): void {
  for (const event of results.flat()) {
    if ('key' in event) registerLiveEvent(db, event)
    else enqueueEmitted(db, event)
  }
}

/**
 * Create the problem of a failed claim or acknowledgement: 404, 403 for the engineer who handed over, or 409. The 409 names the
 * winner even to a colleague without access to the session.
 */
function toConflict(state: queries.HandoffState | undefined, verb: 'claim' | 'acknowledge'): Problem {
  if (!state) return notFound('Handoff')
  const { status, can_read, is_author, is_claimant, is_escalation, handoff, winner } = state
  if (is_author && (is_escalation || can_read))
    return new Problem('forbidden', `You cannot ${verb} your own handoff`)
  if (winner && handoff && !(is_claimant && verb === 'claim')) {
    const facts = { winner, claimed_at: handoff.claimed_at }
    return new Problem('already_claimed', `${winner.name} has already claimed this handoff`, { facts })
  }
  if (!can_read) return notFound('Handoff')
  if (verb === 'acknowledge' && isWaiting(state))
    return new Problem('wrong_state', 'No escalation policy follows this handoff', { facts: { status } })
  return new Problem(
    'wrong_state',
    `The session is ${status.replaceAll('_', ' ')}; it is not waiting for a colleague`,
    {
      facts: { status },
    },
  )
}
