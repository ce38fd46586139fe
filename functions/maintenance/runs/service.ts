import { limitConcurrency } from '#async/limit-concurrency.ts'
import { settleAll } from '#async/settle-all.ts'
import { type PageQuery, toPage } from '#db/page.ts'
import { inTransaction, type WriteDb } from '#db/scope.ts'
import * as schedules from '#functions/maintenance/schedules/service.ts'
import * as batches from '#functions/sessions/batches/service.ts'
import { toProblem } from '#http/app.ts'
import type { JobContext } from '#http/job.ts'
import { Existing, type ReadContext, type WriteContext } from '#http/operation.ts'
import { type FieldError, Problem } from '#problem.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { getPendingDueTimes } from '#rules/schedules/due-times.ts'
import { cut } from '#rules/text/clip.ts'
import { enqueueEvent } from '#work/events.ts'
import { enqueueWebhookEvent } from '#work/webhooks.ts'
import * as queries from './queries.ts'
import type { ManualRun, Run } from './schemas.ts'

export type MaintenanceContext = Pick<JobContext, 'platform' | 'openAccountScope'>

export async function list({ db }: ReadContext, scheduleId: string, page: PageQuery) {
  await schedules.find(db, scheduleId)
  return toPage((await queries.selectRuns(db, scheduleId, page)).map(toRun), page, queries.runOrder)
}

/**
 * Run a schedule for the caller, who owns the sessions. The due times of the schedule do not change. Return
 * the existing run if the caller started one a few seconds ago, and throw 409 if another user did.
 */
export async function runNow(
  ctx: WriteContext,
  scheduleId: string,
): Promise<ManualRun | Existing<ManualRun>> {
  const schedule = await schedules.requireEditable(ctx.db, scheduleId)
  return inTransaction(ctx.db, async (db) => {
    await queries.lockManualRuns.run(db, scheduleId)
    const recent = await queries.selectRecentManualRun(db, scheduleId)
    return recent ? requireOwnRun(recent) : startManualRun(ctx, db, schedule)
  })
}

function requireOwnRun({ is_own, ...run }: queries.RecentManualRun): Existing<ManualRun> {
  if (is_own) return new Existing(run)
  throw new Problem('already_started', undefined, { facts: { run_id: run.run_id } })
}

async function startManualRun(
  ctx: WriteContext,
  db: WriteDb,
  {
    id,
    name,
    team_id,
    tree_id,
    target_list_id,
    created_by,
  }: Awaited<ReturnType<typeof schedules.requireEditable>>,
): Promise<ManualRun> {
  const targets = (await queries.selectTargets(db, target_list_id))?.targets
  if (!targets) throw new Problem('no_target_list')
  const result = await createBatches(db, tree_id, targets).catch(throwInvalidTargets)
  const { id: run_id } = await insertRun(db, { id, name, team_id }, 'manual', { ...result, due_at: null })
  await enqueueEvent(db, {
    key: 'maintenance.batch_created',
    actorId: ctx.caller.userId,
    teamId: team_id,
    scheduleId: id,
    scheduleName: name,
    sessionCount: result.session_count,
    ownerId: created_by,
  })
  return { run_id, batch_ids: result.batch_ids, session_count: result.session_count }
}

const schedulesAtOnce = 10_000
// Less than the six connections that one request may open.
const maxConcurrent = 4

/**
 * Run the due schedules, in turn by account. Repeated and simultaneous calls are safe: one transaction claims a schedule and
 * records its run and sessions. A schedule that fails with a 409 or 5xx stays due and does not stop the
 * others. Throw the first such error at the end.
 */
export async function runDueSchedules(ctx: MaintenanceContext): Promise<void> {
  const limit = limitConcurrency({ running: maxConcurrent })
  const due = await queries.selectDueSchedules.all(ctx.platform, schedulesAtOnce)
  await settleAll(due.map((schedule) => limit(() => runDueSchedule(ctx, schedule))))
}

async function runDueSchedule(
  ctx: MaintenanceContext,
  { id, account_id, created_by }: queries.DueSchedule,
): Promise<void> {
  const scope = ctx.openAccountScope(account_id, created_by)
  await scope
    .transaction((db) => recordDueRuns(db, id, null))
    .catch((error: unknown) => {
      const problem = toProblem(error)
      // Temporary: another request saves the flow, or the database is unavailable. The schedule stays due.
      if (problem.status === 409 || problem.status >= 500) throw error
      // The first transaction was rolled back, so a second one records the failure.
      return scope.transaction((db) => recordDueRuns(db, id, describeProblem(problem)))
    })
}

/** Run the latest due time, or record `failure` for it, and record older ones as missed. */
async function recordDueRuns(db: WriteDb, id: string, failure: string | null): Promise<void> {
  const schedule = await queries.claimSchedule.first(db, id)
  if (!schedule) return
  const now = Date.parse(schedule.now)
  const { due, next } = getPendingDueTimes(schedule, now)
  // If `next` has passed too, there are more due times than one call reads. A later call then runs the latest
  // one.
  const latest = next > now ? due.pop() : undefined
  const missed = due.map(iso)
  const outcome =
    latest === undefined ? null : { due_at: iso(latest), ...(await attemptRun(db, schedule, failure)) }
  const reason = 'Missed; only the latest due run was started'
  await queries.recordMissedRuns.run(db, id, { missed, reason, nextRunAt: iso(next) })
  if (outcome) await insertRun(db, schedule, 'scheduled', outcome)
  await enqueueRunEvents(db, schedule, outcome, missed.length)
}

type RunResult = Omit<queries.RunOutcome, 'due_at'>
type RunSchedule = Pick<queries.ClaimedSchedule, 'id' | 'name' | 'team_id'>

/** Insert a run, and its messages for webhooks. */
async function insertRun(
  db: WriteDb,
  { id, name, team_id }: RunSchedule,
  trigger: 'scheduled' | 'manual',
  outcome: RunResult & { due_at: string | null },
): Promise<{ id: string }> {
  const run = await queries.insertRun(db, id, trigger, outcome)
  const { status, error, batch_ids, session_count } = outcome
  const data = {
    schedule_id: id,
    schedule_name: name,
    run_id: run.id,
    trigger,
    status,
    error,
    batch_ids,
    session_count,
    team_id,
  }
  await enqueueWebhookEvent(db, { type: 'schedule.run', subject: id, data })
  return run
}

async function attemptRun(
  db: WriteDb,
  schedule: queries.ClaimedSchedule,
  failure: string | null,
): Promise<RunResult> {
  if (failure !== null) return { status: 'failed', error: failure, batch_ids: [], session_count: 0 }
  const obstacle = findObstacle(schedule)
  if (obstacle) throw new Problem('bad_request', obstacle)
  return createBatches(db, schedule.tree_id, schedule.targets)
}

/**
 * Return why a schedule may not run, or null. Its owner must still be allowed to start the sessions manually.
 */
function findObstacle(schedule: queries.ClaimedSchedule): string | null {
  const { owner_role, owner_team_id, team_id } = schedule
  if (!schedule.is_feature_on) return 'Maintenance schedules are switched off for the account'
  if (schedule.is_lapsed) return 'The subscription of the account has lapsed'
  if (!schedule.is_owner_active) return 'The owner of the schedule is deactivated'
  if (owner_role === 'viewer') return 'The owner of the schedule is a viewer and may not run flows'
  if (owner_role !== 'admin' && owner_team_id !== team_id)
    return 'The owner of the schedule is no longer in its team'
  return schedule.can_owner_see_flow ? null : 'The owner of the schedule can no longer see the flow'
}

async function createBatches(
  db: WriteDb,
  tree_id: string,
  targets: queries.ClaimedSchedule['targets'],
): Promise<RunResult> {
  const createdBatches = await runWithin(createBudget({ steps: jobSteps }), () =>
    batches.createMany({ db, vault: null }, { tree_id, targets }),
  )
  return {
    status: 'created',
    error: null,
    batch_ids: createdBatches.map(({ batch_id }) => batch_id),
    session_count: targets.length,
  }
}

/** Enqueue the events of a run. Report consecutive failures with the same reason once a day. */
async function enqueueRunEvents(
  db: WriteDb,
  { id, name, team_id, created_by, last_error, last_due_at, failing_since }: queries.ClaimedSchedule,
  outcome: queries.RunOutcome | null,
  missedCount: number,
): Promise<void> {
  const eventFields = {
    actorId: null,
    causedById: created_by,
    teamId: team_id,
    scheduleId: id,
    scheduleName: name,
    ownerId: created_by,
  }
  const countDays = (until: string | null | undefined) =>
    Math.floor((Date.parse(until ?? '') - Date.parse(failing_since ?? '')) / 86_400_000)
  const isTold = outcome?.error === last_error && countDays(outcome?.due_at) === countDays(last_due_at)
  const reasons = [
    ...(missedCount > 0 ? [`${missedCount} due ${missedCount === 1 ? 'run was' : 'runs were'} missed.`] : []),
    ...(outcome?.error && (!isTold || missedCount > 0) ? [outcome.error] : []),
  ]
  if (reasons.length > 0)
    await enqueueEvent(db, { key: 'maintenance.run_failed', reason: reasons.join(' '), ...eventFields })
  if (outcome?.status === 'created')
    await enqueueEvent(db, {
      key: 'maintenance.batch_created',
      sessionCount: outcome.session_count,
      ...eventFields,
    })
}

/** Turn field errors of the targets into one message, because the targets are not in the request. */
function throwInvalidTargets(error: unknown): never {
  throw error instanceof Problem && error.kind === 'invalid'
    ? new Problem('invalid_targets', describeProblem(error))
    : error
}

/** Return a problem as one sentence: its first field error and the number of further ones. */
function describeProblem({ body, message }: Problem): string {
  const [first, ...more] = (body.errors ?? []) as FieldError[]
  if (!first) return message
  return `${cut(first.msg, 1000)}${more.length > 0 ? ` (and ${more.length} more)` : ''}`
}

function iso(instant: number): string {
  return new Date(instant).toISOString()
}

function toRun({ counts, ...run }: queries.RunRow): Run {
  const { by_state, by_outcome } = batches.summariseCounts(counts)
  return { ...run, by_state, by_outcome }
}
