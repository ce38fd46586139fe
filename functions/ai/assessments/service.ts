import type { Citation } from '#db/rows/ai-session.ts'
import { selectAiSession } from '#db/rows/ai-session-queries.ts'
import { selectTicketSite } from '#db/rows/ticket-site.ts'
import type { ReadDb } from '#db/scope.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import type { JobContext } from '#http/job.ts'
import { Problem } from '#problem.ts'
import { type EscalationDetails, maxTextLength } from '#rules/events/escalation-alert.ts'
import { escapeMarkdown } from '#rules/markup/markdown.ts'
import { clip } from '#rules/text/clip.ts'
import { AiFailure } from '#vendors/ai/ai.ts'
import { ask } from '#vendors/ai/ask.ts'
import { describeCitation } from '#vendors/ai/documentation.ts'
import { toCaseFacts, toSearchText } from '#vendors/ai/facts.ts'
import { escalationAssessment } from '#vendors/ai/prompts/writing.ts'
import { toCitations } from '#vendors/ai/sources.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { writeTicketUrl } from '#vendors/psa/ticket-url.ts'
import { abandonedResult, enqueueNext, recordAttempt, secondsUntilRetry } from '#work/attempts.ts'
import { defineWork } from '#work/define-work.ts'
import { enqueueEvent } from '#work/events.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import * as queries from './queries.ts'

export type AssessmentContext = Pick<
  JobContext,
  'platform' | 'openAccountScope' | 'ai' | 'embeddings' | 'config'
>

export const work = defineWork({
  kind: 'assessment',
  statements: queries.attempts,
  async attempt(ctx: AssessmentContext, claimed) {
    const { retry, ...result } = await assessHandoff(ctx, claimed)
    const seconds = retry && secondsUntilRetry({ ...claimed, max_attempts: queries.maxAttempts }, retry)
    if (!seconds || !(await postpone(ctx, claimed, result, seconds))) await storeResult(ctx, claimed, result)
  },
  fail: (ctx, claimed, result) =>
    storeResult(ctx, claimed, { status: 'failed', text: result === abandonedResult ? null : result.error }),
})

interface Assessment extends queries.AssessmentResult {
  /** Set if another attempt may succeed. */
  retry?: SendResult & { ok: false }
}

/** Leave the assessment open, and enqueue the next attempt. Return whether one follows. */
async function postpone(
  ctx: AssessmentContext,
  claimed: queries.ClaimedAssessment,
  result: queries.AssessmentResult,
  seconds: number,
): Promise<boolean> {
  const isPostponed = await ctx.openAccountScope(claimed.account_id).transaction(async (db) => {
    const postponed = await queries.postponeAssessment.first(db, claimed, result, seconds)
    if (postponed) enqueueNext(db, 'assessment', claimed, seconds)
    return postponed !== undefined
  })
  if (isPostponed) recordAttempt('assessment', { ok: false }, seconds)
  return isPostponed
}

/** Kinds of failures that a repeat of the same question would meet again. */
const finalFailures: ReadonlySet<AiFailure['kind']> = new Set(['declined', 'rejected'])

/**
 * Return what follows from an error of the model, and what is said of it. Without its account or its budget
 * no model is asked.
 */
function toFailedAssessment(error: unknown): Assessment {
  const cause = error instanceof Problem ? error.cause : undefined
  const text = error instanceof Problem ? error.message : null
  if (!(cause instanceof AiFailure) || finalFailures.has(cause.kind)) return { status: 'failed', text }
  return {
    status: cause.kind === 'timeout' ? 'timed_out' : 'failed',
    text,
    retry: {
      ok: false,
      status: null,
      error: cause.kind,
      retryAfterSeconds: Math.ceil((cause.retryAfterMs ?? 0) / 1000),
    },
  }
}

/**
 * Ask the model for an assessment of the case. Return a failed result instead of throwing when the model
 * fails.
 */
async function assessHandoff(
  ctx: AssessmentContext,
  { id, account_id, user_id, session_id }: queries.ClaimedAssessment,
): Promise<Assessment> {
  const { db } = ctx.openAccountScope(account_id, user_id)
  const session = await selectAiSession.first(db, session_id)
  if (!session) return { status: 'failed', text: null }
  const {
    reason = '',
    summary = '',
    what_was_tried = '',
    next_steps = '',
    urgency,
  } = session.handoffs.find((handoff) => handoff.id === id) ?? {}
  // A scope without a user, because every colleague may read the assessment: it uses only sources that all of
  // them may see.
  const accountScope = { ...ctx, db: ctx.openAccountScope(account_id).db }
  const material = await aiSessions.findMaterial(
    accountScope,
    toSearchText(session, null, summary),
    session.tree_id,
  )
  const facts = {
    ...toCaseFacts(session, null, material),
    handoff: { reason, summary, what_was_tried, next_steps, urgency },
  }
  try {
    const { text, citations } = await ask({ db, ai: ctx.ai, config: ctx.config }, escalationAssessment, {
      facts,
    })
    // PostgreSQL accepts neither NUL characters nor lone surrogates.
    return {
      status: 'ready',
      text: addSources(text, toCitations(citations, material.sources)).replaceAll('\0', '').toWellFormed(),
    }
  } catch (error) {
    return toFailedAssessment(error)
  }
}

/** Add the sources of an assessment as a list at its end. */
function addSources(text: string, citations: readonly Citation[]): string {
  return citations.length === 0
    ? text
    : `${text}\n\nSources:\n${citations.map((citation) => `- ${escapeMarkdown(describeCitation(citation))}`).join('\n')}`
}

/** Return what the alert shows of the case and of its assessment. */
async function toAlertDetails(
  db: ReadDb,
  handoffId: string,
  { urgency, psa_ticket_id, client_name, next_steps }: queries.AssessedSession,
  assessment: string,
): Promise<EscalationDetails> {
  const site = await selectTicketSite(db).executeTakeFirst()
  return {
    handoff_id: handoffId,
    urgency,
    psa_ticket_id,
    client_name,
    next_steps: clip(next_steps, maxTextLength),
    assessment,
    reason: '',
    summary: '',
    what_was_tried: '',
    ticket_url: writeTicketUrl(site, psa_ticket_id),
  }
}

/** Store a result and enqueue its events in one transaction. */
async function storeResult(
  ctx: AssessmentContext,
  claimed: queries.ClaimedAssessment,
  result: queries.AssessmentResult,
): Promise<void> {
  recordAttempt('assessment', { ok: result.status === 'ready' }, null)
  await ctx.openAccountScope(claimed.account_id).transaction(async (db) => {
    const session = await queries.storeAssessment.first(db, claimed, result)
    if (!session) return
    const data = { handoff_id: claimed.id, session_id: claimed.session_id, assessment_status: result.status }
    await enqueueLiveEvent(db, 'handoff_assessment_ready', data)
    if (result.status !== 'ready' || session.is_over) return
    await enqueueEvent(db, {
      key: 'handoff.assessment_ready',
      actorId: null,
      causedById: claimed.user_id,
      teamId: session.team_id,
      sessionId: claimed.session_id,
      sessionTitle: session.title,
      claimantId: session.claimed_by,
      details: await toAlertDetails(db, claimed.id, session, result.text ?? ''),
    })
  })
}
