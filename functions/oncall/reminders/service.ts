import { latestIdFirst, type PageQuery, toPage } from '#db/page.ts'
import { findActiveBranch } from '#db/rows/ai-session-queries.ts'
import type { PlatformDb, ReadDb, WriteDb } from '#db/scope.ts'
import * as schedules from '#functions/oncall/schedules/service.ts'
import type { JobContext } from '#http/job.ts'
import type { ReadContext } from '#http/operation.ts'
import type { AlertPeople } from '#rules/events/escalation-alert.ts'
import { isAtEscalation, listTargetIds } from '#rules/oncall/escalation-step.ts'
import { recordAttempt } from '#work/attempts.ts'
import type { Work } from '#work/define-work.ts'
import { enqueueEmitted, enqueueEvent } from '#work/events.ts'
import { enqueueReminder } from '#work/reminders.ts'
import * as queries from './queries.ts'

/** List the steps of escalation policies that were planned or taken for a session. */
export async function list({ db }: ReadContext, sessionId: string, page: PageQuery) {
  await findActiveBranch(db, sessionId)
  return toPage(await queries.selectReminders.all(db, sessionId, page), page, latestIdFirst)
}

/** How many names a reminder has of those who were told before. */
const maxToldNames = 10

export type ReminderContext = Pick<JobContext, 'platform' | 'openAccountScope'>

/**
 * Take a due step of an escalation policy. One transaction notifies people, completes the step and plans the
 * next one, so a crash leaves the step due and a duplicate message finds it completed.
 */
export const work: Work<ReminderContext> = {
  kind: 'reminder',
  parallel: 2,
  async attempt(ctx, id, attempt) {
    const claimed = await queries.attempts.claim.first(ctx.platform, id, attempt)
    if (!claimed) return
    await ctx.openAccountScope(claimed.account_id).transaction((db) => takeStep(db, claimed))
    recordAttempt('reminder', { ok: true }, null)
  },
  claimDue: ({ platform }, limit) => queries.attempts.claimDue.all(platform, limit),
  /** The steps that follow a failed one are planned. */
  async failAbandoned({ platform }) {
    for (const next of await queries.failAbandonedReminders.all(platform)) enqueueReminder(platform, next)
  },
}

async function takeStep(db: WriteDb, claimed: queries.ClaimedReminder): Promise<void> {
  const followUp = await queries.lockFollowUp.first(db, claimed.follow_up_id)
  if (!followUp) return void (await queries.stopReminder(db, claimed))
  if (!(await queries.completeReminder.first(db, claimed))) return
  const isReached = await notifyTargets(db, claimed, followUp)
  const isAtOnce = !isReached && (await recordUnreached(db, claimed, followUp))
  const next = await queries.planNextReminder.first(db, claimed, isAtOnce)
  if (next) enqueueReminder(db, next)
}

/**
 * Notify the targets of a step, except the engineer who escalated. Return false without emitting anything if
 * there is nobody to notify.
 */
async function notifyTargets(
  db: WriteDb,
  claimed: queries.ClaimedReminder,
  followUp: queries.FollowUp,
): Promise<boolean> {
  const targets = followUp.steps[claimed.step - 1]?.targets ?? []
  const onCall = await schedules.findOnCallUsers(db, listTargetIds(targets, 'schedule'))
  const candidates = [...new Set([...listTargetIds(targets, 'user'), ...onCall])].filter(
    (id) => id !== followUp.engineer_id,
  )
  const { user_ids, config_ids } = await queries.selectReachable.one(
    db,
    candidates,
    listTargetIds(targets, 'channel'),
  )
  if (user_ids.length === 0 && config_ids.length === 0) return false
  // A step without a delay does not tell twice whom the escalation itself has told in the same minute.
  const told = isAtEscalation(followUp.steps, claimed)
    ? await queries.selectToldAtEscalation.one(db, followUp)
    : { user_ids: [], config_ids: [] }
  const userIds = user_ids.filter((id) => !told.user_ids.includes(id))
  const configIds = config_ids.filter((id) => !told.config_ids.includes(id))
  if (userIds.length === 0 && configIds.length === 0) return true
  const before = await queries.selectTold.all(db, followUp)
  const event = {
    key: 'escalation.reminded',
    ...toEventFields(claimed, followUp),
    userIds,
    rounds: followUp.rounds,
    toldIds: before.map(({ id }) => id),
    toldNames: before.slice(0, maxToldNames).map(({ name }) => name),
    waitingSeconds: followUp.waiting_seconds,
    details: followUp.alert.details,
  } as const
  const { event_id, ...emitted } = await queries.emitReminder.one(db, event, configIds, followUp.engineer_id)
  await queries.storeEventId(db, claimed, event_id)
  enqueueEmitted(db, emitted)
  return true
}

/**
 * Record that a step reached nobody. Tell the admins once per step, and once if the whole policy reached
 * nobody. Return whether the next step follows at once: a round that reached nobody at all is not repeated
 * before its delay, in which somebody may come on call.
 */
async function recordUnreached(
  db: WriteDb,
  claimed: queries.ClaimedReminder,
  followUp: queries.FollowUp,
): Promise<boolean> {
  const { is_round_reached, is_reached } = await queries.markUnreached.one(db, claimed)
  const isEndOfRound = claimed.step >= followUp.steps.length
  const isWholePolicy =
    isEndOfRound && !is_reached && (await queries.markAdminsTold(db, claimed.follow_up_id))
  // The steps of later rounds have the same targets.
  if (isWholePolicy || claimed.round === 1)
    await enqueueEvent(db, {
      key: 'escalation.unreached',
      ...toEventFields(claimed, followUp),
      isWholePolicy,
    })
  return !isEndOfRound || is_round_reached
}

function toEventFields({ round, step }: queries.ClaimedReminder, followUp: queries.FollowUp) {
  const { alert, engineer_id, team_id, session_id, handoff_id } = followUp
  return {
    actorId: null,
    causedById: engineer_id,
    teamId: team_id,
    sessionId: session_id,
    handoffId: handoff_id,
    problemSummary: alert.problem,
    psaTicketId: alert.ticket_id,
    round,
    step,
  }
}

/** Return whom a session's escalation targets, who has taken it, and who is on call for it now. */
export async function findEscalationPeople(
  db: ReadDb | PlatformDb,
  sessionId: string,
): Promise<AlertPeople | undefined> {
  const found = await queries.selectEscalationPeople.first(db, sessionId)
  if (!found) return undefined
  const { steps, engineer_id: engineerId, ...people } = found
  const userIds = await schedules.findOnCallFor(db, sessionId, { steps, engineerId })
  const names = userIds.length === 0 ? [] : await queries.selectNames.all(db, userIds)
  return { ...people, on_call_names: names.map(({ name }) => name) }
}

/**
 * Acknowledge an escalation, which stops its policy, and notify the engineer who escalated. The transaction
 * of `db` must be in the scope of the account. `userId` is null for the link in a chat channel. Return false
 * for an escalation that was taken or has ended.
 */
export async function acknowledge(
  db: PlatformDb | WriteDb,
  followUpId: string,
  userId: string | null,
): Promise<boolean> {
  const followUp = await queries.acknowledgeFollowUp.first(db, followUpId, userId)
  if (!followUp) return false
  const colleague = userId === null ? undefined : await queries.selectNames.first(db, [userId])
  await enqueueEvent(db, {
    key: 'escalation.acknowledged',
    actorId: userId,
    causedById: followUp.engineer_id,
    teamId: followUp.team_id,
    sessionId: followUp.session_id,
    handoffId: followUp.handoff_id,
    problemSummary: followUp.alert.problem,
    engineerId: followUp.engineer_id,
    colleagueName: colleague?.name ?? null,
  })
  return true
}

/** Acknowledge the escalation of a handoff as a user. Return false also for one that no policy follows. */
export async function acknowledgeHandoff(
  db: WriteDb,
  handoff: { sessionId: string; handoffId: string },
  userId: string,
): Promise<boolean> {
  const followUp = await queries.selectFollowUpId(db, handoff)
  return followUp !== undefined && acknowledge(db, followUp.id, userId)
}
