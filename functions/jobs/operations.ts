import * as z from 'zod'
import { job } from '../../lib/http/job.ts'
import { attemptJobs } from '../../lib/outbox/messages.ts'
import { ExportJob } from '../accounts/export-slices/schemas.ts'
import * as exportSlices from '../accounts/export-slices/service.ts'
import { AssessJob } from '../ai/assessments/schemas.ts'
import * as aiAssessments from '../ai/assessments/service.ts'
import { RunTaskJob } from '../ai/tasks/schemas.ts'
import * as aiTasks from '../ai/tasks/service.ts'
import * as maintenanceRuns from '../maintenance/runs/service.ts'
import { DeliverJob } from '../notifications/deliveries/schemas.ts'
import * as deliveries from '../notifications/deliveries/service.ts'
import { RemindJob } from '../oncall/reminders/schemas.ts'
import * as reminders from '../oncall/reminders/service.ts'
import { ReadTicketJob } from '../psa/changes/schemas.ts'
import * as ticketChanges from '../psa/changes/service.ts'
import { PushJob } from '../psa/push-attempts/schemas.ts'
import * as pushAttempts from '../psa/push-attempts/service.ts'
import { DeliverWebhookJob } from '../webhooks/attempts/schemas.ts'
import * as webhookAttempts from '../webhooks/attempts/service.ts'
import * as jobs from './service.ts'

// These jobs take no input, so their body is ignored.
const IgnoredBody = z.unknown()

/** The jobs that the queue calls with signed requests. */
export const jobOperations = [
  job({
    id: 'jobs.deliver',
    path: attemptJobs.delivery.path,
    body: DeliverJob,
    handle: ({ ctx, body }) => deliveries.deliver(ctx, body),
  }),
  job({
    id: 'jobs.push',
    path: attemptJobs.push.path,
    body: PushJob,
    handle: ({ ctx, body }) => pushAttempts.attempt(ctx, body.push_id, body.attempt),
  }),
  job({
    id: 'jobs.readTicket',
    path: attemptJobs.ticket_change.path,
    body: ReadTicketJob,
    handle: ({ ctx, body }) => ticketChanges.attempt(ctx, body.change_id, body.attempt),
  }),
  job({
    id: 'jobs.assess',
    path: attemptJobs.assessment.path,
    body: AssessJob,
    handle: ({ ctx, body }) => aiAssessments.attempt(ctx, body.handoff_id, body.attempt),
  }),
  job({
    id: 'jobs.runAiTask',
    path: attemptJobs.ai_task.path,
    body: RunTaskJob,
    handle: ({ ctx, body }) => aiTasks.attempt(ctx, body.task_id, body.attempt),
  }),
  job({
    id: 'jobs.deliverWebhook',
    path: attemptJobs.webhook.path,
    body: DeliverWebhookJob,
    handle: ({ ctx, body }) => webhookAttempts.deliver(ctx, body),
  }),
  job({
    id: 'jobs.export',
    path: attemptJobs.export.path,
    body: ExportJob,
    handle: ({ ctx, body }) => exportSlices.attempt(ctx, body.export_id, body.attempt),
  }),
  job({
    id: 'jobs.remind',
    path: attemptJobs.reminder.path,
    body: RemindJob,
    handle: ({ ctx, body }) => reminders.attempt(ctx, body.reminder_id, body.attempt),
  }),
  job({
    id: 'jobs.sweep',
    path: '/jobs/notifications/sweep',
    body: IgnoredBody,
    handle: ({ ctx }) => jobs.sweep(ctx),
  }),
  job({
    id: 'jobs.runSchedules',
    path: '/jobs/maintenance/tick',
    body: IgnoredBody,
    handle: ({ ctx }) => maintenanceRuns.runDueSchedules(ctx),
  }),
  job({
    id: 'jobs.cleanUp',
    path: '/jobs/cleanup',
    body: IgnoredBody,
    handle: ({ ctx }) => jobs.cleanUp(ctx),
  }),
]
