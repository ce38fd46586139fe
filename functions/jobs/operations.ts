import { deliverPath } from '../../lib/events/outbox.ts'
import { job } from '../../lib/http/job.ts'
import { pushPath } from '../../lib/psa/pushes.ts'
import * as assessments from '../assessments/service.ts'
import * as runs from '../maintenance-runs/service.ts'
import * as pushes from '../psa-pushes/service.ts'
import { AssessJob, DeliverJob, PushJob, Reminder } from './schemas.ts'
import * as jobs from './service.ts'

export const jobOperations = [
  job({
    id: 'jobs.deliver',
    path: deliverPath,
    body: DeliverJob,
    handle: ({ ctx, body }) => jobs.deliver(ctx, body),
  }),
  job({
    id: 'jobs.push',
    path: pushPath,
    body: PushJob,
    handle: ({ ctx, body }) => pushes.attempt(ctx, body.push_id, body.attempt),
  }),
  job({
    id: 'jobs.assess',
    path: assessments.assessPath,
    body: AssessJob,
    handle: ({ ctx, body }) => assessments.attempt(ctx, body.handoff_id, body.attempt),
  }),
  job({
    id: 'jobs.sweep',
    path: '/jobs/notifications/sweep',
    body: Reminder,
    handle: ({ ctx }) => jobs.sweep(ctx),
  }),
  job({
    id: 'jobs.runSchedules',
    path: '/jobs/maintenance/tick',
    body: Reminder,
    handle: ({ ctx }) => runs.tick(ctx),
  }),
]
