import { sql } from 'kysely'
import type { PlatformDb, ReadDb, WriteDb } from '../../../lib/db/scope.ts'

export async function selectSignIns(db: ReadDb, userId: string, currentId: string) {
  const { rows } = await sql<SignInRow>`
    select id, user_agent, ip, created_at, last_used_at, id = ${currentId} as current from sign_ins
     where user_id = ${userId} and ended_at is null and expires_at > app.now() order by last_used_at desc, id desc limit 100`.execute(
    db as WriteDb,
  )
  return rows
}

interface SignInRow {
  id: string
  user_agent: string
  ip: string
  created_at: string
  last_used_at: string
  current: boolean
}

export async function revokeSignIn(db: WriteDb, userId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    update sign_ins set ended_at = app.now() where id = ${id} and user_id = ${userId} and ended_at is null returning id`.execute(db)
  return rows.length > 0
}

/**
 * Revoke the sign-in of a refresh token that was used more than 5 seconds ago. Return whether the token was used that long ago, even if the
 * sign-in had already ended.
 */
export async function revokeByReusedToken(db: PlatformDb, hash: string): Promise<boolean> {
  const { rows } = await sql`
    with reused_token as (
      select sign_in_id from refresh_tokens where hash = ${hash}::bytea and used_at < app.now() - interval '5 seconds'
    ), ended_sign_in as (
      update sign_ins s set ended_at = app.now() from reused_token reused where s.id = reused.sign_in_id and s.ended_at is null
    )
    select from reused_token`.execute(db)
  return rows.length > 0
}

/** Revoke the sign-in of a refresh token, used or not. */
export async function revokeByToken(db: PlatformDb, hash: string): Promise<void> {
  await sql`
    update sign_ins s set ended_at = app.now() from refresh_tokens r
     where r.hash = ${hash}::bytea and s.id = r.sign_in_id and s.ended_at is null`.execute(db)
}
