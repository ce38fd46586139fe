import { deliverPath } from '../../lib/events/outbox.ts'
import { job } from '../../lib/http/job.ts'
import { DeliverJob, SweepJob } from './schemas.ts'
import * as jobs from './service.ts'

export const jobOperations = [
  job({
    id: 'jobs.deliver',
    path: deliverPath,
    body: DeliverJob,
    handle: ({ ctx, body }) => jobs.deliver(ctx, body),
  }),
  job({
    id: 'jobs.sweep',
    path: '/jobs/notifications/sweep',
    body: SweepJob,
    handle: ({ ctx }) => jobs.sweep(ctx),
  }),
]
