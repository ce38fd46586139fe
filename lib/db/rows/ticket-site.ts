import { accountId } from '#db/expressions.ts'
import type { ReadDb } from '#db/scope.ts'

/** Select the address of the ticketing system in use. */
export function selectTicketSite(db: ReadDb) {
  return db
    .selectFrom('psa_connections')
    .select(['provider', 'base_url'])
    .where('account_id', '=', accountId)
    .where('is_active', '=', true)
}
