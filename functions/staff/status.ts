import * as z from 'zod'
import { Id, Time } from '#http/fields.ts'
import { dependencyStates } from '#vendors/ports.ts'
import { Backlog } from '#work/backlog.ts'

/** The outboxes whose rows wait for a time that a replay brings forward. */
export const WebhookDisabledReason = z.enum(['gone', 'failing']).meta({ id: 'WebhookDisabledReason' })
export const ReplayedOutbox = z
  .enum(['deliveries', 'pushes', 'ai_tasks', 'webhooks'])
  .meta({ id: 'ReplayedOutbox' })
  .describe('The kind of stored work.')
export type ReplayedOutbox = z.output<typeof ReplayedOutbox>

const SlowStatement = z.strictObject({
  query_id: z
    .string()
    .describe('Its `queryid` in pg_stat_statements.')
    .meta({ example: '-1838593926345013211' }),
  name: z.string().describe('Its verb and table.').meta({ example: 'select trees' }),
  calls: z.number().describe('How often it ran.'),
  mean_ms: z.number().describe('Mean time in milliseconds.'),
  total_ms: z.number().describe('Total time in milliseconds.'),
})

const FailingWebhook = z.strictObject({
  webhook_id: Id.describe('The webhook.'),
  account_id: Id.describe('The account that owns it.'),
  failures: z.int().describe('Failed attempts since the last success.'),
  failing_since: Time.nullable().describe('The first of these failures.'),
  paused_until: Time.nullable().describe('No attempt starts before this time.'),
  disabled_reason: WebhookDisabledReason.nullable().describe('Why the service switched it off.'),
})

/** What the operations page shows. Nothing in it is personal or secret. */
export const OperationsStatus = z
  .strictObject({
    dependencies: z
      .record(z.string(), z.enum(dependencyStates).meta({ id: 'DependencyState' }))
      .describe('As in `GET /ready`. `in_process`: this process replaces it by its own memory.')
      .meta({ example: { database: 'ok', redis: 'ok' } }),
    warnings: z.array(z.string()).describe('Problems that will occur soon.'),
    backlogs: z.array(Backlog.strict()).describe('Stored work that is not done, by kind.'),
    schedules: z
      .strictObject({
        due: z.int().describe('Schedules whose time has come, at most 10,000.').meta({ example: 0 }),
        oldest_due_seconds: z
          .number()
          .describe('How long the oldest of them has been due.')
          .meta({ example: 0 }),
      })
      .describe('Maintenance schedules.'),
    failing_webhooks: z.array(FailingWebhook).describe('At most 50, the longest failing first.'),
    slow_statements: z
      .array(SlowStatement)
      .nullable()
      .describe(
        'The ten statements that took the most time. Null without the extension pg_stat_statements, or the right to read it.',
      ),
    versions: z
      .strictObject({
        service: z.string().describe('As in `GET /health`.').meta({ example: '1.0.0' }),
        migration: z.string().describe('The newest applied migration.').meta({ example: '0035_queue.sql' }),
        postgresql: z.string().describe('The version of the database server.').meta({ example: '18.4' }),
      })
      .describe('What runs.'),
  })
  .meta({ id: 'OperationsStatus' })
export type OperationsStatus = z.output<typeof OperationsStatus>
