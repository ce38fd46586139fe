import { sql } from 'kysely'
import * as z from 'zod'
import { readStatement } from '#db/statement.ts'

/** Select the address of the ticketing system in use. */
export const selectTicketSite = readStatement(
  z.object({ provider: z.string(), base_url: z.string() }),
  () => sql`select c.provider, c.base_url from psa_connections c where c.account_id = app.account_id() and c.is_active`,
)
