import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, isEditable, mayChange, now } from '#db/expressions.ts'
import { nameOrder, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import type { Schedule, ScheduleCreate, ScheduleUpdate } from './schemas.ts'

export type StoredSchedule = Omit<Schedule, 'warnings'>

export interface ScheduleRow extends StoredSchedule {
  /** Whether the caller may change it. */
  may_change: boolean
  version: number
  timed_since: string
  now: string
}

const treeName = sql<string | null>`
  (select v.name from tree_versions v
    where v.account_id = s.account_id and v.tree_id = s.tree_id and not app.hides_flow(v.tree_id) order by v.version desc limit 1)`
const lastRun = sql<Schedule['last_run']>`
  (select jsonb_build_object('id', r.id, 'due_at', app.iso(r.due_at), 'trigger', r.trigger, 'status', r.status, 'error', r.error,
            'session_count', r.session_count, 'started_at', app.iso(r.started_at))
     from maintenance_runs r where r.account_id = s.account_id and r.schedule_id = s.id order by r.due_at desc, r.id desc limit 1)`
const scheduleColumns = [
  's.id',
  's.account_id',
  's.team_id',
  's.tree_id',
  's.name',
  's.cron',
  's.timezone',
  's.target_list_id',
  's.is_active',
  's.next_run_at',
  's.ticket_number',
  's.created_by',
  's.created_at',
  's.updated_at',
  treeName.as('tree_name'),
  lastRun.as('last_run'),
] as const

export function selectSchedules(db: ReadDb, page: PageQuery): Promise<StoredSchedule[]> {
  return db
    .selectFrom('maintenance_schedules as s')
    .select(scheduleColumns)
    .where('s.account_id', '=', accountId)
    .$call(selectPage(nameOrder(), page, 's'))
    .execute()
}

function selectScheduleRow(db: ReadDb, id: string) {
  return db
    .selectFrom('maintenance_schedules as s')
    .select([
      ...scheduleColumns,
      mayChange('s.created_by', 's.team_id').as('may_change'),
      's.version',
      's.timed_since',
      now.as('now'),
    ])
    .where('s.account_id', '=', accountId)
    .where('s.id', '=', id)
}

export function selectSchedule(db: ReadDb, id: string): Promise<ScheduleRow | undefined> {
  return selectScheduleRow(db, id).executeTakeFirst()
}

/** Select the database's time, and whether the caller can see the target list. */
export function selectListAndTime(db: ReadDb, listId: string): Promise<{ now: string; has_list: boolean }> {
  const hasList = sql<boolean>`exists (select from target_lists l where l.account_id = ${accountId} and l.id = ${listId})`
  return db.selectNoFrom([now.as('now'), hasList.as('has_list')]).executeTakeFirstOrThrow()
}

export async function insertSchedule(
  db: WriteDb,
  schedule: ScheduleCreate & { id: string },
  nextRunAt: string | null,
): Promise<ScheduleRow> {
  const insert = db.insertInto('maintenance_schedules').values({ ...schedule, next_run_at: nextRunAt })
  const [, rows] = await db.batch([insert, selectScheduleRow(db, schedule.id)])
  return rows[0] as ScheduleRow
}

/** The new due times of a schedule after a change. */
export interface Retiming {
  next_run_at: string | null
  /** Due times to record as missed, with `reason`. */
  missed: string[]
  reason: string
}

/** Whether the owner of the schedule `s` can still own the sessions of its runs. Otherwise a change passes it on. */
const canOwnerRun = sql`exists (
  select from users o where o.account_id = s.account_id and o.id = s.created_by and (o.role = 'admin' or o.team_id = s.team_id)
     and (app.can_work(o) or app.is_key_open(o.account_id, o.id)))`

/**
 * Update a schedule if `version` is still current and the caller may change it, and record due times that the
 * change skips. The caller becomes its owner when the present one can no longer run it.
 */
export const updateIfCurrent = writeStatement(
  z.object({ id: z.string() }),
  (
    { id, version }: Pick<ScheduleRow, 'id' | 'version'>,
    changes: ScheduleUpdate,
    retiming: Retiming | null,
  ) => {
    const { name = null, cron = null, timezone = null, target_list_id = null, is_active = null } = changes
    const ticketNumber =
      changes.ticket_number === undefined ? sql`` : sql`, ticket_number = ${changes.ticket_number}`
    const times = retiming
      ? sql`, next_run_at = ${retiming.next_run_at}::timestamptz, timed_since = app.now()`
      : sql``
    return sql`
      with updated_schedule as (
        update maintenance_schedules s
           set name = coalesce(${name}, s.name), cron = coalesce(${cron}, s.cron), timezone = coalesce(${timezone}, s.timezone),
               target_list_id = coalesce(${target_list_id}::uuid, s.target_list_id), is_active = coalesce(${is_active}::boolean, s.is_active),
               created_by = case when ${canOwnerRun} then s.created_by else app.user_id() end, version = s.version + 1, updated_at = app.now() ${times} ${ticketNumber}
         where s.id = ${id} and s.version = ${version} and ${isEditable('s')} returning s.id
      ), inserted_runs as (
        insert into maintenance_runs (schedule_id, due_at, trigger, status, error)
        select c.id, due_at, 'scheduled', 'missed', ${retiming?.reason ?? ''}
          from updated_schedule c, unnest(${`{${retiming?.missed.join(',') ?? ''}}`}::timestamptz[]) due_at
      )
      select id from updated_schedule`
  },
)

/**
 * Update a schedule if nothing has changed it since. Return whether it was updated, and the current schedule.
 */
export async function updateSchedule(
  db: WriteDb,
  current: Pick<ScheduleRow, 'id' | 'version'>,
  changes: ScheduleUpdate,
  retiming: Retiming | null,
): Promise<{ isUpdated: boolean; row: ScheduleRow | undefined }> {
  const [updated, rows] = await db.batch([
    updateIfCurrent.query(current, changes, retiming),
    selectScheduleRow(db, current.id),
  ])
  return { isUpdated: updated.length > 0, row: rows[0] }
}

export async function deleteSchedule(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('maintenance_schedules as s')
    .where('s.id', '=', id)
    .where(isEditable('s'))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
