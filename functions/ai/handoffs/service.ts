import { ask } from '../../../lib/ai/ask.ts'
import { writeDocumentation } from '../../../lib/ai/documentation.ts'
import { toCaseFacts } from '../../../lib/ai/facts.ts'
import { handoffDraft } from '../../../lib/ai/prompts/writing.ts'
import { clip } from '../../../lib/chat/chat.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { AiSessionRow, Handoff } from '../../../lib/db/rows/ai-session.ts'
import { inTransaction, type WriteDb } from '../../../lib/db/scope.ts'
import { uuidv7 } from '../../../lib/db/uuid.ts'
import { escalationPath } from '../../../lib/events/events.ts'
import { insertEvent, publishDeliveries } from '../../../lib/events/outbox.ts'
import { eventStream } from '../../../lib/http/event-stream.ts'
import type { Content, ReadContext, WriteContext } from '../../../lib/http/operation.ts'
import { invalidField, notFound } from '../../../lib/problem.ts'
import { publishPushes } from '../../../lib/psa/pushes.ts'
import { insertLiveEvent, publishLiveEvents } from '../../../lib/realtime/outbox.ts'
import type { LiveEvent } from '../../../lib/realtime/realtime.ts'
import { assessMessage } from '../assessments/service.ts'
import type { AiSessionDetail, SessionClose } from '../sessions/schemas.ts'
import * as aiSessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { HandoffCreate, HandoffEscalate } from './schemas.ts'

const maxDocumentationLength = 200_000
// The newest messages that the prompt of a draft contains.
const maxPromptMessages = 30

export async function create(ctx: WriteContext, id: string, { intent, ...input }: HandoffCreate): Promise<Handoff> {
  if (intent === 'escalate') return (await escalateSession(ctx, id, input)).handoff
  requireOtherTarget(ctx, input)
  return inTransaction(ctx.db, async (db) => {
    const { isChanged, session } = await queries.parkSession(db, id)
    if (!isChanged || !session) throw aiSessions.changeRefused(session, queries.escalatableStates)
    await selectParticipants(db, input.target_user_id)
    return (await createHandoff(db, session, { intent, ...input })).handoff
  })
}

export async function escalate(ctx: WriteContext, id: string, input: HandoffEscalate): Promise<SessionClose> {
  const { handoff, text, pushId, notified } = await escalateSession(ctx, id, input)
  const psa_push = pushId ? 'queued' : 'not_linked'
  return { session_id: id, status: 'escalated', handoff_id: handoff.id, documentation: text, psa_push, notified }
}

export async function list({ db }: ReadContext, id: string, page: PageQuery) {
  await aiSessions.find(db, id)
  return toPage(await queries.selectHandoffs(db, id, page), page.limit)
}

export async function resume({ db }: WriteContext, id: string): Promise<AiSessionDetail> {
  const { isChanged, session } = await queries.resumeSession(db, id)
  if (!isChanged || !session) throw aiSessions.changeRefused(session, ['parked'])
  return aiSessions.toDetail(session)
}

/** Stream a handoff drafted by the model. Stores nothing. */
export async function draft(ctx: WriteContext, id: string): Promise<Content> {
  const session = await aiSessions.findOwn(ctx.db, id, queries.escalatableStates)
  const ticket = await aiSessions.findTicketFacts(ctx, session.psa_ticket_id)
  const conversation = session.messages.slice(-maxPromptMessages).map(({ role, content }) => ({ role, text: content }))
  const facts = { ...toCaseFacts(session, ticket), conversation }
  return eventStream(ctx, async (send) => {
    const listener = {
      field: 'summary',
      onText: (text: string) => send('delta', { text }),
      onRestart: () => send('restart', {}),
    }
    send('draft', await ask(ctx, handoffDraft, { facts }, listener))
  })
}

/** Store an escalation with the rows of its messages in one transaction, then publish each message after the commit. */
async function escalateSession(ctx: WriteContext, id: string, input: HandoffEscalate) {
  requireOtherTarget(ctx, input)
  const escalation = await inTransaction(ctx.db, (db) => storeEscalation(db, id, input, ctx.caller.userId))
  const { handoff, live, deliveries, pushId } = escalation
  ctx.afterCommit(() => publishLiveEvents(ctx, ctx.caller.accountId, [live]))
  ctx.afterCommit(() => publishDeliveries(ctx.queue, deliveries))
  if (pushId) ctx.afterCommit(() => publishPushes(ctx.queue, [pushId]))
  ctx.afterCommit(() => ctx.queue.publish([assessMessage(handoff.id, 1)]))
  return escalation
}

async function storeEscalation(db: WriteDb, id: string, input: HandoffEscalate, userId: string) {
  const { isChanged, session } = await queries.escalateSession(db, id)
  if (!isChanged || !session) throw aiSessions.changeRefused(session, queries.escalatableStates)
  const { caller } = await selectParticipants(db, input.target_user_id)
  const { handoff, text } = await createHandoff(db, session, { intent: 'escalate', ...input })
  await queries.setEscalationPackage(db, id, toEscalationPackage(session, handoff), handoff.target_user_id)
  const pushId = await aiSessions.pushDocumentation(db, session, text)
  if (pushId) await queries.setHandoffPush(db, handoff.id, pushId)
  const live = await insertLiveEvent(db, 'handoff_created', toLiveEventData(session, handoff, caller.name))
  const deliveries = await insertEvent(db, {
    key: 'session.escalated',
    actorId: userId,
    teamId: session.team_id,
    sessionId: id,
    engineerName: caller.name,
    problemSummary: session.problem_summary ?? session.title,
    psaTicketId: session.psa_ticket_id,
    targetUserId: handoff.target_user_id,
  })
  const notified = deliveries.length + (await queries.countEscalationNotifications(db, escalationPath(id)))
  return { handoff, text, live, deliveries, pushId, notified }
}

/** Write the documentation and insert the handoff. Return both. */
async function createHandoff(db: WriteDb, session: AiSessionRow, { target_user_id, ...input }: HandoffCreate) {
  const text = writeDocumentation(session, input.intent === 'escalate' ? { handoff: input } : { notes: input.summary })
  const row = { ...input, id: uuidv7(), targetId: target_user_id ?? null, documentation: clip(text, maxDocumentationLength) }
  return { handoff: await queries.insertHandoff(db, session.id, row), text }
}

function toEscalationPackage(session: AiSessionRow, handoff: Handoff) {
  return {
    summary: handoff.summary,
    problem: session.problem_summary ?? session.title,
    what_was_tried: handoff.what_was_tried,
    evidence: session.evidence_items,
    fixes: session.suggested_fixes,
    task_lane: session.pending_task_lane,
    next_steps: handoff.next_steps,
    urgency: handoff.urgency,
    handoff_id: handoff.id,
    created_by: handoff.created_by,
    created_at: handoff.created_at,
  }
}

function toLiveEventData({ id, title, psa_ticket_id }: AiSessionRow, handoff: Handoff, engineerName: string): LiveEvent['data'] {
  const { id: handoff_id, target_user_id, created_at } = handoff
  return { handoff_id, session_id: id, title, engineer_name: engineerName, psa_ticket_id, target_user_id, created_at }
}

function requireOtherTarget({ caller }: WriteContext, { target_user_id }: Pick<HandoffEscalate, 'target_user_id'>): void {
  if (target_user_id === caller.userId) throw invalidField(['body', 'target_user_id'], 'must be the id of another user', 'own_target')
}

/** Select the caller and the target. Throw 404 for a target that is not an active user of the account, 422 for a viewer. */
async function selectParticipants(db: WriteDb, targetId: string | undefined) {
  const participants = await queries.selectCallerAndTarget(db, targetId ?? null)
  if (targetId && !participants.target) throw notFound('Target engineer')
  if (participants.target?.role === 'viewer')
    throw invalidField(['body', 'target_user_id'], 'must be the id of an engineer or admin', 'viewer_target')
  return participants
}
