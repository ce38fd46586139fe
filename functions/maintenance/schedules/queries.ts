import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { Schedule, ScheduleCreate, ScheduleUpdate } from './schemas.ts'

export interface ScheduleRow extends Schedule {
  /** Whether the caller may change it. */
  may_change: boolean
  version: number
  timed_since: string
  now: string
}

const scheduleColumns = sql`
  s.id, s.account_id, s.team_id, s.tree_id, s.name, s.cron, s.timezone, s.target_list_id, s.is_active, s.next_run_at, s.created_by,
  s.created_at, s.updated_at,
  (select v.name from tree_versions v where v.account_id = s.account_id and v.tree_id = s.tree_id order by v.version desc limit 1) as tree_name,
  (select jsonb_build_object('id', r.id, 'due_at', app.iso(r.due_at), 'trigger', r.trigger, 'status', r.status, 'error', r.error,
            'session_count', r.session_count, 'started_at', app.iso(r.started_at))
     from maintenance_runs r where r.account_id = s.account_id and r.schedule_id = s.id order by r.due_at desc, r.id desc limit 1) as last_run`
const scheduleStatement = (id: string) => sql<ScheduleRow>`
  select ${scheduleColumns}, app.may_change(s.created_by, s.team_id) as may_change, s.version, s.timed_since, app.now() as now
    from maintenance_schedules s where s.account_id = app.account_id() and s.id = ${id}`
const isEditable = sql`s.account_id = app.account_id() and app.may_change(s.created_by, s.team_id)`

export async function selectSchedules(db: ReadDb, { skip, limit }: PageQuery): Promise<Schedule[]> {
  const { rows } = await sql<Schedule>`
    select ${scheduleColumns} from maintenance_schedules s where s.account_id = app.account_id()
     order by lower(s.name), s.id offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectSchedule(db: ReadDb, id: string): Promise<ScheduleRow | undefined> {
  return (await scheduleStatement(id).execute(db as WriteDb)).rows[0]
}

/** Return the database's time, and whether the caller can see the target list. */
export async function selectListAndTime(db: ReadDb, listId: string): Promise<{ now: string; has_list: boolean }> {
  const { rows } = await sql<{ now: string; has_list: boolean }>`
    select app.now() as now, exists (select from target_lists l where l.account_id = app.account_id() and l.id = ${listId}) as has_list`.execute(
    db as WriteDb,
  )
  return rows[0] as { now: string; has_list: boolean }
}

export async function insertSchedule(
  db: WriteDb,
  { id, ...schedule }: ScheduleCreate & { id: string },
  nextRunAt: string | null,
): Promise<ScheduleRow> {
  const insert = sql`
    insert into maintenance_schedules (id, tree_id, name, cron, timezone, target_list_id, is_active, next_run_at)
    values (${id}, ${schedule.tree_id}, ${schedule.name}, ${schedule.cron}, ${schedule.timezone}, ${schedule.target_list_id}, ${schedule.is_active}, ${nextRunAt})`
  const [, rows] = await db.batch([statement(db, insert), statement(db, scheduleStatement(id))])
  return rows[0] as ScheduleRow
}

/** The new due times of a schedule after a change. */
export interface Retiming {
  next_run_at: string | null
  /** Due times to record as missed, with `reason`. */
  missed: string[]
  reason: string
}

/** Update a schedule if `version` is still current and the caller may change it. Return in `done` whether it was updated. */
export async function updateSchedule(
  db: WriteDb,
  { id, version }: Pick<ScheduleRow, 'id' | 'version'>,
  changes: ScheduleUpdate,
  retiming: Retiming | null,
): Promise<{ done: boolean; row: ScheduleRow | undefined }> {
  const { name = null, cron = null, timezone = null, target_list_id = null, is_active = null } = changes
  const times = retiming ? sql`, next_run_at = ${retiming.next_run_at}::timestamptz, timed_since = app.now()` : sql``
  const write = sql<{ id: string }>`
    with updated_schedule as (
      update maintenance_schedules s
         set name = coalesce(${name}, s.name), cron = coalesce(${cron}, s.cron), timezone = coalesce(${timezone}, s.timezone),
             target_list_id = coalesce(${target_list_id}::uuid, s.target_list_id), is_active = coalesce(${is_active}::boolean, s.is_active),
             version = s.version + 1, updated_at = app.now() ${times}
       where s.id = ${id} and s.version = ${version} and ${isEditable} returning s.id
    ), inserted_runs as (
      insert into maintenance_runs (schedule_id, due_at, trigger, status, error)
      select c.id, due_at, 'scheduled', 'missed', ${retiming?.reason ?? ''}
        from updated_schedule c, unnest(${`{${retiming?.missed.join(',') ?? ''}}`}::timestamptz[]) due_at
    )
    select id from updated_schedule`
  const [done, rows] = await db.batch([statement(db, write), statement(db, scheduleStatement(id))])
  return { done: done.length > 0, row: rows[0] }
}

export async function deleteSchedule(db: WriteDb, id: string): Promise<boolean> {
  return (await sql`delete from maintenance_schedules s where s.id = ${id} and ${isEditable} returning s.id`.execute(db)).rows.length > 0
}
