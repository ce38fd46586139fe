import type { AttemptKind, OutboxEntry } from '#db/outbox-entry.ts'
import type { Message } from '#vendors/queue/queue.ts'

/** The paths of the jobs that make the attempts, and the names of the ids in their bodies. */
export const attemptJobs = {
  delivery: { path: '/jobs/notifications/deliver', idField: 'delivery_id' },
  push: { path: '/jobs/psa/push', idField: 'push_id' },
  ai_task: { path: '/jobs/ai/task', idField: 'task_id' },
  assessment: { path: '/jobs/ai/assess', idField: 'handoff_id' },
  reminder: { path: '/jobs/escalations/remind', idField: 'reminder_id' },
  webhook: { path: '/jobs/webhooks/deliver', idField: 'delivery_id' },
  ticket_change: { path: '/jobs/psa/ticket', idField: 'change_id' },
  runner_run: { path: '/jobs/runner/run', idField: 'run_id' },
  export: { path: '/jobs/accounts/export', idField: 'export_id' },
  import: { path: '/jobs/accounts/import', idField: 'import_id' },
  kb_batch: { path: '/jobs/kb-imports/batch', idField: 'batch_id' },
} as const satisfies Record<AttemptKind, { path: Message['path']; idField: string }>

/**
 * Return the queue message of one attempt. The queue drops a copy by its id; the worker drops any other copy
 * by the row's state. A postponed attempt has no id, because the queue still remembers that of its first
 * message.
 */
export function toMessage({
  kind,
  id,
  attempt,
  delaySeconds = 0,
  isPostponed,
}: Extract<OutboxEntry, { kind: AttemptKind }>): Message {
  const { path, idField } = attemptJobs[kind]
  return {
    path,
    body: { [idField]: id, attempt },
    delaySeconds,
    ...(isPostponed ? {} : { deduplicationId: `${id}-${attempt}` }),
  }
}
