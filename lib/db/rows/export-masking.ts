import { sql } from 'kysely'
import * as z from 'zod'
import { readStatement } from '#db/statement.ts'

/** Select whether the account masks its exports and the notes on tickets: the preference `mask_exports`. */
export const selectExportMasking = readStatement(
  z.object({ is_masked: z.boolean() }),
  () => sql`select app.masks_exports() as is_masked`,
)
