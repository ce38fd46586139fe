import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { noSuch } from '../../../lib/db/sqlstate.ts'
import { uuidv7 } from '../../../lib/db/uuid.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { changedMeanwhile, invalid, Problem } from '../../../lib/problem.ts'
import { dueAfter, mostWaiting, nextDue, type Timing, waitingOf } from '../../../lib/schedules/due.ts'
import * as batches from '../../sessions/batches/service.ts'
import * as queries from './queries.ts'
import type { Schedule, ScheduleCreate, ScheduleUpdate } from './schemas.ts'

const tries = 5
const foreseen = 5

export async function list({ db }: Reader, page: PageQuery) {
  return toPage(await queries.selectSchedules(db, page), page.limit)
}

export async function get({ db }: Reader, id: string) {
  const row = await find(db, id)
  return { ...shown(row), next_runs: row.is_active ? nextRuns(row) : [] }
}

export async function create({ db }: Writer, given: ScheduleCreate): Promise<Schedule> {
  await batches.findOwn(db, given.tree_id)
  const now = await requireList(db, given.target_list_id)
  const next = given.is_active ? iso(nextDue(given, Date.parse(now))) : null
  return shown(await queries.insertSchedule(db, { id: uuidv7(), ...given }, next).catch(noList))
}

/** Changes what is given. What is due already is not lost by it: it is made up, or by a pause recorded as missed. */
export async function update({ db }: Writer, id: string, change: ScheduleUpdate): Promise<Schedule> {
  for (let n = 0; n < tries; n++) {
    const row = await findOwn(db, id)
    if (Object.keys(change).length === 0) return shown(row)
    if (change.target_list_id) await requireList(db, change.target_list_id)
    const saved = await queries.updateSchedule(db, row, change, retimed(row, change)).catch(noList)
    if (saved.done && saved.row) return shown(saved.row)
  }
  throw changedMeanwhile('schedule')
}

export async function remove({ db }: Writer, id: string): Promise<void> {
  if (!(await queries.deleteSchedule(db, id))) await findOwn(db, id)
}

export async function find(db: Reader['db'], id: string): Promise<queries.ScheduleRow> {
  const found = await queries.selectSchedule(db, id)
  if (!found) throw new Problem('not_found', 'Maintenance schedule not found')
  return found
}

/** A schedule that the caller may change; 403 to others who see it. */
export async function findOwn(db: Reader['db'], id: string): Promise<queries.ScheduleRow> {
  const found = await find(db, id)
  if (!found.may_change)
    throw new Problem('forbidden', 'Only who made it, an admin of its team or an account admin may change or run this schedule')
  return found
}

/** What a change makes of the times; null when it leaves them. */
function retimed(row: queries.ScheduleRow, change: ScheduleUpdate): queries.Retimed | null {
  const { cron = row.cron, timezone = row.timezone, is_active = row.is_active } = change
  if (cron === row.cron && timezone === row.timezone && is_active === row.is_active) return null
  const now = Date.parse(row.now)
  const waiting = waitingOf(row, now).due
  if (waiting.length === mostWaiting) throw new Problem('conflict', 'The schedule is catching up; try again in a minute')
  if (!is_active) return { next_run_at: null, missed: waiting.map(iso), reason: 'The schedule was paused before it ran' }
  const latest = waiting.at(-1) ?? nextDue({ cron, timezone }, now)
  return { next_run_at: iso(latest), missed: waiting.slice(0, -1).map(iso), reason: 'A later run was made up' }
}

/** Answers what time it is. */
async function requireList(db: Reader['db'], listId: string): Promise<string> {
  const { now, has_list } = await queries.selectListAndTime(db, listId)
  if (!has_list) throw invalid([{ loc: ['body', 'target_list_id'], msg: 'No such target list', type: 'unknown' }])
  return now
}

const noList = noSuch('target_list_id', 'target list', 'target_list_id')

function nextRuns(row: Timing & Pick<Schedule, 'next_run_at'>): string[] {
  const first = Date.parse(row.next_run_at ?? '')
  const times = dueAfter(row, first)
  return [first, ...Array.from({ length: foreseen - 1 }, () => times.next().value)].map(iso)
}

function iso(instant: number): string {
  return new Date(instant).toISOString()
}

function shown({ may_change: _, version: __, timed_since: ___, now: ____, ...schedule }: queries.ScheduleRow): Schedule {
  return schedule
}
