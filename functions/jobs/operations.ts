import * as z from 'zod'
import { ExportJob } from '#functions/accounts/export-slices/schemas.ts'
import { ImportJob } from '#functions/accounts/import-slices/schemas.ts'
import { AssessJob } from '#functions/ai/assessments/schemas.ts'
import { RunTaskJob } from '#functions/ai/tasks/schemas.ts'
import { KbBatchJob } from '#functions/authoring/kb-batch-slices/schemas.ts'
import { DeliverJob } from '#functions/notifications/deliveries/schemas.ts'
import { RemindJob } from '#functions/oncall/reminders/schemas.ts'
import { ReadTicketJob } from '#functions/psa/changes/schemas.ts'
import { PushJob } from '#functions/psa/push-attempts/schemas.ts'
import { RunnerRunJob } from '#functions/runner/run-attempts/schemas.ts'
import { DeliverWebhookJob } from '#functions/webhooks/attempts/schemas.ts'
import { job } from '#http/job.ts'
import { attemptJobs } from '#work/messages.ts'

// Each job loads its service on first use.
const load = {
  exportSlices: () => import('#functions/accounts/export-slices/service.ts'),
  importSlices: () => import('#functions/accounts/import-slices/service.ts'),
  kbBatchSlices: () => import('#functions/authoring/kb-batch-slices/service.ts'),
  aiAssessments: () => import('#functions/ai/assessments/service.ts'),
  aiTasks: () => import('#functions/ai/tasks/service.ts'),
  maintenanceRuns: () => import('#functions/maintenance/runs/service.ts'),
  deliveries: () => import('#functions/notifications/deliveries/service.ts'),
  reminders: () => import('#functions/oncall/reminders/service.ts'),
  ticketChanges: () => import('#functions/psa/changes/service.ts'),
  pushAttempts: () => import('#functions/psa/push-attempts/service.ts'),
  runAttempts: () => import('#functions/runner/run-attempts/service.ts'),
  webhookAttempts: () => import('#functions/webhooks/attempts/service.ts'),
  jobs: () => import('./service.ts'),
}

// These jobs take no input, so their body is ignored.
const IgnoredBody = z.unknown()

/** The jobs that the queue calls with signed requests. */
export const jobOperations = [
  job({
    id: 'jobs.deliver',
    path: attemptJobs.delivery.path,
    body: DeliverJob,
    handle: async ({ ctx, body }) => (await load.deliveries()).deliver(ctx, body),
  }),
  job({
    id: 'jobs.push',
    path: attemptJobs.push.path,
    body: PushJob,
    handle: async ({ ctx, body }) => (await load.pushAttempts()).attempt(ctx, body.push_id, body.attempt),
  }),
  job({
    id: 'jobs.readTicket',
    path: attemptJobs.ticket_change.path,
    body: ReadTicketJob,
    handle: async ({ ctx, body }) => (await load.ticketChanges()).attempt(ctx, body.change_id, body.attempt),
  }),
  job({
    id: 'jobs.runScript',
    path: attemptJobs.runner_run.path,
    body: RunnerRunJob,
    handle: async ({ ctx, body }) => (await load.runAttempts()).attempt(ctx, body.run_id, body.attempt),
  }),
  job({
    id: 'jobs.assess',
    path: attemptJobs.assessment.path,
    body: AssessJob,
    handle: async ({ ctx, body }) => (await load.aiAssessments()).attempt(ctx, body.handoff_id, body.attempt),
  }),
  job({
    id: 'jobs.runAiTask',
    path: attemptJobs.ai_task.path,
    body: RunTaskJob,
    handle: async ({ ctx, body }) => (await load.aiTasks()).attempt(ctx, body.task_id, body.attempt),
  }),
  job({
    id: 'jobs.deliverWebhook',
    path: attemptJobs.webhook.path,
    body: DeliverWebhookJob,
    handle: async ({ ctx, body }) => (await load.webhookAttempts()).deliver(ctx, body),
  }),
  job({
    id: 'jobs.export',
    path: attemptJobs.export.path,
    body: ExportJob,
    handle: async ({ ctx, body }) => (await load.exportSlices()).attempt(ctx, body.export_id, body.attempt),
  }),
  job({
    id: 'jobs.import',
    path: attemptJobs.import.path,
    body: ImportJob,
    handle: async ({ ctx, body }) => (await load.importSlices()).attempt(ctx, body.import_id, body.attempt),
  }),
  job({
    id: 'jobs.importArticles',
    path: attemptJobs.kb_batch.path,
    body: KbBatchJob,
    handle: async ({ ctx, body }) => (await load.kbBatchSlices()).attempt(ctx, body.batch_id, body.attempt),
  }),
  job({
    id: 'jobs.remind',
    path: attemptJobs.reminder.path,
    body: RemindJob,
    handle: async ({ ctx, body }) => (await load.reminders()).attempt(ctx, body.reminder_id, body.attempt),
  }),
  job({
    id: 'jobs.sweep',
    path: '/jobs/notifications/sweep',
    body: IgnoredBody,
    handle: async ({ ctx }) => (await load.jobs()).sweep(ctx),
  }),
  job({
    id: 'jobs.runSchedules',
    path: '/jobs/maintenance/tick',
    body: IgnoredBody,
    handle: async ({ ctx }) => (await load.maintenanceRuns()).runDueSchedules(ctx),
  }),
  job({
    id: 'jobs.cleanUp',
    path: '/jobs/cleanup',
    body: IgnoredBody,
    handle: async ({ ctx }) => (await load.jobs()).cleanUp(ctx),
  }),
]
