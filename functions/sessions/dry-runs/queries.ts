import { sql } from 'kysely'
import * as z from 'zod'
import { selectIds } from '#db/expressions.ts'
import type { ReadDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'

/** Select a script template that the caller sees. */
export function selectScript(db: ReadDb, id: string) {
  return db.selectFrom('script_templates').select(['name', 'risk']).where('id', '=', id).executeTakeFirst()
}

/** Select those of these uploads that the account has. */
export const selectUploads = readStatement(
  z.object({ id: z.string() }),
  (ids: readonly string[]) => sql`
    select id from uploads where account_id = app.account_id() and id in (${selectIds(ids)})`,
)
