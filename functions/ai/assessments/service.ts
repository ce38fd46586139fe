import type { Citation } from '#db/rows/ai-session.ts'
import { selectAiSession } from '#db/rows/ai-session-queries.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import type { JobContext } from '#http/job.ts'
import { escapeMarkdown } from '#rules/markup/markdown.ts'
import { AiFailure } from '#vendors/ai/ai.ts'
import { ask } from '#vendors/ai/ask.ts'
import { describeCitation } from '#vendors/ai/documentation.ts'
import { toCaseFacts, toSearchText } from '#vendors/ai/facts.ts'
import { escalationAssessment } from '#vendors/ai/prompts/writing.ts'
import { toCitations } from '#vendors/ai/sources.ts'
import { recordAttempt } from '#work/attempts.ts'
import { enqueueEvent } from '#work/events.ts'
import { enqueueLiveEvent } from '#work/live-events.ts'
import type { SweptKind } from '#work/sweep.ts'
import * as queries from './queries.ts'

export type AssessmentContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'ai' | 'config' | 'budget'>

/** Make one attempt at the assessment of a handoff. A duplicate message finds the attempt already claimed and does nothing. */
export async function attempt(ctx: AssessmentContext, handoffId: string, attemptNumber: number): Promise<void> {
  const assessment = await queries.claimAssessment.first(ctx.platform, handoffId, attemptNumber)
  if (assessment) await storeResult(ctx, assessment, await assessHandoff(ctx, assessment))
}

/** Fail the assessments whose last attempt never reported a result. */
export async function failAbandoned(ctx: AssessmentContext): Promise<void> {
  for (const assessment of await queries.selectAbandonedAssessments.all(ctx.platform))
    await storeResult(ctx, assessment, { status: 'failed', text: null })
}

/** Return the functions with which the sweep claims and attempts due assessments. */
export function toSweptKind(ctx: AssessmentContext): SweptKind {
  return {
    kind: 'assessment',
    parallel: 1,
    claimDue: (limit) => queries.claimDueAssessments.all(ctx.platform, limit),
    attempt: (id, attemptNumber) => attempt(ctx, id, attemptNumber),
  }
}

/** Ask the model for an assessment of the case. Return a failed result instead of throwing when the model fails. */
async function assessHandoff(
  ctx: AssessmentContext,
  { id, account_id, user_id, session_id }: queries.ClaimedAssessment,
): Promise<queries.AssessmentResult> {
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
  // A scope without a user, because every colleague may read the assessment: it uses only sources that all of them may see.
  const accountScope = ctx.openAccountScope(account_id)
  const material = await aiSessions.findMaterial(accountScope, toSearchText(session, null, summary), session.tree_id)
  const facts = { ...toCaseFacts(session, null, material), handoff: { reason, summary, what_was_tried, next_steps, urgency } }
  try {
    const { text, citations } = await ask({ db, ai: ctx.ai, config: ctx.config, budget: ctx.budget }, escalationAssessment, { facts })
    // PostgreSQL accepts neither NUL characters nor lone surrogates.
    return { status: 'ready', text: addSources(text, toCitations(citations, material.sources)).replaceAll('\0', '').toWellFormed() }
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    return { status: cause instanceof AiFailure && cause.kind === 'timeout' ? 'timed_out' : 'failed', text: null }
  }
}

/** Add the sources of an assessment as a list at its end. */
function addSources(text: string, citations: readonly Citation[]): string {
  return citations.length === 0
    ? text
    : `${text}\n\nSources:\n${citations.map((citation) => `- ${escapeMarkdown(describeCitation(citation))}`).join('\n')}`
}

/** Store a result and enqueue its events in one transaction. */
async function storeResult(ctx: AssessmentContext, claimed: queries.ClaimedAssessment, result: queries.AssessmentResult): Promise<void> {
  recordAttempt('assessment', { ok: result.status === 'ready' }, null)
  await ctx.openAccountScope(claimed.account_id).transaction(async (db) => {
    const session = await queries.storeAssessment.first(db, claimed, result)
    if (!session) return
    const data = { handoff_id: claimed.id, session_id: claimed.session_id, assessment_status: result.status }
    await enqueueLiveEvent(db, 'handoff_assessment_ready', data)
    if (result.status !== 'ready') return
    await enqueueEvent(db, {
      key: 'handoff.assessment_ready',
      actorId: null,
      causedById: claimed.user_id,
      teamId: session.team_id,
      sessionId: claimed.session_id,
      sessionTitle: session.title,
      claimantId: session.claimed_by,
    })
  })
}
