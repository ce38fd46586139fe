import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { Handoff } from '../../../lib/db/rows/ai-session.ts'
import { inTransaction, type WriteDb } from '../../../lib/db/scope.ts'
import { emit, publishDeliveries } from '../../../lib/events/outbox.ts'
import { Content, type Reader, type Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import type { AiSessionDetail } from '../sessions/schemas.ts'
import * as aiSessions from '../sessions/service.ts'
import * as queries from './queries.ts'

export async function queue({ db }: Reader, page: PageQuery) {
  return toPage(await queries.selectQueue(db, page), page.limit)
}

export async function listen({ db, caller, realtime, lastEventId, signal }: Reader): Promise<Content> {
  await queries.enter(db)
  const { accountId, userId, signInId } = caller
  return new Content(await realtime.subscribe(accountId, { userId, signInId, lastEventId, signal }), 'text/event-stream')
}

/** Claims a handoff; again by who holds it answers it as it is. */
export async function claim(ctx: Writer, sessionId: string, handoffId: string): Promise<Handoff> {
  const taken = await taking(ctx, sessionId, (db) => queries.claimHandoff(db, sessionId, handoffId))
  if (taken) return taken.handoff
  const holding = await queries.selectHolding(ctx.db, sessionId, handoffId)
  if (!holding?.holds || !holding.handoff) throw lost(holding)
  return holding.handoff
}

// What the same person claims and picks up at once settles by the second look.
const looks = 3

/** Takes a session over; again by who works on it answers it as it is. */
export async function pickup(ctx: Writer, sessionId: string): Promise<AiSessionDetail> {
  for (let look = 1; ; look++) {
    if (await taking(ctx, sessionId, (db) => queries.pickUpSession(db, sessionId))) break
    const holding = await queries.selectHolding(ctx.db, sessionId, null)
    if (holding?.status === 'active' && holding.has) break
    const isClaimed = holding?.status === 'claimed' && holding.holds
    if (!isClaimed || look === looks) throw lost(holding)
  }
  return aiSessions.get(ctx, sessionId)
}

/** Takes something, and tells who escalated it that it is in somebody's hands, in one transaction; undefined when it could not be had. */
async function taking<T extends queries.Taken>(ctx: Writer, sessionId: string, take: (db: WriteDb) => Promise<T | undefined>) {
  const made = await inTransaction(ctx.db, async (db) => {
    const taken = await take(db)
    if (!taken?.is_new || !taken.engineer_id) return { taken, deliveries: [] }
    const deliveries = await emit(db, {
      key: 'handoff.claimed',
      actorId: ctx.caller.userId,
      teamId: taken.team_id,
      sessionId,
      sessionTitle: taken.title,
      claimantName: taken.claimant_name,
      engineerId: taken.engineer_id,
    })
    return { taken, deliveries }
  })
  if (made.deliveries.length > 0) ctx.after(() => publishDeliveries(ctx.queue, made.deliveries))
  return made.taken
}

/** Why it could not be had. Who escalated it is told so first; who lost it hears to whom, also without being let into the session. */
function lost(holding: queries.Holding | undefined): Problem {
  if (!holding) return new Problem('not_found', 'Handoff not found')
  const { status, sees, made, holds, is_escalation, handoff, winner } = holding
  if (made && (is_escalation || sees)) return new Problem('forbidden', 'Who handed it over cannot take it')
  if (winner && handoff && !holds) {
    const facts = { winner, claimed_at: handoff.claimed_at }
    return new Problem('conflict', `${winner.name} has claimed it already`, { code: 'claimed_already', facts })
  }
  if (!sees) return new Problem('not_found', 'Handoff not found')
  return new Problem('conflict', `The session is ${status.replaceAll('_', ' ')}; nobody waits for a colleague`, {
    code: 'wrong_session_state',
    facts: { status },
  })
}
