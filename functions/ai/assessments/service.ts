import { AiFailure } from '../../../lib/ai/ai.ts'
import { ask } from '../../../lib/ai/ask.ts'
import { caseFacts } from '../../../lib/ai/facts.ts'
import { escalationAssessment } from '../../../lib/ai/prompts/writing.ts'
import { selectAiSession } from '../../../lib/db/rows/ai-session-queries.ts'
import { emit, publishDeliveries } from '../../../lib/events/outbox.ts'
import type { JobContext } from '../../../lib/http/job.ts'
import { republish } from '../../../lib/queue/attempts.ts'
import { publishLive, queueLive, sweepLive } from '../../../lib/realtime/outbox.ts'
import * as queries from './queries.ts'

export type Assessor = Pick<JobContext, 'platform' | 'account' | 'queue' | 'ai' | 'config' | 'realtime'>

export const assessPath = '/jobs/ai/assess'

export function assessMessage(id: string, attempt: number) {
  return { path: assessPath, body: { handoff_id: id, attempt }, deduplicationId: `${id}-${attempt}` } as const
}

/** One attempt at a second opinion. A copy of the message finds the attempt taken and does nothing. */
export async function attempt(ctx: Assessor, handoffId: string, number: number): Promise<void> {
  const claimed = await queries.claimAssessment(ctx.platform, handoffId, number)
  if (claimed) await finish(ctx, claimed, await assess(ctx, claimed))
}

const sweepSize = 100
// Each may take a quarter of a minute where the queue is away too.
const sweepHere = 4

/** Every minute: what was lost, what no worker reported of twice, and what the open streams are still to be told. */
export async function sweep(ctx: Assessor): Promise<void> {
  const lost = await queries.selectLost(ctx.platform, sweepSize)
  const over = lost.filter(({ attempts }) => attempts >= queries.maxAttempts)
  for (const one of over) await finish(ctx, one, { status: 'failed', text: null })
  const due = lost.filter(({ attempts }) => attempts < queries.maxAttempts)
  let here = 0
  await republish(ctx.queue, due, assessMessage, async (id, number) => {
    if (here++ < sweepHere) await attempt(ctx, id, number)
  })
  await sweepLive(ctx)
}

/** What the model makes of the case; whatever goes wrong with it is an outcome too. */
async function assess(ctx: Assessor, { id, account_id, user_id, session_id }: queries.Claimed): Promise<queries.Assessed> {
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
  const facts = { ...caseFacts(session, null), handoff: { reason, summary, what_was_tried, next_steps, urgency } }
  try {
    const { text } = await ask({ db, ai: ctx.ai, config: ctx.config }, escalationAssessment, { facts })
    // The database takes neither NUL characters nor halves of pairs.
    return { status: 'ready', text: text.replaceAll('\0', '').toWellFormed() }
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    return { status: cause instanceof AiFailure && cause.kind === 'timeout' ? 'timed_out' : 'failed', text: null }
  }
}

/** Stores an outcome with all that is told of it, and then tells it. */
async function finish(ctx: Assessor, claimed: queries.Claimed, assessed: queries.Assessed): Promise<void> {
  const scope = ctx.account(claimed.account_id)
  const told = await scope.within(async (db) => {
    const stored = await queries.storeAssessment(db, claimed, assessed)
    if (!stored) return undefined
    const data = { handoff_id: claimed.id, session_id: claimed.session_id, assessment_status: assessed.status }
    const live = await queueLive(db, 'handoff_assessment_ready', data)
    const about = { sessionId: claimed.session_id, sessionTitle: stored.title, claimantId: stored.claimed_by }
    const event = { key: 'handoff.assessment_ready', actorId: null, teamId: stored.team_id, ...about } as const
    return { live, deliveries: assessed.status === 'ready' ? await emit(db, event) : [] }
  })
  if (!told) return
  // The rows are there: what is not told now, the sweep finds.
  await publishLive({ db: ctx.platform, realtime: ctx.realtime }, claimed.account_id, [told.live]).catch(() => {})
  await publishDeliveries(ctx.queue, told.deliveries).catch(() => {})
}
