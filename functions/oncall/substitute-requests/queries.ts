import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, personOf } from '#db/expressions.ts'
import { type Order, type PageQuery, pageEnd } from '#db/page.ts'
import type { WriteDb } from '#db/scope.ts'
import { notNull, readStatement, writeStatement } from '#db/statement.ts'
import { type SubstituteCreate, SubstituteRequest } from './schemas.ts'

const RequestRow = z.object(SubstituteRequest.shape)

const isOpen = sql`r.state = 'open' and r.starts_at > app.now()`
const columns = sql`
  r.id, r.schedule_id, ${personOf('r.account_id', 'r.user_id')} as "user", r.starts_at, r.ends_at, r.note,
  (select coalesce(jsonb_agg(jsonb_build_object('id', u.id, 'name', u.full_name, 'has_declined', u.id = any (r.declined_ids))
                             order by u.full_name collate "und-x-icu", u.id), '[]')
     from users u where u.account_id = r.account_id and u.id = any (r.asked_ids)) as asked,
  case when r.state = 'open' and r.starts_at <= app.now() then 'expired' else r.state end as state,
  ${personOf('r.account_id', 'r.accepted_by')} as accepted_by, r.override_id,
  coalesce(${isOpen} and app.user_id() = any (r.asked_ids), false) as may_accept, r.created_by, r.created_at`

export const requestOrder: Order<'created_at' | 'id'> = [
  { field: 'created_at', kind: 'time', isDescending: true },
  { field: 'id', kind: 'uuid', isDescending: true },
]

export const selectRequests = readStatement(
  RequestRow,
  (scheduleId: string, page: PageQuery) => sql`
    select ${columns} from on_call_substitute_requests r where r.account_id = app.account_id() and r.schedule_id = ${scheduleId}
     ${pageEnd(requestOrder, page, 'r')}`,
)

export const selectRequest = readStatement(
  RequestRow,
  (scheduleId: string, id: string) => sql`
    select ${columns} from on_call_substitute_requests r
     where r.account_id = app.account_id() and r.schedule_id = ${scheduleId} and r.id = ${id}`,
)

/** Lock a schedule. Every change of who is on call by it waits, because its triggers write the row. */
export async function lockSchedule(db: WriteDb, id: string): Promise<void> {
  await db
    .selectFrom('on_call_schedules')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .execute()
}

/** Lock a request, so that one of several answers counts. */
export async function lockRequest(db: WriteDb, id: string): Promise<void> {
  await db
    .selectFrom('on_call_substitute_requests')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .execute()
}

/**
 * Select who of `ids` can work or, for null, who else is in the schedule and its team, those of the schedule
 * first.
 */
export const selectAsked = readStatement(
  z.object({ id: z.string() }),
  (scheduleId: string, memberId: string, ids: readonly string[] | null) => {
    const isNamed = sql`u.id = any (app.list_on_call_users(s.account_id, s.id, s.rotations))`
    return sql`
      select u.id from on_call_schedules s join users u on u.account_id = s.account_id and app.can_work(u) and u.id <> ${memberId}
       where s.account_id = app.account_id() and s.id = ${scheduleId}
         and ${ids ? sql`u.id = any (${`{${ids.join(',')}}`}::uuid[])` : sql`(${isNamed} or u.team_id = s.team_id)`}
       order by ${isNamed} desc, u.full_name, u.id limit 50`
  },
)

/**
 * Insert a request. Return null if it does not begin in the future, and whether the member has an open one for
 * a part of the time.
 */
export const insertRequest = writeStatement(
  z.object({ id: z.string().nullable(), is_pending: notNull<boolean>() }),
  (
    scheduleId: string,
    memberId: string,
    { starts_at, ends_at, note }: SubstituteCreate,
    askedIds: readonly string[],
    noticeAt: string,
  ) => sql`
    with pending as (
      select r.id from on_call_substitute_requests r
       where r.account_id = app.account_id() and r.schedule_id = ${scheduleId} and r.user_id = ${memberId} and ${isOpen}
         and r.starts_at < ${ends_at}::timestamptz and r.ends_at > ${starts_at}::timestamptz
    ), inserted as (
      insert into on_call_substitute_requests (schedule_id, user_id, starts_at, ends_at, note, asked_ids, notice_at)
      select ${scheduleId}::uuid, ${memberId}::uuid, ${starts_at}::timestamptz, ${ends_at}::timestamptz, ${note ?? null},
             ${`{${askedIds.join(',')}}`}::uuid[], ${noticeAt}::timestamptz
       where ${starts_at}::timestamptz > app.now() and not exists (select from pending)
      returning id
    )
    select (select id from inserted) as id, exists (select from pending) as is_pending`,
)

export async function storeAcceptance(
  db: WriteDb,
  id: string,
  values: { accepted_by: string; override_id: string },
): Promise<void> {
  await db
    .updateTable('on_call_substitute_requests')
    .set({ ...values, state: 'accepted' })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Store that the caller has declined. End the request if nobody is left who can work and has not. */
export const storeRefusal = writeStatement(
  z.object({ state: z.enum(['open', 'declined']) }),
  (id: string) => sql`
    update on_call_substitute_requests r
       set declined_ids = array_append(array_remove(r.declined_ids, app.user_id()), app.user_id()),
           state = case when exists (
             select from users u where u.account_id = r.account_id and u.id = any (r.asked_ids) and app.can_work(u)
                and u.id <> app.user_id() and u.id <> all (r.declined_ids)) then 'open' else 'declined' end
     where r.account_id = app.account_id() and r.id = ${id}
    returning r.state`,
)

export async function withdrawRequest(db: WriteDb, id: string): Promise<void> {
  await db
    .updateTable('on_call_substitute_requests')
    .set({ state: 'withdrawn' })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Select the accounts with requests that are looked at, the one that has waited longest first. */
export const selectAccountsWithDue = readStatement(
  z.object({ account_id: z.string() }),
  () => sql`
    select r.account_id from on_call_substitute_requests r join accounts a on a.id = r.account_id and a.erasing_at is null
     where r.state = 'open' and r.notice_at <= app.now() group by r.account_id order by min(r.notice_at), r.account_id limit 500`,
)

/** How many requests one transaction looks at. */
export const dueAtOnce = 50

/**
 * Take the open requests of the account that are looked at: end those whose time has begun, and look at the
 * others again then. Of concurrent sweeps only one takes a request. `is_told` says that it was looked at before.
 */
export const takeDue = writeStatement(
  z.object({ id: z.string(), schedule_id: z.string(), is_told: notNull<boolean>() }),
  () => sql`
    update on_call_substitute_requests r
       set notice_at = r.starts_at, state = case when r.starts_at <= app.now() then 'expired' else 'open' end
      from (select o.id, o.notice_at = o.starts_at as is_told from on_call_substitute_requests o
             where o.account_id = app.account_id() and o.state = 'open' and o.notice_at <= app.now()
             order by o.notice_at limit ${dueAtOnce} for no key update skip locked) due
     where r.account_id = app.account_id() and r.id = due.id
    returning r.id, r.schedule_id, due.is_told`,
)
