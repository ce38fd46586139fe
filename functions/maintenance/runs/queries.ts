import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, now } from '#db/expressions.ts'
import { type Order, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { BatchCreate } from '#functions/sessions/batches/schemas.ts'
import type { ManualRun, Run } from './schemas.ts'

export interface RunRow extends Omit<Run, 'by_state' | 'by_outcome'> {
  counts: { state: string; outcome: string | null; count: number }[]
}

const sessionCounts = sql<RunRow['counts']>`
  (select coalesce(jsonb_agg(c), '[]') from (
     select x.state, x.outcome, count(*) as count from sessions x
      where x.account_id = r.account_id and x.batch_id = any (r.batch_ids) group by 1, 2) c)`

export const runOrder: Order<'due_at' | 'id'> = [
  { field: 'due_at', kind: 'time', isDescending: true },
  { field: 'id', kind: 'uuid', isDescending: true },
]

export function selectRuns(db: ReadDb, scheduleId: string, page: PageQuery): Promise<RunRow[]> {
  return db
    .selectFrom('maintenance_runs as r')
    .select([
      'r.id',
      'r.schedule_id',
      'r.due_at',
      'r.trigger',
      'r.status',
      'r.error',
      'r.batch_ids',
      'r.session_count',
      'r.started_at',
    ])
    .select(sessionCounts.as('counts'))
    .where('r.account_id', '=', accountId)
    .where('r.schedule_id', '=', scheduleId)
    .$call(selectPage(runOrder, page, 'r'))
    .execute()
}

/** A due schedule of any account. */
const DueSchedule = z.object({ id: z.string(), account_id: z.string(), created_by: z.string() })
export type DueSchedule = z.output<typeof DueSchedule>

/** Select due schedules of all accounts, each account's first before any second one. */
export const selectDueSchedules = readStatement(
  DueSchedule,
  (limit: number) => sql`
    select id, account_id, created_by from maintenance_schedules where next_run_at <= app.now()
     order by row_number() over (partition by account_id order by next_run_at, id), next_run_at, id limit ${limit}`,
)

const ClaimedSchedule = z.object({
  id: z.string(),
  team_id: z.string(),
  created_by: z.string(),
  tree_id: z.string(),
  name: z.string(),
  cron: z.string(),
  timezone: z.string(),
  next_run_at: z.string().nullable(),
  timed_since: z.string(),
  targets: z.custom<BatchCreate['targets']>(),
  now: z.string(),
  is_feature_on: z.boolean(),
  is_lapsed: z.boolean(),
  is_owner_active: z.boolean(),
  owner_role: z.string(),
  owner_team_id: z.string().nullable(),
  /**
   * Whether the owner can see the flow. The connection bypasses row-level security, so the query checks this
   * itself.
   */
  can_owner_see_flow: z.boolean(),
  /** The error of the previous scheduled run. */
  last_error: z.string().nullable(),
  /** When that run was due, and the first of those with its error. */
  last_due_at: z.string().nullable(),
  failing_since: z.string().nullable(),
  /** The team of the transaction. */
  enter_team: z.string(),
})
/** A claimed schedule with everything that decides whether it may run. */
export type ClaimedSchedule = z.output<typeof ClaimedSchedule>

/**
 * Lock a due schedule and set the team of this transaction to the schedule's team. Return undefined if
 * another call holds the lock or the schedule is no longer due.
 */
export const claimSchedule = writeStatement(
  ClaimedSchedule,
  (id: string) => sql`
    select s.id, s.team_id, s.created_by, s.tree_id, s.name, s.cron, s.timezone, s.next_run_at, s.timed_since, l.targets, app.now() as now,
           app.feature_on(s.account_id, 'maintenance_schedules') as is_feature_on, app.lapsed(a) as is_lapsed,
           (u.is_active or app.is_key_open(u.account_id, u.id)) as is_owner_active, u.role as owner_role, u.team_id as owner_team_id,
           (select t.visibility <> 'private' or t.author_id = s.created_by or (u.role = 'admin' and app.cannot_work(t.author_id))
              from trees t where t.account_id = s.account_id and t.id = s.tree_id) as can_owner_see_flow,
           r.error as last_error, r.due_at as last_due_at, f.since as failing_since, app.enter_team(s.team_id)
      from maintenance_schedules s
      join accounts a on a.id = s.account_id
      join users u on u.account_id = s.account_id and u.id = s.created_by
      join target_lists l on l.account_id = s.account_id and l.id = s.target_list_id
      left join lateral (
        select r.error, r.due_at from maintenance_runs r where r.account_id = s.account_id and r.schedule_id = s.id and r.trigger = 'scheduled'
         order by r.due_at desc, r.id desc limit 1) r on true
      left join lateral (
        select min(x.due_at) as since from maintenance_runs x
         where x.account_id = s.account_id and x.schedule_id = s.id and x.trigger = 'scheduled' and x.error = r.error
           and x.due_at > coalesce((select max(o.due_at) from maintenance_runs o
                                     where o.account_id = s.account_id and o.schedule_id = s.id and o.trigger = 'scheduled'
                                       and o.error is distinct from r.error), '-infinity')) f on true
     where s.account_id = app.account_id() and s.id = ${id} and s.next_run_at <= app.now()
       for update of s skip locked`,
)

/** The result for one due time. */
export interface RunOutcome {
  due_at: string
  status: 'created' | 'failed'
  error: string | null
  batch_ids: string[]
  session_count: number
}

/** Insert the missed due times of a claimed schedule, and set its next due time. */
export const recordMissedRuns = writeStatement(
  null,
  (
    scheduleId: string,
    { missed, reason, nextRunAt }: { missed: string[]; reason: string; nextRunAt: string },
  ) => sql`
    with updated_schedule as (
      update maintenance_schedules set next_run_at = ${nextRunAt}::timestamptz, version = version + 1
       where account_id = app.account_id() and id = ${scheduleId} returning id
    )
    insert into maintenance_runs (schedule_id, due_at, trigger, status, error)
    select s.id, due_at, 'scheduled', 'missed', ${reason}
      from updated_schedule s, unnest(${`{${missed.join(',')}}`}::timestamptz[]) due_at`,
)

/** Insert a run that starts now. It is due now if `due_at` is null. */
export function insertRun(
  db: WriteDb,
  scheduleId: string,
  trigger: 'scheduled' | 'manual',
  { due_at, batch_ids, ...columns }: Omit<RunOutcome, 'due_at'> & { due_at: string | null },
): Promise<{ id: string }> {
  return db
    .insertInto('maintenance_runs')
    .values({
      ...columns,
      schedule_id: scheduleId,
      trigger,
      due_at: due_at ?? now,
      batch_ids,
      started_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
}

export function selectTargets(
  db: ReadDb,
  listId: string,
): Promise<{ targets: BatchCreate['targets'] } | undefined> {
  return db
    .selectFrom('target_lists')
    .select(sql<BatchCreate['targets']>`targets`.as('targets'))
    .where('account_id', '=', accountId)
    .where('id', '=', listId)
    .executeTakeFirst()
}

/**
 * Wait until no other transaction runs this schedule on request. The lock is not the schedule's row, because
 * the cron trigger skips a locked row.
 */
export const lockManualRuns = writeStatement(
  null,
  (scheduleId: string) => sql`select from pg_advisory_xact_lock(hashtextextended(${scheduleId}, 0))`,
)

export interface RecentManualRun extends ManualRun {
  /** Whether the caller started it. */
  is_own: boolean
}

/** Select the manual run of a schedule that was started within the last 10 seconds. */
export function selectRecentManualRun(db: ReadDb, scheduleId: string): Promise<RecentManualRun | undefined> {
  const isOwn = sql<boolean>`
    exists (select from sessions s where s.account_id = r.account_id and s.batch_id = any (r.batch_ids) and s.user_id = app.user_id())`
  return db
    .selectFrom('maintenance_runs as r')
    .select(['r.id as run_id', 'r.batch_ids', 'r.session_count', isOwn.as('is_own')])
    .where('r.account_id', '=', accountId)
    .where('r.schedule_id', '=', scheduleId)
    .where('r.trigger', '=', 'manual')
    .where('r.started_at', '>', sql<string>`app.now() - interval '10 seconds'`)
    .orderBy('r.started_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}
