import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, bytea } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { notNull, writeStatement } from '#db/statement.ts'
import type { CalendarFeed } from './schemas.ts'

/** Condition: the feed is the caller's, or the caller is an account admin. */
const isManaged = sql<boolean>`(f.user_id = app.user_id() or app.role() = 'admin')`

function selectRows(db: ReadDb) {
  return db
    .selectFrom('calendar_feeds as f')
    .innerJoin('users as u', (join) =>
      join.onRef('u.account_id', '=', 'f.account_id').onRef('u.id', '=', 'f.user_id'),
    )
    .leftJoin('on_call_schedules as s', (join) =>
      join.onRef('s.account_id', '=', 'f.account_id').onRef('s.id', '=', 'f.schedule_id'),
    )
    .select(['f.id', 'f.user_id', 'u.full_name as user_name', 'f.schedule_id', 's.name as schedule_name'])
    .select(['f.last_read_at', 'f.created_at'])
    .where('f.account_id', '=', accountId)
    .where(isManaged)
}

export function selectFeeds(db: ReadDb, page: PageQuery): Promise<CalendarFeed[]> {
  return selectRows(db)
    .$call(selectPage(newestFirst, page, 'f'))
    .execute()
}

/** Insert a feed of the caller. `tokenHash` is in PostgreSQL's text form. */
export async function insertFeed(
  db: WriteDb,
  { scheduleId, tokenHash }: { scheduleId: string | null; tokenHash: string },
): Promise<CalendarFeed> {
  const { id } = await db
    .insertInto('calendar_feeds')
    .values({ schedule_id: scheduleId, token_hash: bytea(tokenHash) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return selectRows(db).where('f.id', '=', id).executeTakeFirstOrThrow()
}

export async function deleteFeed(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('calendar_feeds as f')
    .where('f.account_id', '=', accountId)
    .where('f.id', '=', id)
    .where(isManaged)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

const Feed = z.object({
  account_id: z.string(),
  user_id: z.string(),
  schedule_id: z.string().nullable(),
  is_masked: notNull<boolean>(),
  now: z.string(),
})
export type Feed = z.output<typeof Feed>

/** Select the feed of an address, if its user can still work, and note that it was read. */
export const readFeed = writeStatement(
  Feed,
  (tokenHash: string) => sql`
    with feed as (
      select f.account_id, f.id, f.user_id, f.schedule_id, f.last_read_at, app.masks_exports(f.account_id) as is_masked
        from calendar_feeds f
        join users u on u.account_id = f.account_id and u.id = f.user_id and app.can_work(u)
        join accounts a on a.id = f.account_id and a.erasing_at is null
       where f.token_hash = ${bytea(tokenHash)}
    ), noted as (
      update calendar_feeds f set last_read_at = app.now() from feed r
       where f.account_id = r.account_id and f.id = r.id
         and (r.last_read_at is null or r.last_read_at < app.now() - interval '1 hour')
    )
    select account_id, user_id, schedule_id, is_masked, app.now() as now from feed`,
)
