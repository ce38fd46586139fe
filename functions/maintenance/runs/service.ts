import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { inTransaction, type WriteDb } from '../../../lib/db/scope.ts'
import { emit, publishDeliveries } from '../../../lib/events/outbox.ts'
import { asProblem } from '../../../lib/http/app.ts'
import type { JobContext } from '../../../lib/http/job.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { type Invalid, Problem } from '../../../lib/problem.ts'
import { waitingOf } from '../../../lib/schedules/due.ts'
import * as batches from '../../sessions/batches/service.ts'
import * as schedules from '../schedules/service.ts'
import * as queries from './queries.ts'
import type { Run } from './schemas.ts'

export type Ticker = Pick<JobContext, 'platform' | 'account' | 'queue'>

export async function list({ db }: Reader, scheduleId: string, page: PageQuery) {
  await schedules.find(db, scheduleId)
  return toPage((await queries.selectRuns(db, scheduleId, page)).map(shown), page.limit)
}

/** A run that somebody asks for: the sessions are the caller's, and what is due stays due. */
export async function runNow(ctx: Writer, scheduleId: string) {
  const { id, name, team_id, tree_id, target_list_id, created_by } = await schedules.findOwn(ctx.db, scheduleId)
  const { deliveries, ...answer } = await inTransaction(ctx.db, async (db) => {
    const targets = await queries.selectTargets(db, target_list_id)
    if (!targets) throw new Problem('bad_request', 'You do not see the target list of this schedule', { code: 'no_target_list' })
    const made = await makeBatches(db, tree_id, targets).catch(explainTargets)
    const run_id = await queries.insertRun(db, id, 'manual', { ...made, due_at: null })
    const about = { scheduleId: id, scheduleName: name, sessionCount: made.session_count, ownerId: created_by }
    const deliveries = await emit(db, { key: 'maintenance.batch_created', actorId: ctx.caller.userId, teamId: team_id, ...about })
    return { run_id, batch_ids: made.batch_ids, session_count: made.session_count, deliveries }
  })
  ctx.after(() => publishDeliveries(ctx.queue, deliveries))
  return answer
}

const sliceSize = 50
// Below the six connections that a request may hold.
const atOnce = 4

/**
 * Does what is due, whoever reminds of it and however often: a schedule's due time is claimed, and recorded with its sessions, in one
 * transaction. One that fails for a reason of ours stays due, is thrown at the end, and keeps none of the others waiting.
 */
export async function runDueSchedules(ctx: Ticker): Promise<void> {
  const failures: unknown[] = []
  for (let last: queries.Due | undefined; ; ) {
    const due = await queries.selectDue(ctx.platform, last, sliceSize)
    for (let n = 0; n < due.length; n += atOnce)
      await Promise.all(due.slice(n, n + atOnce).map((one) => settle(ctx, one).catch((error: unknown) => failures.push(error))))
    last = due.at(-1)
    if (due.length < sliceSize) break
  }
  if (failures.length > 0) throw failures[0]
}

async function settle(ctx: Ticker, { id, account_id, created_by }: queries.Due): Promise<void> {
  const scope = ctx.account(account_id, created_by)
  const told = await scope
    .within((db) => perform(db, id, null))
    .catch((error: unknown) => {
      const problem = asProblem(error)
      // A flow that is being saved, or a database that is away, are other in a minute.
      if (problem.status === 409 || problem.status >= 500) throw error
      // What was begun is undone with the transaction; the failure is recorded in one of its own.
      return scope.within((db) => perform(db, id, reasonOf(problem)))
    })
  // What the queue does not take now, the sweep finds.
  await publishDeliveries(ctx.queue, told).catch(() => {})
}

/** Makes up the latest of the due times, or records why not, and the older ones as missed; answers the deliveries to publish. */
async function perform(db: WriteDb, id: string, failure: string | null): Promise<string[]> {
  const schedule = await queries.claim(db, id)
  if (!schedule) return []
  const now = Date.parse(schedule.now)
  const { due, next } = waitingOf(schedule, now)
  // When even the next one has passed there are more than fit in one go: the latest comes with the next runDueSchedules.
  const latest = next > now ? due.pop() : undefined
  const missed = due.map(iso)
  const made = latest === undefined ? null : { due_at: iso(latest), ...(await outcomeOf(db, schedule, failure)) }
  await queries.recordRuns(db, id, { made, missed, reason: 'Nothing ran at this time; the latest run was made up', next: iso(next) })
  return tell(db, schedule, made, missed.length)
}

type Made = Omit<queries.Outcome, 'due_at'>

async function outcomeOf(db: WriteDb, schedule: queries.Claimed, failure: string | null): Promise<Made> {
  if (failure !== null) return { status: 'failed', error: failure, batch_ids: [], session_count: 0 }
  const hindrance = hindranceOf(schedule)
  if (hindrance) throw new Problem('bad_request', hindrance)
  return makeBatches(db, schedule.tree_id, schedule.targets)
}

/** Why a schedule may not run; whoever owns it must still be able to do by hand what it does. */
function hindranceOf(schedule: queries.Claimed): string | null {
  const { owner_role, owner_team_id, team_id } = schedule
  if (!schedule.feature_on) return 'Maintenance schedules are switched off for the account'
  if (schedule.lapsed) return 'The subscription of the account has lapsed'
  if (!schedule.owner_active) return 'The owner of the schedule is deactivated'
  if (owner_role === 'viewer') return 'The owner of the schedule is a viewer and may not run flows'
  if (owner_team_id !== team_id) return 'The owner of the schedule is not in its team any more'
  return schedule.owner_sees_flow ? null : 'The owner of the schedule does not see the flow any more'
}

async function makeBatches(db: WriteDb, tree_id: string, targets: queries.Claimed['targets']): Promise<Made> {
  const made = await batches.createMany({ db }, { tree_id, targets })
  return { status: 'created', error: null, batch_ids: made.map(({ batch_id }) => batch_id), session_count: targets.length }
}

/** Tells of what came of it; of the same failure again and again only once. */
async function tell(
  db: WriteDb,
  { id, name, team_id, created_by, last_error }: queries.Claimed,
  made: queries.Outcome | null,
  missed: number,
): Promise<string[]> {
  const about = { actorId: null, teamId: team_id, scheduleId: id, scheduleName: name, ownerId: created_by }
  const reasons = [
    ...(missed > 0 ? [`${missed} due ${missed === 1 ? 'run was' : 'runs were'} missed.`] : []),
    ...(made?.error && (made.error !== last_error || missed > 0) ? [made.error] : []),
  ]
  const failed = reasons.length > 0 ? await emit(db, { key: 'maintenance.run_failed', reason: reasons.join(' '), ...about }) : []
  if (made?.status !== 'created') return failed
  return [...failed, ...(await emit(db, { key: 'maintenance.batch_created', sessionCount: made.session_count, ...about }))]
}

/** The list's targets are no part of this request: what is wrong with them is said as one. */
function explainTargets(error: unknown): never {
  throw error instanceof Problem && error.kind === 'invalid'
    ? new Problem('bad_request', reasonOf(error), { code: 'targets_unfit' })
    : error
}

/** A problem in a sentence: the first of its errors, and how many more there are. */
function reasonOf({ body, message }: Problem): string {
  const [first, ...more] = (body.errors ?? []) as Invalid[]
  if (!first) return message
  return `${first.msg.slice(0, 1000)}${more.length > 0 ? ` (and ${more.length} more)` : ''}`
}

function iso(instant: number): string {
  return new Date(instant).toISOString()
}

function shown({ counts, ...run }: queries.RunRow): Run {
  const { by_state, by_outcome } = batches.tally(counts)
  return { ...run, by_state, by_outcome }
}
