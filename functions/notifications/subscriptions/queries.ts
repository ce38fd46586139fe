import { sql } from 'kysely'
import { bytea } from '#db/expressions.ts'
import type { PlatformDb } from '#db/scope.ts'

/** Store that an address gets no e-mails. `addressHash` is in hex. */
export async function insertSuppression(db: PlatformDb, addressHash: string): Promise<void> {
  await db
    .insertInto('mail_suppressions')
    .values({ address_hash: bytea(`\\x${addressHash}`) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteSuppression(db: PlatformDb, addressHash: string): Promise<void> {
  await db
    .deleteFrom('mail_suppressions')
    .where('address_hash', '=', sql<Buffer>`${`\\x${addressHash}`}::bytea`)
    .execute()
}
