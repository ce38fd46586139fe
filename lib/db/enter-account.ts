import { sql } from 'kysely'
import { callFunction } from './call-function.ts'
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
