import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, jsonb, now, personOf } from '#db/expressions.ts'
import { nameOrder, type Order, type PageQuery, pageEnd, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { Rotation } from '#rules/oncall/schema.ts'
import type { OnCallDuties, Override, OverrideCreate, ScheduleCreate, ScheduleUpdate } from './schemas.ts'

const mayChange = sql<boolean>`app.administers(team_id)`
const scheduleColumns = [
  'id',
  'name',
  'timezone',
  'team_id',
  sql<Rotation[]>`rotations`.as('rotations'),
  'version',
  'created_by',
  'created_at',
  'updated_at',
  mayChange.as('may_change'),
  sql<boolean>`team_id is distinct from app.team_id()`.as('is_other_team'),
] as const

export function selectSchedules(db: ReadDb, page: PageQuery) {
  return db
    .selectFrom('on_call_schedules')
    .select(scheduleColumns)
    .where('account_id', '=', accountId)
    .$call(selectPage(nameOrder(), page))
    .execute()
}

export function selectSchedule(db: ReadDb, id: string) {
  return db
    .selectFrom('on_call_schedules')
    .select(scheduleColumns)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
}
export type ScheduleRow = NonNullable<Awaited<ReturnType<typeof selectSchedule>>>

export function insertSchedule(db: WriteDb, { rotations, ...columns }: ScheduleCreate): Promise<ScheduleRow> {
  return db
    .insertInto('on_call_schedules')
    .values({ ...columns, rotations: jsonb(rotations) })
    .returning(scheduleColumns)
    .executeTakeFirstOrThrow()
}

/**
 * Update the columns in `changes`. Return undefined if the stored version is not the expected one or the
 * caller may not change the schedule.
 */
export function updateSchedule(
  db: WriteDb,
  id: string,
  changes: ScheduleUpdate,
): Promise<ScheduleRow | undefined> {
  const { rotations, expected_version, ...columns } = changes
  const update = db
    .updateTable('on_call_schedules')
    .set({ ...columns, rotations: rotations && jsonb(rotations), version: sql`version + 1`, updated_at: now })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where(mayChange)
    .returning(scheduleColumns)
  return (
    expected_version === undefined ? update : update.where('version', '=', expected_version)
  ).executeTakeFirst()
}

export async function deleteSchedule(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('on_call_schedules')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where(mayChange)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/**
 * Select which of the ids are users, and which active engineers and admins, and whether the caller may change
 * what belongs to the team.
 */
export const selectResponders = readStatement(
  z.object({ may_change: z.boolean(), known_ids: z.array(z.string()), ids: z.array(z.string()) }),
  (ids: readonly string[], teamId: string | null) => sql`
    select ${callFunction('app.administers', { p_team: teamId })} as may_change,
           array(select u.id from users u where u.account_id = app.account_id() and u.id = any (${`{${ids.join(',')}}`}::uuid[])) as known_ids,
           array(select u.id from users u
                  where u.account_id = app.account_id() and u.id = any (${`{${ids.join(',')}}`}::uuid[]) and app.can_work(u)) as ids`,
)

/** Count who may be on call by a schedule, and who of them has an address that takes e-mails. */
export const countReachable = readStatement(
  z.object({ can_work: z.int(), reachable: z.int() }),
  (scheduleId: string) => sql`
    select count(*)::integer as can_work, (count(*) filter (where app.mail_problem(u.email) is null))::integer as reachable
      from on_call_schedules s join users u on u.account_id = s.account_id and app.can_work(u)
     where s.account_id = app.account_id() and s.id = ${scheduleId}
       and (u.id = any (array(select m::uuid from jsonb_array_elements(s.rotations) r, jsonb_array_elements_text(r -> 'members') m))
            or u.id in (select o.user_id from on_call_overrides o
                         where o.account_id = s.account_id and o.schedule_id = s.id and o.ends_at > app.now()))`,
)

const OverrideRow = z.object({
  id: z.string(),
  user: z.custom<Override['user']>(),
  starts_at: z.string(),
  ends_at: z.string(),
  created_by: z.string(),
  created_at: z.string(),
})
const overrideColumns = sql`
  o.id, ${personOf('o.account_id', 'o.user_id')} as "user", o.starts_at, o.ends_at, o.created_by, o.created_at`

export const overrideOrder: Order<'ends_at' | 'id'> = [
  { field: 'ends_at', kind: 'time', isDescending: true },
  { field: 'id', kind: 'uuid', isDescending: true },
]

export const selectOverrides = readStatement(
  OverrideRow,
  (scheduleId: string, page: PageQuery) => sql`
    select ${overrideColumns} from on_call_overrides o where o.account_id = app.account_id() and o.schedule_id = ${scheduleId}
     ${pageEnd(overrideOrder, page, 'o')}`,
)

export const selectOverride = readStatement(
  OverrideRow,
  (scheduleId: string, id: string) => sql`
    select ${overrideColumns} from on_call_overrides o
     where o.account_id = app.account_id() and o.schedule_id = ${scheduleId} and o.id = ${id}`,
)

/**
 * Insert an override. Return undefined if it has ended, or if the caller may neither change the schedule nor
 * names themselves.
 */
export const insertOverride = writeStatement(
  OverrideRow,
  (scheduleId: string, { member_id, starts_at, ends_at }: OverrideCreate) => sql`
    insert into on_call_overrides as o (schedule_id, user_id, starts_at, ends_at)
    select s.id, u.id, ${starts_at}::timestamptz, ${ends_at}::timestamptz from on_call_schedules s, users u
     where s.account_id = app.account_id() and s.id = ${scheduleId} and u.account_id = s.account_id and u.id = ${member_id}
       and app.can_work(u) and (u.id = app.user_id() or app.administers(s.team_id)) and ${ends_at}::timestamptz > app.now()
    returning ${overrideColumns}`,
)

/**
 * Delete an override. Return null for one that does not exist, and false for one that the caller may not
 * delete.
 */
export const deleteOverride = writeStatement(
  z.object({ is_deleted: z.boolean() }),
  (scheduleId: string, id: string) => sql`
    with found as (
      select o.id, o.created_by = app.user_id() or o.user_id = app.user_id() or app.administers(s.team_id) as may_delete
        from on_call_overrides o join on_call_schedules s on s.account_id = o.account_id and s.id = o.schedule_id
       where o.account_id = app.account_id() and o.schedule_id = ${scheduleId} and o.id = ${id}
    ), deleted as (
      delete from on_call_overrides o using found f where o.account_id = app.account_id() and o.id = f.id and f.may_delete returning o.id
    )
    select exists (select from deleted) as is_deleted from found`,
)

/** Select the schedules and policies that name a member. Return undefined for no member of the account. */
export const selectDuties = readStatement(
  z.object({
    schedules: z.custom<OnCallDuties['schedules']>(),
    policies: z.custom<OnCallDuties['policies']>(),
  }),
  (userId: string) => {
    const listOf = (table: string, condition: RawBuilder<unknown>) => sql`
      (select coalesce(jsonb_agg(jsonb_build_object('id', d.id, 'name', d.name) order by d.name collate "und-x-icu", d.id), '[]')
         from ${sql.table(table)} d where d.account_id = u.account_id and ${condition})`
    const isInRotation = sql`d.rotations @> jsonb_build_array(jsonb_build_object('members', jsonb_build_array(u.id)))`
    const isInOverride = sql`
      exists (select from on_call_overrides o
               where o.account_id = d.account_id and o.schedule_id = d.id and o.user_id = u.id and o.ends_at > app.now())`
    const isTarget = sql`
      d.steps @> jsonb_build_array(jsonb_build_object('targets', jsonb_build_array(jsonb_build_object('type', 'user', 'id', u.id))))`
    return sql`
      select ${listOf('on_call_schedules', sql`(${isInRotation} or ${isInOverride})`)} as schedules,
             ${listOf('escalation_policies', isTarget)} as policies
        from users u where u.account_id = app.account_id() and u.id = ${userId}`
  },
)
