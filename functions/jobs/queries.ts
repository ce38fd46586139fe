import { sql } from 'kysely'
import type { PlatformDb } from '../../lib/db/scope.ts'

/** Delete expired rows. Some stay for up to 30 days after they expire, so that support can look at them. */
export async function deleteExpiredRows(db: PlatformDb): Promise<void> {
  await sql`delete from idempotency_keys where created_at < app.now() - interval '24 hours'`.execute(db)
  await sql`delete from sign_ins where expires_at < app.now() - interval '30 days'`.execute(db)
  await sql`delete from oauth_states where expires_at < app.now() - interval '1 day'`.execute(db)
  await sql`delete from flow_conversations where expires_at <= app.now()`.execute(db)
  await sql`delete from one_time_tokens where expires_at < app.now() - interval '30 days'`.execute(db)
}
