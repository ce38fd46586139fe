import { sql } from 'kysely'
import { accountId } from '#db/expressions.ts'
import type { ReadDb } from '#db/scope.ts'

/** Return the provider's ids of the notes that this service has added to a ticket. */
export async function selectAddedNotes(db: ReadDb, ticketId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('psa_pushes')
    .select('provider_note_id')
    .where('account_id', '=', accountId)
    .where('ticket_id', '=', ticketId)
    .where('kind', '!=', sql.lit('ticket'))
    .where('provider_note_id', 'is not', null)
    .execute()
  return rows.flatMap(({ provider_note_id }) => provider_note_id ?? [])
}
