import { nameOrder, type PageQuery, toPage } from '#db/page.ts'
import { retryOnConflict } from '#db/retry.ts'
import { throwUnknownId } from '#db/sqlstate.ts'
import { uuidv7 } from '#db/uuid.ts'
import * as batches from '#functions/sessions/batches/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { Problem, throwNotFound, unknownId } from '#problem.ts'
import { listCronWarnings } from '#rules/schedules/cron.ts'
import {
  getNextDueTime,
  getPendingDueTimes,
  iterateDueTimes,
  maxPendingDueTimes,
  type Timing,
} from '#rules/schedules/due-times.ts'
import * as queries from './queries.ts'
import type { Schedule, ScheduleCreate, ScheduleUpdate } from './schemas.ts'

const nextRunCount = 5

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage((await queries.selectSchedules(db, page)).map(addWarnings), page, nameOrder())
}

export async function get({ db }: ReadContext, id: string) {
  const row = await find(db, id)
  return { ...toSchedule(row), next_runs: row.is_active ? listNextRuns(row) : [] }
}

export async function create({ db }: WriteContext, input: ScheduleCreate): Promise<Schedule> {
  await batches.requireOwnMaintenanceFlow(db, input.tree_id)
  const now = await requireVisibleList(db, input.target_list_id)
  const nextRunAt = input.is_active ? iso(getNextDueTime(input, Date.parse(now))) : null
  return toSchedule(
    await queries.insertSchedule(db, { id: uuidv7(), ...input }, nextRunAt).catch(throwUnknownList),
  )
}

/**
 * Update the changed fields. Keep a run that is already due, or record it as missed if the change pauses the
 * schedule.
 */
export async function update({ db }: WriteContext, id: string, changes: ScheduleUpdate): Promise<Schedule> {
  return retryOnConflict('schedule', async () => {
    const row = await requireEditable(db, id)
    if (Object.keys(changes).length === 0) return toSchedule(row)
    if (changes.target_list_id) await requireVisibleList(db, changes.target_list_id)
    const updated = await queries
      .updateSchedule(db, row, changes, computeRetiming(row, changes))
      .catch(throwUnknownList)
    return updated.isUpdated && updated.row ? toSchedule(updated.row) : undefined
  })
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteSchedule(db, id))) await requireEditable(db, id)
}

export async function find(db: ReadContext['db'], id: string): Promise<queries.ScheduleRow> {
  return (await queries.selectSchedule(db, id)) ?? throwNotFound('Maintenance schedule')
}

/**
 * Return a schedule that the caller may change. Throw 404 when they cannot see it, and 403 when they may not
 * change it.
 */
export async function requireEditable(db: ReadContext['db'], id: string): Promise<queries.ScheduleRow> {
  const schedule = await find(db, id)
  if (!schedule.may_change)
    throw new Problem(
      'forbidden',
      'Only its owner, an admin of its team or an account admin may change or run this schedule',
    )
  return schedule
}

/** Return the new due times after a change; null when the change does not affect them. */
function computeRetiming(row: queries.ScheduleRow, changes: ScheduleUpdate): queries.Retiming | null {
  const { cron = row.cron, timezone = row.timezone, is_active = row.is_active } = changes
  if (cron === row.cron && timezone === row.timezone && is_active === row.is_active) return null
  const now = Date.parse(row.now)
  const dueTimes = getPendingDueTimes(row, now).due
  if (dueTimes.length === maxPendingDueTimes) throw new Problem('schedule_busy')
  if (!is_active)
    return { next_run_at: null, missed: dueTimes.map(iso), reason: 'The schedule was paused before it ran' }
  const latest = dueTimes.at(-1) ?? getNextDueTime({ cron, timezone }, now)
  return {
    next_run_at: iso(latest),
    missed: dueTimes.slice(0, -1).map(iso),
    reason: 'Missed; only the latest due run was started',
  }
}

/** Throw 422 unless the caller can see the target list. Return the database's time. */
async function requireVisibleList(db: ReadContext['db'], listId: string): Promise<string> {
  const { now, has_list } = await queries.selectListAndTime(db, listId)
  if (!has_list) throw unknownId('target_list_id', 'target list')
  return now
}

const throwUnknownList = throwUnknownId('target_list_id', 'target list', 'target_list_id')

function listNextRuns(row: Timing & Pick<Schedule, 'next_run_at'>): string[] {
  const first = Date.parse(row.next_run_at ?? '')
  const times = iterateDueTimes(row, first)
  return [first, ...Array.from({ length: nextRunCount - 1 }, () => times.next().value)].map(iso)
}

function iso(instant: number): string {
  return new Date(instant).toISOString()
}

function toSchedule({
  may_change: _,
  version: __,
  timed_since: ___,
  now: ____,
  ...schedule
}: queries.ScheduleRow): Schedule {
  return addWarnings(schedule)
}

function addWarnings(schedule: queries.StoredSchedule): Schedule {
  return { ...schedule, warnings: listCronWarnings(schedule.cron) }
}
