import { newestFirst, type PageQuery, toPage } from '#db/page.ts'
import type { AiSessionRow, Fix } from '#db/rows/ai-session.ts'
import { lockAiSession } from '#db/rows/ai-session-lock.ts'
import { selectAiSession } from '#db/rows/ai-session-queries.ts'
import type { Meaning } from '#db/rows/candidates.ts'
import { selectExportMasking } from '#db/rows/export-masking.ts'
import { inTransaction, type WriteDb } from '#db/scope.ts'
import * as connection from '#functions/psa/connection/service.ts'
import * as psa from '#functions/psa/tickets/service.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import type { JobContext } from '#http/job.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, notFound, Problem, throwNotFound } from '#problem.ts'
import { listEscalationHints } from '#rules/ai/escalation-hints.ts'
import { createDefaultTitle, toSessionTitle } from '#rules/ai/session-title.ts'
import { type AiStatus, openStates } from '#rules/ai/session-values.ts'
import { forAccount } from '#rules/audience.ts'
import { forTicket } from '#rules/release.ts'
import { writeClientResolution, writeDocumentation } from '#vendors/ai/documentation.ts'
import { type EmbedContext, embedTexts } from '#vendors/ai/embeddings.ts'
import type { CaseMaterial, TicketFacts } from '#vendors/ai/facts.ts'
import { toSources } from '#vendors/ai/sources.ts'
import { listUnsettledItems, type ProposedFix } from '#vendors/ai/unsettled.ts'
import { toPromptDetails, toPromptNotes } from '#vendors/psa/prompt.ts'
import { maxEntryMinutes, measureMinutes, roundMinutes } from '#vendors/psa/time-entry.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import { enqueuePush, prepareNote } from '#work/pushes.ts'
import { enqueueWebhooks } from '#work/webhooks.ts'
import * as queries from './queries.ts'
import type {
  AiSessionCreate,
  AiSessionDetail,
  AiSessionQuery,
  AiSessionResolve,
  FixOutcomeEntry,
  ResolutionPreview,
  SessionClose,
} from './schemas.ts'

/**
 * Create a session. If the PSA cannot be reached, only the ticket's id is stored. Throw 404 for a ticket that
 * the PSA does not know.
 */
export async function create(ctx: WriteContext, input: AiSessionCreate): Promise<AiSessionRow> {
  if (input.tree_id) await requireTroubleshootingFlow(ctx, input.tree_id)
  const ticket = input.psa_ticket_id ? await findTicketFacts(ctx, input.psa_ticket_id, true) : null
  const session = await queries.insertAiSession(ctx.db, {
    id: ctx.workId,
    session_type: input.session_type,
    title:
      toSessionTitle(input.problem_summary ?? ticket?.summary ?? '') ||
      createDefaultTitle(input.session_type),
    problem_summary: input.problem_summary ?? ticket?.summary ?? null,
    psa_ticket_id: input.psa_ticket_id ?? null,
    tree_id: input.tree_id ?? null,
    client_name: input.client_name ?? ticket?.company ?? null,
    asset_name: input.asset_name ?? null,
    environment_tags: input.environment_tags ?? [],
  })
  return session ?? throwNotFound('AI session')
}

/** Create a chat for an alert of monitoring, as the user and in the team of the scope. */
export async function openForAlert(
  db: WriteDb,
  {
    problem,
    ...columns
  }: Pick<queries.NewAiSession, 'id' | 'client_name' | 'asset_name'> & { problem: string },
): Promise<void> {
  await queries.insertOwnAiSession.run(db, {
    ...columns,
    session_type: 'chat',
    title: toSessionTitle(problem) || createDefaultTitle('chat'),
    problem_summary: problem,
    psa_ticket_id: null,
    tree_id: null,
    environment_tags: [],
  })
}

export async function list({ db }: ReadContext, query: AiSessionQuery & PageQuery) {
  return toPage(await queries.selectAiSessions.all(db, query), query, newestFirst)
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<AiSessionDetail> {
  return toDetail(await find(db, id))
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteAiSession(db, id))) await findOwn(db, id, [])
}

export async function resolve(ctx: WriteContext, id: string, input: AiSessionResolve): Promise<SessionClose> {
  return inTransaction(ctx.db, async (db) => {
    const { rows } = await lockAiSession(db, id, [selectAiSession.query(id)])
    const before = requireOwn(rows[0][0] ?? throwNotFound('AI session'), openStates)
    const outcomes = settleOutcomes(before, input)
    const [, [resolved], [session]] = await db.batch([
      queries.recordOutcomes.query(id, outcomes),
      queries.resolveAiSession.query(id, input),
      selectAiSession.query(id),
    ])
    if (!resolved || !session) throw createChangeProblem(session, openStates)
    enqueueWebhooks(db, resolved.webhook_delivery_ids)
    if (resolved.had_handoff)
      await enqueueLiveEvent(db, 'handoff_closed', { session_id: id, reason: 'resolved' })
    const { text, pushId } = await pushResolution({ db }, session)
    const psa_push = pushId ? 'queued' : 'not_linked'
    const proposed_minutes = await proposeMinutes({ db }, session)
    return {
      session_id: id,
      status: 'resolved',
      handoff_id: null,
      documentation: text,
      psa_push,
      hints: [],
      notified: 0,
      proposed_minutes,
    }
  })
}

/**
 * Enqueue the pushes of a resolved session: its documentation for colleagues, and what its client may read as
 * the resolution of the ticket, which gets the status for resolved cases. Return the documentation and the id
 * of its push.
 */
export async function pushResolution(ctx: Pick<WriteContext, 'db'>, session: AiSessionRow) {
  const { id: sourceId, psa_ticket_id: ticketId } = session
  const { text, note } = await writeResolution(ctx, session)
  const pushId = await pushDocumentation(ctx, session, text)
  if (ticketId)
    await enqueuePush(ctx.db, { ticketId, note, sourceKind: 'ai_session', sourceId, setsStatus: true })
  return { text, pushId }
}

async function writeResolution({ db }: Pick<ReadContext, 'db'>, session: AiSessionRow) {
  const text = writeDocumentation(session, {}, (await selectExportMasking.one(db)).is_masked)
  return { text, note: forTicket('resolution', writeClientResolution(session)) }
}

/** Return the texts that resolving a session would push now. */
export async function previewResolution(
  { db }: WriteContext,
  id: string,
  input: AiSessionResolve,
): Promise<ResolutionPreview> {
  const before = await findOwn(db, id, openStates)
  const outcomes = settleOutcomes(before, input)
  const { now } = await queries.selectNow.one(db)
  const { text, note } = await writeResolution({ db }, toResolved(before, input, outcomes, now))
  const [documentation, resolution] = await Promise.all(
    [{ visibility: 'internal', text: forAccount(text) } as const, note].map((part) => prepareNote(db, part)),
  )
  return {
    ticket_id: before.psa_ticket_id,
    documentation: documentation?.text ?? '',
    resolution: resolution?.text ?? '',
  }
}

/** Return a session as it would be resolved. */
function toResolved(
  session: AiSessionRow,
  { outcome, ...texts }: AiSessionResolve,
  outcomes: readonly FixOutcomeEntry[],
  now: string,
): AiSessionRow {
  const suggested_fixes = session.suggested_fixes.map((fix): Fix => {
    const entry = outcomes.find(({ fix_id }) => fix_id === fix.id)
    if (!entry) return fix
    const [entryNotes, reason] = [entry.notes ?? null, entry.reason ?? null]
    return {
      ...fix,
      status: entry.outcome,
      ai_outcome_proposal: null,
      partial_notes: entry.outcome === 'applied_partial' ? entryNotes : fix.partial_notes,
      pending_reason: entry.outcome === 'applied_pending' ? reason : fix.pending_reason,
      failure_reason: entry.outcome === 'applied_failed' ? entryNotes : fix.failure_reason,
    }
  })
  return {
    ...session,
    status: 'resolved',
    resolved_at: now,
    outcome,
    resolution_notes: texts.notes ?? null,
    resolution: texts.resolution ?? null,
    follow_up: texts.follow_up ?? null,
    suggested_fixes,
  }
}

/** Return the duration of a resolved session as a time entry would have it. */
async function proposeMinutes(
  ctx: Pick<ReadContext, 'db'>,
  { created_at, resolved_at }: AiSessionRow,
): Promise<number> {
  const minutes = roundMinutes(
    measureMinutes(created_at, resolved_at ?? created_at),
    await connection.getRounding(ctx),
  )
  return Math.min(minutes, maxEntryMinutes)
}

/**
 * Return the outcomes to record with a resolution. Throw 409 for items that nobody has decided on, and 422 or
 * 409 for the outcome of a fix that the session does not have or that is final.
 */
function settleOutcomes(
  session: AiSessionRow,
  { outcomes, accept_proposals }: AiSessionResolve,
): FixOutcomeEntry[] {
  for (const [index, { fix_id }] of outcomes.entries()) {
    const fix = session.suggested_fixes.find(({ id }) => id === fix_id)
    if (!fix)
      throw invalidField(
        ['body', 'outcomes', index, 'fix_id'],
        'must be the id of a fix of this session',
        'unknown',
      )
    if (isDecided(fix)) throw createDecidedProblem(fix)
  }
  const unsettled = listUnsettledItems(session)
  const proposals = unsettled.fixes.filter(({ id }) => !outcomes.some(({ fix_id }) => fix_id === id))
  if (accept_proposals) return [...outcomes, ...proposals.map(toAcceptedOutcome)]
  const { questions, actions } = outcomes.length > 0 ? { questions: [], actions: [] } : unsettled
  if (proposals.length + questions.length + actions.length === 0) return outcomes
  throw new Problem('unsettled_items', describeWayOut(proposals.length, questions.length + actions.length), {
    facts: {
      fixes: proposals.map(({ id, title, ai_outcome_proposal }) => ({
        id,
        text: title,
        proposed_outcome: ai_outcome_proposal.outcome,
      })),
      questions: questions.map(({ id, text }) => ({ id, text })),
      actions: actions.map(({ id, text }) => ({ id, text })),
    },
  })
}

/** Say what to send so that a case with undecided items can be resolved. */
function describeWayOut(proposals: number, items: number): string {
  const decide = [
    ...(proposals > 0 ? ['give the outcomes of the fixes in `outcomes`'] : []),
    ...(items > 0 ? ['answer or remove the questions and actions in the task lane'] : []),
  ].join(', and ')
  const accepted = [
    ...(proposals > 0 ? ['take the proposed outcomes'] : []),
    ...(items > 0 ? ['leave the questions and actions out of the case'] : []),
  ].join(' and ')
  return `Nobody has decided on a part of the case. Send \`accept_proposals: true\` to ${accepted}; or ${decide}`
}

function toAcceptedOutcome({ id, ai_outcome_proposal: { outcome, reason } }: ProposedFix): FixOutcomeEntry {
  return { fix_id: id, outcome: outcome as FixOutcomeEntry['outcome'], notes: reason, reason }
}

/** Return whether the outcome of a fix is final. */
export function isDecided({ status }: Pick<Fix, 'status'>): boolean {
  return status === 'applied_success' || status === 'applied_failed' || status === 'dismissed'
}

/** Create the problem of an outcome for a fix that has a final one. */
export function createDecidedProblem({ status }: Pick<Fix, 'status'>): Problem {
  return new Problem('already_decided', `This fix already has an outcome: ${status.replaceAll('_', ' ')}`, {
    facts: { status },
  })
}

/** Close a session without an outcome. A closed session is not changed. */
export async function abandon(ctx: WriteContext, id: string): Promise<SessionClose> {
  const status = await inTransaction(ctx.db, async (db) => {
    // The lock comes first: a statement that waits for it would not see a handoff that was made meanwhile.
    const { rows } = await lockAiSession(db, id, [
      queries.abandonAiSession.query(id),
      selectAiSession.query(id),
    ])
    const [[abandoned], [session]] = rows
    if (!session?.is_owner) throw createChangeProblem(session, [])
    if (abandoned?.had_handoff)
      await enqueueLiveEvent(db, 'handoff_closed', { session_id: id, reason: 'abandoned' })
    return abandoned ? 'abandoned' : session.status
  })
  return {
    session_id: id,
    status,
    handoff_id: null,
    documentation: '',
    psa_push: 'not_linked',
    hints: [],
    notified: 0,
    proposed_minutes: null,
  }
}

/**
 * Enqueue the push of a session's documentation as an internal note of its ticket. Return the push id, or
 * null without a ticket or a connected PSA.
 */
export async function pushDocumentation(
  { db }: Pick<WriteContext, 'db'>,
  { id, psa_ticket_id }: AiSessionRow,
  body: string,
): Promise<string | null> {
  if (!psa_ticket_id) return null
  const note = { visibility: 'internal', text: forAccount(body) } as const
  const pushId = await enqueuePush(db, {
    ticketId: psa_ticket_id,
    note,
    sourceKind: 'ai_session',
    sourceId: id,
  })
  if (pushId) await queries.setSessionPush(db, id, pushId)
  return pushId
}

/**
 * Return the facts of a ticket for prompts, or null when it cannot be read. If `isRequired`, throw 404 for an
 * unknown ticket.
 */
export async function findTicketFacts(
  ctx: ReadContext | WriteContext,
  ticketId: string | null,
  isRequired = false,
): Promise<TicketFacts | null> {
  if (!ticketId) return null
  try {
    const context = await psa.getSurvivingContext(ctx, ticketId)
    const { ticket, company, contact, configurations } = context
    return {
      summary: ticket.summary,
      description: ticket.description,
      status: ticket.status,
      priority: ticket.priority,
      company: company?.name ?? ticket.company,
      contact: contact?.name ?? ticket.contact,
      configurations: configurations.slice(0, 10).map(({ name }) => name),
      details: toPromptDetails(ticket),
      notes: toPromptNotes(context),
    }
  } catch (error) {
    if (isRequired && error instanceof Problem && error.kind === 'not_found') throw error
    // A session must be usable while the ticketing system is unreachable.
    return null
  }
}

/**
 * Return the flows, articles, resolved sessions and scripts that fit a text. With `treeId`, that flow is the
 * only flow; with `client`, colleagues' cases of this client are among the sessions.
 */
export async function findMaterial(
  ctx: EmbedContext,
  text: string,
  treeId: string | null,
  client: string | null = null,
): Promise<CaseMaterial> {
  const { candidates, templates } = await queries.selectMaterial(
    ctx.db,
    text,
    treeId,
    await findMeaning(ctx, text),
    client,
  )
  return { sources: toSources(candidates), templates }
}

/** A turn waits for its answer anyway, but not much longer because of its sources. */
const meaningTimeoutMs = 1500

/**
 * Return what a text means, or null without a model and after a failure: the words alone find sources too.
 */
async function findMeaning(ctx: EmbedContext, text: string): Promise<Meaning | null> {
  const { model, isConfigured } = ctx.embeddings
  if (!isConfigured || text.trim() === '') return null
  const [embedding] = await embedTexts(ctx, [text], meaningTimeoutMs).catch(() => [])
  return embedding ? { model, embedding } : null
}

/** Return a session that the caller may see, with all that belongs to it, or throw 404. */
export async function find(db: ReadContext['db'], id: string): Promise<AiSessionRow> {
  return (await selectAiSession.first(db, id)) ?? throwNotFound('AI session')
}

/**
 * Return the caller's own session. Throw 404, 403, or 409 outside `states`. An empty list allows every state.
 */
export async function findOwn(
  db: ReadContext['db'],
  id: string,
  states: readonly AiStatus[],
): Promise<AiSessionRow> {
  return requireOwn(await find(db, id), states)
}

function requireOwn(session: AiSessionRow, states: readonly AiStatus[]): AiSessionRow {
  if (!session.is_owner || (states.length > 0 && !states.includes(session.status)))
    throw createChangeProblem(session, states)
  return session
}

/** Create the problem for a session that cannot be changed: 404, 403, or 409 with the session's status. */
export function createChangeProblem(
  session: Pick<AiSessionRow, 'is_owner' | 'status'> | undefined,
  states: readonly AiStatus[],
): Problem {
  if (!session) return notFound('AI session')
  if (!session.is_owner)
    return new Problem('forbidden', 'Only the engineer who works on this session may change it')
  const { status } = session
  const detail = `The session is ${status.replaceAll('_', ' ')}; it must be ${states.join(', ').replaceAll('_', ' ')}`
  return new Problem('wrong_state', detail, { facts: { status } })
}

/** Return a session without the columns that the API does not show. */
export function toDetail({
  team_id: _team,
  is_owner: _owner,
  script_runs,
  local_time: _time,
  ...session
}: AiSessionRow): AiSessionDetail {
  return { ...session, hints: listEscalationHints({ ...session, script_runs }) } as AiSessionDetail
}

/** Archive up to `limit` idle chats of any account. Return their number. */
export async function archiveIdle(
  { platform }: Pick<JobContext, 'platform'>,
  limit: number,
): Promise<number> {
  return queries.archiveIdleChats.run(platform, limit)
}

async function requireTroubleshootingFlow(ctx: WriteContext, treeId: string): Promise<void> {
  const { tree_type } = await sessions.findRunnable(ctx.db, treeId)
  if (tree_type !== 'troubleshooting')
    throw new Problem('wrong_flow_type', 'Only a troubleshooting flow can guide an AI session')
}
