import { sql } from 'kysely'
import { accountId, bytea, now } from '../../../lib/db/expressions.ts'
import type { PlatformDb, ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { writeStatement } from '../../../lib/db/statement.ts'

export function selectSignIns(db: ReadDb, userId: string, currentId: string) {
  return db
    .selectFrom('sign_ins')
    .select(['id', 'user_agent', 'ip', 'created_at', 'last_used_at', sql<boolean>`id = ${currentId}`.as('current')])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
}

export async function revokeSignIn(db: WriteDb, userId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sign_ins')
    .set({ ended_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Revoke every sign-in and every device token of a user. */
export const revokeAll = writeStatement(
  null,
  (userId: string) => sql`
    with ended_device_tokens as (
      update passwords set device_generation = device_generation + 1 where user_id = ${userId}
    )
    update sign_ins s set ended_at = app.now() from users u
     where u.id = ${userId} and s.account_id = u.account_id and s.user_id = u.id and s.ended_at is null`,
)

/**
 * Revoke the sign-in of a refresh token that was used more than 5 seconds ago. Return whether the token was used that long ago, even if the
 * sign-in had already ended.
 */
export const revokeByReusedToken = writeStatement(
  null,
  (hash: string) => sql`
    with reused_token as (
      select sign_in_id from refresh_tokens where hash = ${hash}::bytea and used_at < app.now() - interval '5 seconds'
    ), ended_sign_in as (
      update sign_ins s set ended_at = app.now() from reused_token reused where s.id = reused.sign_in_id and s.ended_at is null
    )
    select from reused_token`,
)

/** Revoke the sign-in of a refresh token, used or not. */
export async function revokeByToken(db: PlatformDb, hash: string): Promise<void> {
  await db
    .updateTable('sign_ins as s')
    .from('refresh_tokens as r')
    .set({ ended_at: now })
    .where('r.hash', '=', bytea(hash))
    .whereRef('s.id', '=', 'r.sign_in_id')
    .where('s.ended_at', 'is', null)
    .execute()
}
