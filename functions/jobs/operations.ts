import * as z from 'zod'
import { job } from '../../lib/http/job.ts'
import { attemptJobs } from '../../lib/outbox/messages.ts'
import { ExportJob } from '../accounts/export-slices/schemas.ts'
import { AssessJob } from '../ai/assessments/schemas.ts'
import { RunTaskJob } from '../ai/tasks/schemas.ts'
import { DeliverJob } from '../notifications/deliveries/schemas.ts'
import { RemindJob } from '../oncall/reminders/schemas.ts'
import { ReadTicketJob } from '../psa/changes/schemas.ts'
import { PushJob } from '../psa/push-attempts/schemas.ts'
import { DeliverWebhookJob } from '../webhooks/attempts/schemas.ts'

// Each job loads its service on first use.
const load = {
  exportSlices: () => import('../accounts/export-slices/service.ts'),
  aiAssessments: () => import('../ai/assessments/service.ts'),
  aiTasks: () => import('../ai/tasks/service.ts'),
  maintenanceRuns: () => import('../maintenance/runs/service.ts'),
  deliveries: () => import('../notifications/deliveries/service.ts'),
  reminders: () => import('../oncall/reminders/service.ts'),
  ticketChanges: () => import('../psa/changes/service.ts'),
  pushAttempts: () => import('../psa/push-attempts/service.ts'),
  webhookAttempts: () => import('../webhooks/attempts/service.ts'),
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
