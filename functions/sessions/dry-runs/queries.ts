import { sql } from 'kysely'
import * as z from 'zod'
import { selectIds } from '#db/expressions.ts'
import { readStatement } from '#db/statement.ts'
import { scriptRisks } from '#rules/scripts/schema.ts'

/** Select a script template that the caller sees. */
export const selectScript = readStatement(
  z.object({ name: z.string(), risk: z.enum(scriptRisks) }),
  (id: string) => sql`select name, risk from script_templates where id = ${id}`,
)

/** Select those of these uploads that the account has. */
export const selectUploads = readStatement(
  z.object({ id: z.string() }),
  (ids: readonly string[]) => sql`
    select id from uploads where account_id = app.account_id() and id in (${selectIds(ids)})`,
)
