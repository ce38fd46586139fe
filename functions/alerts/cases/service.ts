import { findOwnerObstacle } from '#db/rows/case-owners.ts'
import type { WriteDb } from '#db/scope.ts'
import { uuidv7 } from '#db/uuid.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import * as schedules from '#functions/oncall/schedules/service.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import { toProblem } from '#http/app.ts'
import type { JobContext } from '#http/job.ts'
import { cut } from '#rules/text/clip.ts'
import type { SendResult } from '#vendors/net/send-result.ts'
import { recordAttempt, recordFailedAttempt } from '#work/attempts.ts'
import { defineWork } from '#work/define-work.ts'
import { enqueueEvent } from '#work/events.ts'
import * as queries from './queries.ts'

/** The parts of a job's context that opening a case needs. */
export type CaseContext = Pick<JobContext, 'platform' | 'openAccountScope' | 'vault'>

export const work = defineWork({
  kind: 'alert',
  statements: queries.attempts,
  async attempt(ctx: CaseContext, claimed) {
    const { db } = ctx.openAccountScope(claimed.account_id)
    const source = await queries.selectSource(db, claimed.source_id)
    if (!source) return
    const user_id = (await findOnCallOwner(ctx, claimed, source)) ?? source.user_id
    await ctx
      .openAccountScope(claimed.account_id, user_id)
      .transaction((tx) => decide(tx, ctx, { ...source, user_id }, claimed))
      .catch((error: unknown) => recordProblem(ctx, claimed, error))
  },
  fail: recordFailure,
})

/** Return whoever is on call by the schedule of the source and may own its cases, or undefined. */
async function findOnCallOwner(
  ctx: CaseContext,
  { account_id }: queries.ClaimedAlert,
  { schedule_id, tree_id }: queries.SourceSettings,
): Promise<string | undefined> {
  if (schedule_id === null) return undefined
  const [user_id] = await schedules.findOnCallUsers(ctx.openAccountScope(account_id).db, [schedule_id])
  if (user_id === undefined) return undefined
  const obstacle = await ctx
    .openAccountScope(account_id, user_id)
    .transaction((tx) => findOwnerObstacle(tx, { user_id, tree_id }, 'source'))
  return obstacle === null ? user_id : undefined
}

type Failure = Extract<SendResult, { ok: false }>

/** Decide what becomes of an alert, and open its case, in one transaction. */
async function decide(
  db: WriteDb,
  { vault }: CaseContext,
  source: queries.SourceSettings,
  claimed: queries.ClaimedAlert,
): Promise<void> {
  await queries.lockCases.run(db)
  await queries.lockSource(db, source.id)
  const alert = await queries.lockAlert.first(db, claimed.id)
  if (!alert) return
  const obstacle = await findObstacle(db, source, alert)
  if (!(await complete(db, claimed, obstacle ?? { verdict: 'opened', reason: null }))) return
  if (obstacle?.verdict === 'limited') return tellAdmins(db, source, obstacle.reason)
  if (obstacle) return
  const opened = await openCase(db, vault, source, alert)
  await queries.setCase(db, claimed.id, opened)
  const { team_id } = await queries.selectTeam.one(db)
  await enqueueEvent(db, {
    key: 'alert.opened',
    actorId: null,
    causedById: source.user_id,
    teamId: team_id,
    alertId: claimed.id,
    title: alert.title,
    text: alert.body,
    clientName: alert.client_name,
    machine: alert.asset_name,
    urgency: source.urgency,
    sourceName: source.name,
    aiSessionId: opened.ai_session_id,
    sessionId: opened.session_id,
    ownerId: source.user_id,
  })
}

/** Open the case of an alert. Return its id. */
async function openCase(
  db: WriteDb,
  vault: CaseContext['vault'],
  source: queries.SourceSettings,
  alert: queries.LockedAlert,
): Promise<queries.CaseIds> {
  const details = { client_name: alert.client_name ?? undefined }
  if (source.tree_id === null) {
    const id = uuidv7()
    await aiSessions.openForAlert(db, {
      id,
      problem: `${alert.title}\n\n${writeText(source, alert)}`,
      client_name: alert.client_name,
      asset_name: alert.asset_name,
    })
    return { ai_session_id: id, session_id: null }
  }
  const { id } = await sessions.prepare(
    { db, vault },
    { tree_id: source.tree_id, ...details, target_label: alert.asset_name ?? undefined },
  )
  await queries.insertAlertText(db, id, alert.title, writeText(source, alert))
  return { ai_session_id: null, session_id: id }
}

/** Tell the admins that alerts of a source open no more cases, once per hour. */
async function tellAdmins(db: WriteDb, source: queries.SourceSettings, reason: string): Promise<void> {
  if (!(await queries.markLimitTold.first(db, source.id))) return
  await enqueueEvent(db, {
    key: 'alert.limited',
    actorId: null,
    causedById: source.user_id,
    teamId: null,
    sourceId: source.id,
    sourceName: source.name,
    reason,
  })
}

type Obstacle = queries.Outcome & { reason: string }

/** How many cases alerts may open per hour in an account. */
const maxCasesPerHour = 60

/** Return why an alert opens no case, or null. */
async function findObstacle(
  db: WriteDb,
  source: queries.SourceSettings,
  { is_firing }: queries.LockedAlert,
): Promise<Obstacle | null> {
  if (!is_firing) return { verdict: 'ignored', reason: 'It was over before its case was opened' }
  const obstacle = await findOwnerObstacle(db, source, 'source')
  if (obstacle) return { verdict: 'refused', reason: obstacle }
  const { of_source, of_account } = await queries.countCases.one(db, source.id)
  if (of_source >= source.max_cases_per_hour)
    return { verdict: 'limited', reason: `The source has opened ${of_source} cases within an hour` }
  if (of_account >= maxCasesPerHour)
    return { verdict: 'limited', reason: `Alerts have opened ${of_account} cases within an hour` }
  return null
}

function writeText({ name }: queries.SourceSettings, { body, severity }: queries.LockedAlert): string {
  return [
    ...(body ? [body] : []),
    ...(severity ? [`Severity: ${severity}`] : []),
    `Reported by the monitoring: ${name}`,
  ].join('\n\n')
}

const success = { ok: true, status: null } as const

/** Record an outcome. Return false when a later attempt was made. */
async function complete(
  db: WriteDb,
  claimed: queries.ClaimedAlert,
  outcome: queries.Outcome,
): Promise<boolean> {
  recordAttempt('alert', success, null)
  return (await queries.completeAttempt.first(db, claimed, success, outcome, null)) !== undefined
}

/** Record why a case was not opened. Conflicts and outages may pass; everything else is final. */
async function recordProblem(ctx: CaseContext, claimed: queries.ClaimedAlert, error: unknown): Promise<void> {
  const problem = toProblem(error)
  const reason = cut(problem.message, 1000)
  if (problem.status !== 409 && problem.status < 500) {
    const { db } = ctx.openAccountScope(claimed.account_id)
    await complete(db, claimed, { verdict: 'refused', reason })
    return
  }
  await recordFailure(ctx, claimed, { ok: false, status: null, error: reason, gone: false })
  // A fault of the service belongs into its log.
  if (problem.status >= 500) throw error
}

function recordFailure(ctx: CaseContext, claimed: queries.ClaimedAlert, result: Failure): Promise<void> {
  return recordFailedAttempt(ctx, 'alert', claimed, result, (db, delaySeconds) =>
    queries.completeAttempt.first(db, claimed, result, null, delaySeconds),
  )
}
