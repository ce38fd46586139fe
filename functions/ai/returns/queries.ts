import { sql } from 'kysely'
import * as z from 'zod'
import { accountId } from '#db/expressions.ts'
import type { WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { lockInTurn } from '#work/lock-in-turn.ts'

/** How many cases are taken at once. */
export const casesAtOnce = 20

/** Take cases of all accounts that go back to the queue. One whose worker crashes is due again after a minute. */
export const takeDue = writeStatement(
  z.object({ id: z.string(), account_id: z.string(), user_id: z.string() }),
  () => {
    const isDue = sql`returns_at <= app.now() and account_id not in (select a.id from accounts a where a.erasing_at is not null)`
    return sql`
      with ${lockInTurn('ai_sessions', { isDue, orderBy: 'returns_at', limit: casesAtOnce })}
      update ai_sessions s set returns_at = app.now() + interval '1 minute' from due
       where s.account_id = due.account_id and s.id = due.id
      returning s.id, s.account_id, s.user_id`
  },
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
