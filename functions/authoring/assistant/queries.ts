import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { AiQuota } from './schemas.ts'

/** Select the quota, and the seconds until it resets. */
export const selectQuota = readStatement(
  AiQuota.extend({ seconds: z.int() }),
  () => sql`
    select app.ai_builds_used(a) as used, app.ai_builds_limit(a) as "limit", m.resets_at,
           ceil(extract(epoch from m.resets_at - app.now()))::integer as seconds
      from accounts a cross join lateral (select app.quota_period(a, 1) as resets_at) m where a.id = app.account_id()`,
)

/** Count one build, unless none is left. */
export const countBuild = writeStatement(
  z.object({ is_counted: z.boolean() }),
  () => sql`select ${callFunction('app.count_ai_build', {})} as is_counted`,
)
