import type { AttemptKind } from '#db/work-kinds.ts'
import type { JobContext } from '#http/job.ts'
import type { Work } from '#work/define-work.ts'

/** The service that does each kind of stored work. It is loaded on first use. */
export const loadWork: Record<AttemptKind, () => Promise<{ work: Work<JobContext> }>> = {
  delivery: () => import('#functions/notifications/deliveries/service.ts'),
  push: () => import('#functions/psa/push-attempts/service.ts'),
  ai_task: () => import('#functions/ai/tasks/service.ts'),
  webhook: () => import('#functions/webhooks/attempts/service.ts'),
  reminder: () => import('#functions/oncall/reminders/service.ts'),
  assessment: () => import('#functions/ai/assessments/service.ts'),
  export: () => import('#functions/accounts/export-slices/service.ts'),
  import: () => import('#functions/accounts/import-slices/service.ts'),
  kb_batch: () => import('#functions/authoring/kb-batch-slices/service.ts'),
  ticket_change: () => import('#functions/psa/changes/service.ts'),
  alert: () => import('#functions/alerts/cases/service.ts'),
  runner_run: () => import('#functions/runner/run-attempts/service.ts'),
}
