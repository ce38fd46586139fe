import { sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { readStatement, writeStatement } from '#db/statement.ts'

const StoredStatement = z.object({
  query_id: z.string(),
  text: z.string(),
  calls: z.number(),
  mean_ms: z.number(),
  total_ms: z.number(),
})

const ServerState = z.object({
  schedules_due: z.int(),
  oldest_due_seconds: z.number(),
  slow_statements: z.array(StoredStatement).nullable(),
  migration: z.string().nullable(),
  postgresql: z.string(),
})

export const selectServerState = readStatement(
  ServerState,
  () => sql`
  select count(*)::integer as schedules_due,
         coalesce(greatest(extract(epoch from app.now() - min(next_run_at)), 0), 0)::float8 as oldest_due_seconds,
         app.list_slow_statements() as slow_statements, app.applied_migration() as migration, current_setting('server_version') as postgresql
    from (select next_run_at from maintenance_schedules where is_active and next_run_at <= app.now() order by next_run_at limit 10000) s`,
)

const FailingWebhook = z.object({
  webhook_id: z.string(),
  account_id: z.string(),
  failures: z.int(),
  failing_since: z.string().nullable(),
  paused_until: z.string().nullable(),
  disabled_reason: z.enum(['gone', 'failing']).nullable(),
})

export const selectFailingWebhooks = readStatement(
  FailingWebhook,
  () => sql`
  select id as webhook_id, account_id, failures, app.iso(failing_since) as failing_since, app.iso(paused_until) as paused_until, disabled_reason
    from webhooks where failing_since is not null or disabled_reason is not null order by failing_since nulls last, id limit 50`,
)

export const replayOutbox = writeStatement(
  z.object({ rows: z.int() }),
  (outbox: string) => sql`select ${callFunction('app.replay_outbox', { p_outbox: outbox })} as rows`,
)
