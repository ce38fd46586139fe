import { AiFailure } from '../../../lib/ai/ai.ts'
import { ask } from '../../../lib/ai/ask.ts'
import { toCaseFacts } from '../../../lib/ai/facts.ts'
import { escalationAssessment } from '../../../lib/ai/prompts/writing.ts'
import { selectAiSession } from '../../../lib/db/rows/ai-session-queries.ts'
import { insertEvent, publishDeliveries } from '../../../lib/events/outbox.ts'
import type { JobContext } from '../../../lib/http/job.ts'
import { republishDue } from '../../../lib/queue/attempts.ts'
import { insertLiveEvent, publishLiveEvents, sweepLiveEvents } from '../../../lib/realtime/outbox.ts'
import * as queries from './queries.ts'

export type AssessmentContext = Pick<JobContext, 'platform' | 'account' | 'queue' | 'ai' | 'config' | 'realtime'>

export const assessPath = '/jobs/ai/assess'

export function assessMessage(id: string, attempt: number) {
  return { path: assessPath, body: { handoff_id: id, attempt }, deduplicationId: `${id}-${attempt}` } as const
}

/** Make one attempt at the assessment of a handoff. A duplicate message finds the attempt already claimed and does nothing. */
export async function attempt(ctx: AssessmentContext, handoffId: string, attemptNumber: number): Promise<void> {
  const assessment = await queries.claimAssessment(ctx.platform, handoffId, attemptNumber)
  if (assessment) await storeResult(ctx, assessment, await assessHandoff(ctx, assessment))
}

const maxSwept = 100
// An attempt can take 15 seconds, so a sweep makes few itself while the queue is unreachable.
const maxLocalAttempts = 4

/** Republish due assessments, fail those without attempts left, and publish due live events. The cron trigger calls this each minute. */
export async function sweep(ctx: AssessmentContext): Promise<void> {
  const assessments = await queries.selectDueAssessments(ctx.platform, maxSwept)
  const exhausted = assessments.filter(({ attempts }) => attempts >= queries.maxAttempts)
  for (const assessment of exhausted) await storeResult(ctx, assessment, { status: 'failed', text: null })
  const due = assessments.filter(({ attempts }) => attempts < queries.maxAttempts)
  let localAttempts = 0
  await republishDue(ctx.queue, due, assessMessage, async (id, attemptNumber) => {
    if (localAttempts++ < maxLocalAttempts) await attempt(ctx, id, attemptNumber)
  })
  await sweepLiveEvents(ctx)
}

/** Ask the model for an assessment of the case. Return a failed result instead of throwing when the model fails. */
async function assessHandoff(
  ctx: AssessmentContext,
  { id, account_id, user_id, session_id }: queries.ClaimedAssessment,
): Promise<queries.AssessmentResult> {
  const { db } = ctx.account(account_id, user_id)
  const session = await selectAiSession(db, session_id)
  if (!session) return { status: 'failed', text: null }
  const {
    reason = '',
    summary = '',
    what_was_tried = '',
    next_steps = '',
    urgency,
  } = session.handoffs.find((handoff) => handoff.id === id) ?? {}
  const facts = { ...toCaseFacts(session, null), handoff: { reason, summary, what_was_tried, next_steps, urgency } }
  try {
    const { text } = await ask({ db, ai: ctx.ai, config: ctx.config }, escalationAssessment, { facts })
    // PostgreSQL accepts neither NUL characters nor lone surrogates.
    return { status: 'ready', text: text.replaceAll('\0', '').toWellFormed() }
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    return { status: cause instanceof AiFailure && cause.kind === 'timeout' ? 'timed_out' : 'failed', text: null }
  }
}

/** Store a result with its events in one transaction, then publish the events. */
async function storeResult(ctx: AssessmentContext, claimed: queries.ClaimedAssessment, result: queries.AssessmentResult): Promise<void> {
  const scope = ctx.account(claimed.account_id)
  const events = await scope.transaction(async (db) => {
    const session = await queries.storeAssessment(db, claimed, result)
    if (!session) return undefined
    const data = { handoff_id: claimed.id, session_id: claimed.session_id, assessment_status: result.status }
    const live = await insertLiveEvent(db, 'handoff_assessment_ready', data)
    if (result.status !== 'ready') return { live, deliveries: [] }
    const deliveries = await insertEvent(db, {
      key: 'handoff.assessment_ready',
      actorId: null,
      teamId: session.team_id,
      sessionId: claimed.session_id,
      sessionTitle: session.title,
      claimantId: session.claimed_by,
    })
    return { live, deliveries }
  })
  if (!events) return
  // The rows are committed: the sweep publishes what fails here.
  await publishLiveEvents({ db: ctx.platform, realtime: ctx.realtime }, claimed.account_id, [events.live]).catch(() => {})
  await publishDeliveries(ctx.queue, events.deliveries).catch(() => {})
}
