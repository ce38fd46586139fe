import { describeStatements } from '#db/describe-statement.ts'
import type { OperationsStatus } from '#functions/staff/status.ts'
import type { Context } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { selectBacklogs } from '#work/backlog.ts'
import * as queries from './queries.ts'
import type { OutboxReplay, OutboxReplayResult } from './schemas.ts'

type StaffContext = Context<'post', 'super_admin', string>

/**
 * Read the state of the service. The database is asked first, so that the dependencies are only checked for a
 * super admin.
 */
export async function get({ platform, config, checkDependencies }: StaffContext): Promise<OperationsStatus> {
  const [backlogs, [state], webhooks] = await platform.batch([
    selectBacklogs.query(),
    queries.selectServerState.query(),
    queries.selectFailingWebhooks.query(),
  ])
  if (!state || !checkDependencies) throw new Problem('internal')
  const { checks, warnings } = await checkDependencies()
  return {
    dependencies: checks,
    warnings,
    backlogs,
    schedules: { due: state.schedules_due, oldest_due_seconds: state.oldest_due_seconds },
    failing_webhooks: webhooks,
    slow_statements:
      state.slow_statements?.map(({ text, ...measured }) => ({
        ...measured,
        name: describeStatements([{ sql: text }]),
      })) ?? null,
    versions: { service: config.VERSION, migration: state.migration ?? 'none', postgresql: state.postgresql },
  }
}

/**
 * Make the open rows of an outbox due, and sweep them once this is committed. The cron trigger does so too if
 * the queue does not answer.
 */
export async function replay(
  { platform, queue, afterCommit }: StaffContext,
  { outbox }: OutboxReplay,
): Promise<OutboxReplayResult> {
  const result = await queries.replayOutbox.one(platform, outbox)
  afterCommit(() => queue.publish([{ path: '/jobs/notifications/sweep', body: {} }]))
  return result
}
