import { sql } from 'kysely'
import { callFunction } from './call-function.ts'
import { inTransaction, type PlatformDb } from './scope.ts'
import { writeStatement } from './statement.ts'

/**
 * Open the scope of an account for the current transaction of the platform connection. Without an actor the
 * service itself acts.
 */
export const enterAccount = writeStatement(
  null,
  (accountId: string, actorId: string | null) =>
    sql`select from ${callFunction('app.enter_account', { p_account: accountId, p_actor: actorId })}`,
)

/**
 * Run work on the platform connection in one transaction, in the scope of an account: row level security applies
 * to it as to the user, or to the service itself if that is null.
 */
export function inAccount<T>(
  platform: PlatformDb,
  { accountId, userId }: { accountId: string; userId: string | null },
  work: (db: PlatformDb) => Promise<T>,
): Promise<T> {
  return inTransaction(platform, async (db) => {
    await enterAccount.run(db, accountId, userId)
    return work(db)
  })
}
