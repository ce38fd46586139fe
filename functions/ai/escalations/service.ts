import { type PageQuery, toPage } from '#db/page.ts'
import type { Handoff } from '#db/rows/ai-session.ts'
import { inTransaction, type WriteDb } from '#db/scope.ts'
import type { AiSessionDetail } from '#functions/ai/sessions/schemas.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import { Content, type ReadContext, SocketUpgrade, type WriteContext } from '#http/operation.ts'
import { notFound, Problem } from '#problem.ts'
import { enqueueEvent } from '#work/events.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import * as queries from './queries.ts'

export async function listQueue({ db }: ReadContext, page: PageQuery) {
  return toPage(await queries.selectQueue.all(db, page), page, queries.queueOrder)
}

/** Open the stream of the account's events, as a WebSocket or as server-sent events. */
export async function streamEvents(ctx: ReadContext, lastEventIdInUrl: string | undefined): Promise<Content | SocketUpgrade> {
  const { db, caller, realtime, signal, reconnectSecret } = ctx
  await queries.requireAccess(db)
  const { accountId, userId, signInId } = caller
  // An EventSource that reconnects repeats its URL, so the header is newer.
  const listener = { userId, signInId, lastEventId: ctx.lastEventId ?? lastEventIdInUrl ?? null }
  if (!ctx.wantsSocket)
    return new Content(await realtime.subscribe(accountId, { ...listener, signal, reconnectSecret }), 'text/event-stream')
  // RFC 9110 requires the header. It names what the client should use instead.
  if (!realtime.acceptSocket) throw new Problem('websocket_unavailable', undefined, { headers: { upgrade: 'HTTP/1.1' } })
  return new SocketUpgrade(await realtime.acceptSocket(accountId, listener))
}

/** Claim a handoff. Idempotent for the current claimant. */
export async function claim(ctx: WriteContext, sessionId: string, handoffId: string): Promise<Handoff> {
  const claimed = await claimAndNotify(ctx, sessionId, (db) => queries.claimHandoff.first(db, sessionId, handoffId))
  if (claimed) return claimed.handoff
  const state = await queries.selectHandoffState.first(ctx.db, sessionId, handoffId)
  if (!state?.is_claimant || !state.handoff) throw claimConflict(state)
  return state.handoff
}

// If the same colleague claims and picks up in two concurrent requests, the second attempt finds the claim.
const maxAttempts = 3

/** Pick up an escalated session. Idempotent for the colleague who has already picked it up. */
export async function pickUp(ctx: WriteContext, sessionId: string): Promise<AiSessionDetail> {
  for (let attempt = 1; ; attempt++) {
    if (await claimAndNotify(ctx, sessionId, (db) => pickUpAndClose(db, sessionId))) break
    const state = await queries.selectHandoffState.first(ctx.db, sessionId, null)
    if (state?.status === 'active' && state.has_picked_up) break
    const isOwnClaim = state?.status === 'claimed' && state.is_claimant
    if (!isOwnClaim || attempt === maxAttempts) throw claimConflict(state)
  }
  return aiSessions.get(ctx, sessionId)
}

/**
 * Run `claimSession` in a transaction. If the session was unclaimed before, insert the events for the queue and for the engineer who escalated it.
 * Return undefined when `claimSession` changed nothing.
 */
async function claimAndNotify<T extends queries.ClaimedSession>(
  ctx: WriteContext,
  sessionId: string,
  claimSession: (db: WriteDb) => Promise<T | undefined>,
) {
  return inTransaction(ctx.db, async (db) => {
    const session = await claimSession(db)
    if (!session?.is_new || !session.engineer_id) return session
    const { claimant_name, engineer_id: engineerId } = session
    const told = (await queries.selectToldUsers.all(db, sessionId)).filter(({ user_id }) => user_id !== engineerId)
    await enqueueLiveEvent(db, 'handoff_claimed', { session_id: sessionId, claimed_by: ctx.caller.userId, claimant_name })
    await enqueueEvent(db, {
      key: 'handoff.claimed',
      actorId: ctx.caller.userId,
      teamId: session.team_id,
      sessionId,
      sessionTitle: session.title,
      claimantName: claimant_name,
      engineerId,
      toldIds: told.map(({ user_id }) => user_id),
      mailedIds: told.filter(({ was_mailed }) => was_mailed).map(({ user_id }) => user_id),
    })
    return session
  })
}

async function pickUpAndClose(db: WriteDb, sessionId: string) {
  const session = await queries.pickUpSession.first(db, sessionId)
  if (session) await enqueueLiveEvent(db, 'handoff_closed', { session_id: sessionId, reason: 'picked_up' })
  return session
}

/**
 * Create the problem of a failed claim: 404, 403 for the engineer who handed over, or 409. The 409 names the winner even to a colleague
 * without access to the session.
 */
function claimConflict(state: queries.HandoffState | undefined): Problem {
  if (!state) return notFound('Handoff')
  const { status, can_read, is_author, is_claimant, is_escalation, handoff, winner } = state
  if (is_author && (is_escalation || can_read)) return new Problem('forbidden', 'You cannot claim your own handoff')
  if (winner && handoff && !is_claimant) {
    const facts = { winner, claimed_at: handoff.claimed_at }
    return new Problem('already_claimed', `${winner.name} has already claimed this handoff`, { facts })
  }
  if (!can_read) return notFound('Handoff')
  return new Problem('wrong_state', `The session is ${status.replaceAll('_', ' ')}; it is not waiting for a colleague`, {
    facts: { status },
  })
}
