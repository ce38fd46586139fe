import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { readStatement } from '#db/statement.ts'

/** The stored work of one outbox that is not done. */
export const Backlog = z.object({
  outbox: z
    .enum([
      'deliveries',
      'pushes',
      'ai_tasks',
      'webhooks',
      'reminders',
      'assessments',
      'live_events',
      'exports',
      'imports',
      'kb_batches',
      'ticket_changes',
      'runner_runs',
    ])
    .meta({ id: 'OutboxKind' })
    .describe('The kind of stored work.'),
  open: z.int().describe('Rows that wait for an attempt, at most 10,000.'),
  due: z.int().describe('Rows among them whose attempt is due.'),
  oldest_due_seconds: z.number().describe('How long the oldest of them has been due; 0 without one.'),
})
export type Backlog = z.output<typeof Backlog>

// Bounds the cost of the statement when an outbox is long. Its oldest rows are the first of the index.
const maxCounted = 10_000

/** Select what one outbox has. `rows` selects the times at which its rows are due, as `due_at`. */
const summarise = (outbox: Backlog['outbox'], rows: RawBuilder<unknown>) => sql`
  select ${sql.lit(outbox)} as outbox, count(*)::integer as open, (count(*) filter (where due_at <= app.now()))::integer as due,
         coalesce(greatest(extract(epoch from app.now() - min(due_at)), 0), 0)::float8 as oldest_due_seconds
    from (${rows} limit ${sql.lit(maxCounted)}) r`

const attemptRows = (table: string, initial: string) => sql`
  select next_attempt_at as due_at from ${sql.table(table)} where state in (${sql.lit(initial)}, 'retrying') order by next_attempt_at`

/** Select the stored work that is not done, of all accounts. What waits for a paused webhook is left out. */
export const selectBacklogs = readStatement(
  Backlog,
  () => sql`
    ${summarise('deliveries', attemptRows('deliveries', 'pending'))}
    union all ${summarise('pushes', attemptRows('psa_pushes', 'queued'))}
    union all ${summarise('ticket_changes', attemptRows('psa_ticket_changes', 'queued'))}
    union all ${summarise('runner_runs', attemptRows('runner_runs', 'queued'))}
    union all ${summarise('ai_tasks', attemptRows('ai_tasks', 'queued'))}
    union all ${summarise(
      'webhooks',
      sql`select d.next_attempt_at as due_at from webhooks w join webhook_deliveries d on d.account_id = w.account_id and d.webhook_id = w.id
           where w.is_active and (w.paused_until is null or w.paused_until <= app.now()) and d.state in ('pending', 'retrying')`,
    )}
    union all ${summarise('exports', attemptRows('account_exports', 'queued'))}
    union all ${summarise('imports', attemptRows('account_imports', 'queued'))}
    union all ${summarise('kb_batches', attemptRows('kb_batches', 'queued'))}
    union all ${summarise('reminders', attemptRows('escalation_reminders', 'waiting'))}
    union all ${summarise('assessments', sql`select created_at as due_at from ai_handoffs where assessment_status = 'pending' order by created_at`)}
    union all ${summarise('live_events', sql`select created_at as due_at from stream_events order by created_at`)}`,
)
