import { sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { PlatformDb, ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { StoredSchedule } from '../../../lib/schedules/due-times.ts'
import type { BatchCreate } from '../../sessions/batches/schemas.ts'
import type { Run } from './schemas.ts'

export interface RunRow extends Omit<Run, 'by_state' | 'by_outcome'> {
  counts: { state: string; outcome: string | null; count: number }[]
}

export async function selectRuns(db: ReadDb, scheduleId: string, { skip, limit }: PageQuery): Promise<RunRow[]> {
  const { rows } = await sql<RunRow>`
    select r.id, r.schedule_id, r.due_at, r.trigger, r.status, r.error, r.batch_ids, r.session_count, r.started_at,
           (select coalesce(jsonb_agg(c), '[]') from (
              select x.state, x.outcome, count(*) as count from sessions x
               where x.account_id = r.account_id and x.batch_id = any (r.batch_ids) group by 1, 2) c) as counts
      from maintenance_runs r where r.account_id = app.account_id() and r.schedule_id = ${scheduleId}
     order by r.due_at desc, r.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

/** A due schedule of any account. */
export interface DueSchedule {
  id: string
  account_id: string
  created_by: string
  next_run_at: string
}

/** Select the due schedules after `after`, sorted by due time and id. */
export async function selectDueSchedules(db: PlatformDb, after: DueSchedule | undefined, limit: number): Promise<DueSchedule[]> {
  const afterCondition = after ? sql`and (s.next_run_at, s.id) > (${after.next_run_at}::timestamptz, ${after.id}::uuid)` : sql``
  const { rows } = await sql<DueSchedule>`
    select s.id, s.account_id, s.created_by, s.next_run_at from maintenance_schedules s
     where s.next_run_at <= app.now() ${afterCondition} order by s.next_run_at, s.id limit ${limit}`.execute(db)
  return rows
}

/** A claimed schedule with everything that decides whether it may run. */
export interface ClaimedSchedule extends StoredSchedule {
  id: string
  team_id: string
  created_by: string
  tree_id: string
  name: string
  targets: BatchCreate['targets']
  now: string
  is_feature_on: boolean
  is_lapsed: boolean
  is_owner_active: boolean
  owner_role: string
  owner_team_id: string | null
  /** Whether the owner can see the flow. The connection bypasses row-level security, so the query checks this itself. */
  can_owner_see_flow: boolean
  /** The error of the previous scheduled run. */
  last_error: string | null
}

/**
 * Lock a due schedule and set the team of this transaction to the schedule's team. Return undefined if another call holds the lock or the
 * schedule is no longer due.
 */
export async function claimSchedule(db: WriteDb, id: string): Promise<ClaimedSchedule | undefined> {
  const { rows } = await sql<ClaimedSchedule>`
    select s.id, s.team_id, s.created_by, s.tree_id, s.name, s.cron, s.timezone, s.next_run_at, s.timed_since, l.targets, app.now() as now,
           app.feature_on(s.account_id, 'maintenance_schedules') as is_feature_on, app.lapsed(a) as is_lapsed,
           u.is_active as is_owner_active, u.role as owner_role, u.team_id as owner_team_id,
           (select t.visibility <> 'private' or t.author_id = s.created_by from trees t
             where t.account_id = s.account_id and t.id = s.tree_id) as can_owner_see_flow,
           (select r.error from maintenance_runs r where r.account_id = s.account_id and r.schedule_id = s.id and r.trigger = 'scheduled'
             order by r.due_at desc, r.id desc limit 1) as last_error, set_config('app.team_id', s.team_id::text, true)
      from maintenance_schedules s
      join accounts a on a.id = s.account_id
      join users u on u.account_id = s.account_id and u.id = s.created_by
      join target_lists l on l.account_id = s.account_id and l.id = s.target_list_id
     where s.account_id = app.account_id() and s.id = ${id} and s.next_run_at <= app.now()
       for update of s skip locked`.execute(db)
  return rows[0]
}

/** The result for one due time. */
export interface RunOutcome {
  due_at: string
  status: 'created' | 'failed'
  error: string | null
  batch_ids: string[]
  session_count: number
}

/** Insert the runs of a claimed schedule's due times, and set its next due time. */
export async function recordRuns(
  db: WriteDb,
  scheduleId: string,
  { outcome, missed, reason, nextRunAt }: { outcome: RunOutcome | null; missed: string[]; reason: string; nextRunAt: string },
): Promise<void> {
  await sql`
    with updated_schedule as (
      update maintenance_schedules set next_run_at = ${nextRunAt}::timestamptz, version = version + 1
       where account_id = app.account_id() and id = ${scheduleId} returning id
    )
    insert into maintenance_runs (schedule_id, due_at, trigger, status, error)
    select s.id, due_at, 'scheduled', 'missed', ${reason}
      from updated_schedule s, unnest(${`{${missed.join(',')}}`}::timestamptz[]) due_at`.execute(db)
  if (outcome) await insertRun(db, scheduleId, 'scheduled', outcome)
}

/** Insert a run and return its id. */
export async function insertRun(
  db: WriteDb,
  scheduleId: string,
  trigger: 'scheduled' | 'manual',
  { due_at, status, error, batch_ids, session_count }: Omit<RunOutcome, 'due_at'> & { due_at: string | null },
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into maintenance_runs (schedule_id, due_at, trigger, status, error, batch_ids, session_count, started_at)
    values (${scheduleId}, coalesce(${due_at}::timestamptz, app.now()), ${trigger}, ${status}, ${error},
            ${`{${batch_ids.join(',')}}`}::uuid[], ${session_count}, app.now()) returning id`.execute(db)
  return rows[0]?.id ?? ''
}

export async function selectTargets(db: WriteDb, listId: string): Promise<BatchCreate['targets'] | undefined> {
  const { rows } = await sql<Pick<ClaimedSchedule, 'targets'>>`
    select l.targets from target_lists l where l.account_id = app.account_id() and l.id = ${listId}`.execute(db)
  return rows[0]?.targets
}
