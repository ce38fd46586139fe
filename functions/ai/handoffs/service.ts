import { ask } from '../../../lib/ai/ask.ts'
import { documentation } from '../../../lib/ai/documentation.ts'
import { caseFacts } from '../../../lib/ai/facts.ts'
import { handoffDraft } from '../../../lib/ai/prompts/writing.ts'
import { clip } from '../../../lib/chat/chat.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { AiSessionRow, Handoff } from '../../../lib/db/rows/ai-session.ts'
import { inTransaction, type WriteDb } from '../../../lib/db/scope.ts'
import { uuidv7 } from '../../../lib/db/uuid.ts'
import { escalationLink } from '../../../lib/events/events.ts'
import { emit, publishDeliveries } from '../../../lib/events/outbox.ts'
import { eventStream } from '../../../lib/http/event-stream.ts'
import type { Content, Reader, Writer } from '../../../lib/http/operation.ts'
import { invalid, Problem } from '../../../lib/problem.ts'
import { publishPushes } from '../../../lib/psa/pushes.ts'
import { publishLive, queueLive } from '../../../lib/realtime/outbox.ts'
import type { LiveEvent } from '../../../lib/realtime/realtime.ts'
import { assessMessage } from '../assessments/service.ts'
import type { AiSessionDetail, SessionClose } from '../sessions/schemas.ts'
import * as aiSessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { Escalate, HandoffCreate } from './schemas.ts'

const longestDocumentation = 200_000
// How far back the draft's writer is shown the conversation.
const messagesShown = 30

export async function create(ctx: Writer, id: string, { intent, ...given }: HandoffCreate): Promise<Handoff> {
  if (intent === 'escalate') return (await giveAway(ctx, id, given)).handoff
  refuseOneself(ctx, given)
  return inTransaction(ctx.db, async (db) => {
    const { done, session } = await queries.parkSession(db, id)
    if (!done || !session) throw aiSessions.refusal(session, queries.givable)
    await people(db, given.target_user_id)
    return (await record(db, session, { intent, ...given })).handoff
  })
}

export async function escalate(ctx: Writer, id: string, given: Escalate): Promise<SessionClose> {
  const { handoff, text, pushId, notified } = await giveAway(ctx, id, given)
  const psa_push = pushId ? 'queued' : 'not_linked'
  return { session_id: id, status: 'escalated', handoff_id: handoff.id, documentation: text, psa_push, notified }
}

export async function list({ db }: Reader, id: string, page: PageQuery) {
  await aiSessions.find(db, id)
  return toPage(await queries.selectHandoffs(db, id, page), page.limit)
}

export async function resume({ db }: Writer, id: string): Promise<AiSessionDetail> {
  const { done, session } = await queries.resumeSession(db, id)
  if (!done || !session) throw aiSessions.refusal(session, ['parked'])
  return aiSessions.shown(session)
}

/** What a colleague must know, as the model would put it; nothing is stored. */
export async function draft(ctx: Writer, id: string): Promise<Content> {
  const session = await aiSessions.findOwn(ctx.db, id, queries.givable)
  const ticket = await aiSessions.ticketFacts(ctx, session.psa_ticket_id)
  const conversation = session.messages.slice(-messagesShown).map(({ role, content }) => ({ role, text: content }))
  const facts = { ...caseFacts(session, ticket), conversation }
  return eventStream(ctx, async (send) => {
    const hearing = {
      field: 'summary',
      onText: (text: string) => send('delta', { text }),
      onRestart: () => send('restart', {}),
    }
    send('draft', await ask(ctx, handoffDraft, { facts }, hearing))
  })
}

/** Everything that must happen because a session is given away is written with it; then who is to hear of it is told, each by itself. */
async function giveAway(ctx: Writer, id: string, given: Escalate) {
  refuseOneself(ctx, given)
  const made = await inTransaction(ctx.db, (db) => escalateIn(db, id, given, ctx.caller.userId))
  const { handoff, live, deliveries, pushId } = made
  ctx.after(() => publishLive(ctx, ctx.caller.accountId, [live]))
  ctx.after(() => publishDeliveries(ctx.queue, deliveries))
  if (pushId) ctx.after(() => publishPushes(ctx.queue, [pushId]))
  ctx.after(() => ctx.queue.publish([assessMessage(handoff.id, 1)]))
  return made
}

async function escalateIn(db: WriteDb, id: string, given: Escalate, userId: string) {
  const { done, session } = await queries.escalateSession(db, id)
  if (!done || !session) throw aiSessions.refusal(session, queries.givable)
  const { me } = await people(db, given.target_user_id)
  const { handoff, text } = await record(db, session, { intent: 'escalate', ...given })
  await queries.setPackage(db, id, packageOf(session, handoff), handoff.target_user_id)
  const pushId = await aiSessions.pushDocumentation(db, session, text)
  if (pushId) await queries.setHandoffPush(db, handoff.id, pushId)
  const live = await queueLive(db, 'handoff_created', liveData(session, handoff, me.name))
  const deliveries = await emit(db, {
    key: 'session.escalated',
    actorId: userId,
    teamId: session.team_id,
    sessionId: id,
    engineerName: me.name,
    problemSummary: session.problem_summary ?? session.title,
    psaTicketId: session.psa_ticket_id,
    targetUserId: handoff.target_user_id,
  })
  const notified = deliveries.length + (await queries.countTold(db, escalationLink(id)))
  return { handoff, text, live, deliveries, pushId, notified }
}

/** The handoff's row with all that is known at this moment. */
async function record(db: WriteDb, session: AiSessionRow, { target_user_id, ...given }: HandoffCreate) {
  const text = documentation(session, given.intent === 'escalate' ? { handoff: given } : { notes: given.summary })
  const row = { ...given, id: uuidv7(), targetId: target_user_id ?? null, documentation: clip(text, longestDocumentation) }
  return { handoff: await queries.insertHandoff(db, session.id, row), text }
}

function packageOf(session: AiSessionRow, { id, created_by, created_at, summary, what_was_tried, next_steps, urgency }: Handoff) {
  const { problem_summary, title, evidence_items, suggested_fixes, pending_task_lane } = session
  return {
    ...{ summary, problem: problem_summary ?? title, what_was_tried, evidence: evidence_items, fixes: suggested_fixes },
    ...{ task_lane: pending_task_lane, next_steps, urgency, handoff_id: id, created_by, created_at },
  }
}

function liveData({ id, title, psa_ticket_id }: AiSessionRow, handoff: Handoff, engineerName: string): LiveEvent['data'] {
  const { id: handoff_id, target_user_id, created_at } = handoff
  return { handoff_id, session_id: id, title, engineer_name: engineerName, psa_ticket_id, target_user_id, created_at }
}

function refuseOneself({ caller }: Writer, { target_user_id }: Pick<Escalate, 'target_user_id'>): void {
  if (target_user_id === caller.userId)
    throw invalid([{ loc: ['body', 'target_user_id'], msg: 'A handoff is aimed at somebody else', type: 'own_target' }])
}

/** Who hands over, and the target: 404 outside the account or deactivated, 422 for a viewer, who could not take it. */
async function people(db: WriteDb, targetId: string | undefined) {
  const found = await queries.selectPeople(db, targetId ?? null)
  if (targetId && !found.target) throw new Problem('not_found', 'Target engineer not found')
  if (found.target?.role === 'viewer')
    throw invalid([{ loc: ['body', 'target_user_id'], msg: 'A viewer cannot take a session', type: 'viewer_target' }])
  return found
}
