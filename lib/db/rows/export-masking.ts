import { sql } from 'kysely'
import * as z from 'zod'
import { readStatement } from '#db/statement.ts'

/** Select whether the account masks its exports and the notes on tickets: the preference `mask_exports`. */
export const selectExportMasking = readStatement(
  z.object({ is_masked: z.boolean() }),
  () =>
    sql`select coalesce(preferences -> 'mask_exports' = 'true', false) as is_masked from accounts where id = app.account_id()`,
)
