import { sql } from 'kysely'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { AiQuota } from './schemas.ts'

/** Select the quota, and the seconds until it resets. */
export async function selectQuota(db: ReadDb): Promise<AiQuota & { seconds: number }> {
  const { rows } = await sql<AiQuota & { seconds: number }>`
    select app.ai_builds_used(a) as used, app.ai_builds_limit(a) as "limit", m.resets_at,
           ceil(extract(epoch from m.resets_at - app.now()))::integer as seconds
      from accounts a cross join lateral (select app.quota_period(a, 1) as resets_at) m where a.id = app.account_id()`.execute(
    db as WriteDb,
  )
  return rows[0] as AiQuota & { seconds: number }
}

/** Count one build. Return false and count nothing when none is left. */
export async function countBuild(db: WriteDb): Promise<boolean> {
  const { rows } = await sql<{ counted: boolean }>`select app.count_ai_build() as counted`.execute(db)
  return rows[0]?.counted ?? false
}
