import { sql } from 'kysely'
import * as z from 'zod'
import { accountId } from '#db/expressions.ts'
import type { WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'

/** How many cases are taken at once. */
export const casesAtOnce = 20

/** Take cases of all accounts that go back to the queue. One whose worker crashes is due again after a minute. */
export const takeDue = writeStatement(
  z.object({ id: z.string(), account_id: z.string(), user_id: z.string() }),
  () => sql`
    update ai_sessions s set returns_at = app.now() + interval '1 minute'
     where (s.account_id, s.id) in (
       select d.account_id, d.id from ai_sessions d join accounts a on a.id = d.account_id and a.erasing_at is null
        where d.returns_at <= app.now() order by d.returns_at limit ${casesAtOnce} for no key update of d skip locked)
    returning s.id, s.account_id, s.user_id`,
)

/** Leave a case to who has it by now. */
export async function cancelReturn(db: WriteDb, id: string): Promise<void> {
  await db
    .updateTable('ai_sessions')
    .set({ returns_at: null })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}
