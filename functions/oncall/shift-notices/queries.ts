import { sql } from 'kysely'
import * as z from 'zod'
import { accountId, now } from '#db/expressions.ts'
import type { WriteDb } from '#db/scope.ts'
import { notNull, readStatement } from '#db/statement.ts'
import { schedulePath } from '#rules/events/shift-events.ts'

/** Select the accounts with schedules whose next shift is looked for, the one that has waited longest first. */
export const selectAccountsWithNotices = readStatement(
  z.object({ account_id: z.string() }),
  () => sql`
    select s.account_id from on_call_schedules s join accounts a on a.id = s.account_id and a.erasing_at is null
     where s.notice_at <= app.now() group by s.account_id order by min(s.notice_at), s.account_id limit 500`,
)

/** Lock the schedules of the account whose next shift is looked for. */
export function lockDueNotices(db: WriteDb) {
  return db
    .selectFrom('on_call_schedules')
    .select('id')
    .where('account_id', '=', accountId)
    .where('notice_at', '<=', now)
    .forNoKeyUpdate()
    .execute()
}

/** Set when the next shift of a schedule is looked for. */
export async function setNoticeAt(db: WriteDb, id: string, notice_at: string): Promise<void> {
  await db
    .updateTable('on_call_schedules')
    .set({ notice_at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Select whether a user was told within the notice of a shift that one of a schedule begins. */
export const selectIsTold = readStatement(
  z.object({ is_told: notNull<boolean>() }),
  (id: string, userId: string) => sql`
    select exists (select from notifications n
                    where n.account_id = app.account_id() and n.user_id = ${userId} and n.event_key = 'oncall.shift_starts'
                      and n.link = ${schedulePath(id)} and n.created_at > app.now() - interval '1 hour') as is_told`,
)

/** Select the names of users, who may have left the account. */
export const selectNames = readStatement(
  z.object({ id: z.string(), name: z.string() }),
  (ids: readonly string[]) => sql`
    select u.id, u.full_name as name from users u
     where u.account_id = app.account_id() and u.id = any (${`{${ids.join(',')}}`}::uuid[])`,
)
