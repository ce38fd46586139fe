import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { readStatement } from '#db/statement.ts'
import { type WorkKind, type WorkTable, workKinds } from '#db/work-kinds.ts'

/** The stored work of one outbox that is not done. */
export const Backlog = z.object({
  outbox: z
    .enum(Object.values(workKinds).map(({ outbox }) => outbox))
    .meta({ id: 'OutboxKind' })
    .describe('The kind of stored work.'),
  open: z.int().describe('Rows that wait for an attempt, at most 10,000.').meta({ example: 3 }),
  due: z.int().describe('Rows among them whose attempt is due.'),
  oldest_due_seconds: z
    .number()
    .describe('How long the oldest of them has been due; 0 without one.')
    .meta({ example: 12.5 }),
})
export type Backlog = z.output<typeof Backlog>

// Bounds the cost of the statement when an outbox is long. Its oldest rows are the first of the index.
const maxCounted = 10_000

/** Select what one outbox has. `rows` selects the times at which its rows are due, as `due_at`. */
const summarise = (outbox: string, rows: RawBuilder<unknown>) => sql`
  select ${sql.lit(outbox)} as outbox, count(*)::integer as open, (count(*) filter (where due_at <= app.now()))::integer as due,
         coalesce(greatest(extract(epoch from app.now() - min(due_at)), 0), 0)::float8 as oldest_due_seconds
    from (${rows} limit ${sql.lit(maxCounted)}) r`

const selectOpen = ({ name, initial }: WorkTable) => sql`
  select next_attempt_at as due_at from ${sql.table(name)} where state in (${sql.lit(initial)}, 'retrying') order by next_attempt_at`

/** The open rows of the kinds for which these are not the open rows of their table. */
const openRows: { readonly [kind in keyof typeof workKinds]?: RawBuilder<unknown> } = {
  assessment: sql`select created_at as due_at from ai_handoffs where assessment_status = 'pending' order by created_at`,
  live_event: sql`select created_at as due_at from stream_events order by created_at`,
  // What waits for a paused webhook is left out.
  webhook: sql`
    select d.next_attempt_at as due_at from webhooks w join webhook_deliveries d on d.account_id = w.account_id and d.webhook_id = w.id
     where w.is_active and (w.paused_until is null or w.paused_until <= app.now()) and d.state in ('pending', 'retrying')`,
}

/** Select the stored work that is not done, of all accounts. */
export const selectBacklogs = readStatement(Backlog, () => {
  const kinds = Object.entries(workKinds) as [keyof typeof workKinds, WorkKind][]
  const backlogs = kinds.flatMap(([kind, { outbox, table }]) => {
    const rows = openRows[kind] ?? (table && selectOpen(table))
    return rows ? summarise(outbox, rows) : []
  })
  return sql.join(backlogs, sql` union all `)
})
