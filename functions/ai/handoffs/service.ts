import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import { retryOnConflict } from '#db/retry.ts'
import type { AiSessionRow, Handoff } from '#db/rows/ai-session.ts'
import { findActiveBranch, updateAiSession } from '#db/rows/ai-session-queries.ts'
import { inTransaction, type WriteDb } from '#db/scope.ts'
import { uuidv7 } from '#db/uuid.ts'
import type { AiSessionDetail, SessionClose } from '#functions/ai/sessions/schemas.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import * as schedules from '#functions/oncall/schedules/service.ts'
import { withColleagues } from '#functions/presence/service.ts'
import { createEventStream } from '#http/event-stream.ts'
import type { Content, ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, notFound } from '#problem.ts'
import { listEscalationHints } from '#rules/ai/escalation-hints.ts'
import { type EscalationDetails, toEscalationDetails } from '#rules/events/escalation-alert.ts'
import { release } from '#rules/release.ts'
import { clip } from '#rules/text/clip.ts'
import { toPlainName } from '#rules/text/plain-name.ts'
import { sentence } from '#rules/text/sentence.ts'
import { ask } from '#vendors/ai/ask.ts'
import { describeFix, describeScriptResult, writeDocumentation } from '#vendors/ai/documentation.ts'
import { toCaseFacts } from '#vendors/ai/facts.ts'
import { handoffDraft } from '#vendors/ai/prompts/writing.ts'
import { isAnswer } from '#vendors/ai/unanswered.ts'
import { writeTicketUrl } from '#vendors/psa/ticket-url.ts'
import type { LiveEvent } from '#vendors/realtime/realtime.ts'
import { enqueueEmitted } from '#work/events.ts'
import { enqueueLiveEvent, registerLiveEvent } from '#work/live-events.ts'
import { enqueueReminder } from '#work/reminders.ts'
import * as queries from './queries.ts'
import type { DraftEvents, HandoffCreate, HandoffEscalate } from './schemas.ts'

const maxDocumentationLength = 200_000
// The newest messages that the prompt of a draft contains.
const maxPromptMessages = 30

export async function create(
  ctx: WriteContext,
  id: string,
  { intent, ...input }: HandoffCreate,
): Promise<Handoff> {
  if (intent === 'escalate') {
    const { handoff, hints, alsoHere } = await escalateSession(ctx, id, input)
    return withColleagues(hints.length > 0 ? { ...handoff, hints } : handoff, alsoHere)
  }
  requireOtherTarget(ctx, input)
  return inTransaction(ctx.db, async (db) => {
    const { isChanged, session } = await updateAiSession(db, id, queries.parkSession.query(id))
    if (!isChanged || !session) throw aiSessions.createChangeProblem(session, queries.escalatableStates)
    const { target, isMasked, alsoHere } = await queries.selectSessionAndPeople(
      db,
      id,
      input.target_user_id ?? null,
    )
    requireTarget(input, target)
    const text = writeDocumentation(session, { notes: input.summary }, isMasked)
    return withColleagues(
      await queries.insertHandoff(db, id, toNewHandoff({ intent, ...input }, text)),
      alsoHere,
    )
  })
}

export async function escalate(ctx: WriteContext, id: string, input: HandoffEscalate): Promise<SessionClose> {
  const { handoff, text, pushId, notified, hints, alsoHere } = await escalateSession(ctx, id, input)
  const psa_push = pushId ? 'queued' : 'not_linked'
  return withColleagues(
    {
      session_id: id,
      status: 'escalated',
      handoff_id: handoff.id,
      documentation: text,
      psa_push,
      hints,
      notified,
      proposed_minutes: null,
    },
    alsoHere,
  )
}

export async function list({ db }: ReadContext, id: string, page: PageQuery) {
  await findActiveBranch(db, id)
  return toPage(await queries.selectHandoffs(db, id, page), page, newestFirst)
}

export async function resume(ctx: WriteContext, id: string): Promise<AiSessionDetail> {
  return inTransaction(ctx.db, async (db) => {
    const { isChanged, session } = await updateAiSession(db, id, queries.resumeSession.query(id))
    if (!isChanged || !session) throw aiSessions.createChangeProblem(session, ['parked'])
    await enqueueLiveEvent(db, 'handoff_closed', { session_id: id, reason: 'resumed' })
    return aiSessions.toDetail(session)
  })
}

/** Stream a handoff drafted by the model. Stores nothing. */
export async function draft(ctx: WriteContext, id: string): Promise<Content> {
  const session = await aiSessions.findOwn(ctx.db, id, queries.escalatableStates)
  const ticket = await aiSessions.findTicketFacts(ctx, session.psa_ticket_id)
  const conversation = session.messages
    .filter(isAnswer)
    .slice(-maxPromptMessages)
    .map(({ role, content }) => ({ role, text: content }))
  const facts = { ...toCaseFacts(session, ticket), conversation }
  return createEventStream<DraftEvents>(ctx, async (send) => {
    const listener = {
      field: 'summary',
      onText: (text: string) => send('delta', { text }),
      onRestart: () => send('restart', {}),
    }
    send('draft', await ask(ctx, handoffDraft, { facts }, listener))
  })
}

/** Store an escalation and enqueue its messages. Read the session again if it changes in between. */
async function escalateSession(ctx: WriteContext, id: string, input: HandoffEscalate) {
  requireOtherTarget(ctx, input)
  const stored = await retryOnConflict('session', () => tryEscalate(ctx, id, input))
  enqueueEscalation(ctx.db, stored)
  return { ...stored, notified: stored.event.user_ids.length }
}

function enqueueEscalation(db: WriteDb, stored: Awaited<ReturnType<typeof store>>): void {
  const { handoff, pushId, liveEvent, event, reminder } = stored
  registerLiveEvent(db, liveEvent)
  enqueueEmitted(db, event)
  if (reminder) enqueueReminder(db, reminder)
  if (pushId) db.outbox({ kind: 'push', id: pushId, attempt: 1 })
  db.outbox({ kind: 'assessment', id: handoff.id, attempt: 1 })
}

/** Read the session and store its escalation. Raise SF409 if the session has changed in between. */
async function tryEscalate({ db, caller: { userId } }: WriteContext, id: string, input: HandoffEscalate) {
  const found = await queries.selectSessionAndPeople(db, id, input.target_user_id ?? null)
  const { session, target, alsoHere } = found
  if (!session?.is_owner || !queries.escalatableStates.some((status) => status === session.status))
    throw aiSessions.createChangeProblem(session, queries.escalatableStates)
  requireTarget(input, target)
  const hints = listEscalationHints(session, input.what_was_tried)
  return { hints, alsoHere, ...(await store(db, userId, { ...found, session }, input)) }
}

/**
 * Escalate a session again whose colleague can no longer work. `db` is in the scope of its engineer. Return
 * false if somebody works on it.
 */
export async function returnToQueue(db: WriteDb, engineerId: string, id: string): Promise<boolean> {
  const stored = await retryOnConflict('session', async () => {
    const found = await queries.selectSessionAndPeople(db, id, null)
    const { session } = found
    const last = session?.handoffs.find(({ intent }) => intent === 'escalate')
    if (!session || !last || !(await queries.selectIsReturning.one(db, id)).is_returning) return null
    const { urgency, summary, what_was_tried, next_steps } = last
    const name = session.picked_up_by_name
    const reason = name ? sentence`${toPlainName(name)} can no longer work on it` : last.reason
    const input = { urgency, reason, summary, what_was_tried, next_steps }
    return store(db, engineerId, { ...found, session }, input, true)
  })
  if (stored) enqueueEscalation(db, stored)
  return stored !== null
}

async function store(
  db: WriteDb,
  userId: string,
  found: Awaited<ReturnType<typeof queries.selectSessionAndPeople>> & { session: AiSessionRow },
  input: HandoffEscalate,
  isReturned = false,
) {
  const { session, caller, isMasked, ticketSite, steps, rosters } = found
  const text = writeDocumentation(session, { handoff: input }, isMasked)
  const handoff = toNewHandoff({ intent: 'escalate', ...input }, text)
  const alert = toAlert(session, handoff, writeTicketUrl(ticketSite, session.psa_ticket_id), isMasked)
  const onCallIds = await schedules.chooseAlerted(rosters, { steps, engineerId: userId })
  const event = toEscalationEvent(session, handoff, alert, { userId, name: caller.name })
  const escalation = await queries.storeEscalation(db, {
    session,
    handoff,
    escalationPackage: toEscalationPackage(session, handoff, userId),
    liveEventData: toLiveEventData(session, handoff, alert, caller.name),
    event: isReturned
      ? { ...event, isReturned, actorId: null, causedById: userId, onCallIds: [userId, ...onCallIds] }
      : { ...event, onCallIds },
  })
  return { text, ...escalation }
}

function toNewHandoff(
  { target_user_id, ...input }: HandoffCreate,
  documentation: string,
): queries.NewHandoff {
  return {
    ...input,
    id: uuidv7(),
    targetId: target_user_id ?? null,
    documentation: clip(documentation, maxDocumentationLength),
  }
}

interface Alert {
  title: string
  problem: string
  details: EscalationDetails
}

/** Return the texts of the alert. They are masked if the account masks its exports. */
function toAlert(
  session: AiSessionRow,
  handoff: queries.NewHandoff,
  ticketUrl: string | null,
  isMasked: boolean,
): Alert {
  const { title, problem_summary, client_name, psa_ticket_id, messages } = session
  const { urgency, reason, summary, what_was_tried, next_steps } = handoff
  const firstMessage = messages.find(({ role }) => role === 'user')?.content
  const problem = [problem_summary, summary, firstMessage].find((text) => text?.trim()) ?? title
  const lists = {
    fixes: joinLines(session.suggested_fixes.filter(({ status }) => status !== 'dismissed').map(describeFix)),
    known: joinLines(listKnown(session)),
  }
  const tried = [what_was_tried.trim(), joinLines(session.script_runs.map(describeScriptResult))]
    .filter(Boolean)
    .join('\n')
  const texts = { title, problem, client_name, reason, summary, what_was_tried: tried, next_steps, ...lists }
  const { title: alertTitle, problem: alertProblem, ...alertTexts } = release(texts, isMasked)
  return {
    title: alertTitle,
    problem: alertProblem,
    details: toEscalationDetails({
      handoff_id: handoff.id,
      urgency,
      psa_ticket_id,
      ticket_url: ticketUrl,
      ...alertTexts,
    }),
  }
}

/** The newest lines of a list that an alert shows. The session has all of them. */
const maxAlertLines = 12

function joinLines(lines: readonly string[]): string {
  return lines
    .slice(-maxAlertLines)
    .map((line) => `• ${clip(line.replace(/\s+/g, ' ').trim(), 200)}`)
    .join('\n')
}

function listKnown({ evidence_items, facts }: AiSessionRow): string[] {
  return [...evidence_items.map(({ text }) => text), ...facts.map(({ key, value }) => `${key}: ${value}`)]
}

function toEscalationEvent(
  session: AiSessionRow,
  { targetId }: queries.NewHandoff,
  { problem, details }: Alert,
  caller: { userId: string; name: string },
) {
  return {
    key: 'session.escalated',
    actorId: caller.userId,
    teamId: session.team_id,
    sessionId: session.id,
    engineerName: caller.name,
    problemSummary: problem,
    psaTicketId: session.psa_ticket_id,
    targetUserId: targetId,
    details,
  } as const
}

/** Return what the colleague who picks the session up sees. The database adds the time. */
function toEscalationPackage(session: AiSessionRow, handoff: queries.NewHandoff, userId: string) {
  return {
    summary: handoff.summary,
    problem: session.problem_summary ?? session.title,
    what_was_tried: handoff.what_was_tried,
    evidence: session.evidence_items,
    fixes: session.suggested_fixes,
    script_runs: session.script_runs,
    task_lane: session.pending_task_lane,
    next_steps: handoff.next_steps,
    urgency: handoff.urgency,
    handoff_id: handoff.id,
    created_by: userId,
  }
}

/** Return the data of the live event. The database adds the time. */
function toLiveEventData(
  session: AiSessionRow,
  { id, targetId }: queries.NewHandoff,
  { title, details }: Alert,
  engineerName: string,
): LiveEvent['data'] {
  return {
    handoff_id: id,
    session_id: session.id,
    title,
    engineer_name: engineerName,
    target_user_id: targetId,
    ...details,
  }
}

function requireOtherTarget(
  { caller }: WriteContext,
  { target_user_id }: Pick<HandoffEscalate, 'target_user_id'>,
): void {
  if (target_user_id === caller.userId)
    throw invalidField(['body', 'target_user_id'], 'must be the id of another user', 'own_target')
}

/** Throw 404 for a target that is not an active user of the account, 422 for a viewer. */
function requireTarget(
  { target_user_id }: Pick<HandoffEscalate, 'target_user_id'>,
  target: queries.Person | undefined,
): void {
  if (target_user_id && !target) throw notFound('Target engineer')
  if (target?.role === 'viewer')
    throw invalidField(['body', 'target_user_id'], 'must be the id of an engineer or admin', 'viewer_target')
}
