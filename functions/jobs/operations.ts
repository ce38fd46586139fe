import * as z from 'zod'
import { attemptKinds, workKinds } from '#db/work-kinds.ts'
import { loadWork } from '#functions/work.ts'
import { type Job, job } from '#http/job.ts'
import { messageBody } from '#work/messages.ts'

// Each job loads its service on first use.
const loadJobs = () => import('./service.ts')
const loadMaintenanceRuns = () => import('#functions/maintenance/runs/service.ts')

// These jobs take no input, so their body is ignored.
const IgnoredBody = z.unknown()

/** The jobs that make one attempt at stored work. */
const attemptJobs = attemptKinds.map((kind) => {
  const { id, path } = workKinds[kind].job
  return job({
    id,
    path,
    body: messageBody(kind),
    handle: async ({ ctx, body }) => (await loadWork[kind]()).work.attempt(ctx, body.id, body.attempt),
  })
})

/** The jobs that the queue calls with signed requests. */
export const jobOperations: readonly Job[] = [
  ...attemptJobs,
  job({
    id: 'jobs.sweep',
    path: '/jobs/notifications/sweep',
    body: IgnoredBody,
    handle: async ({ ctx }) => (await loadJobs()).sweep(ctx),
  }),
  job({
    id: 'jobs.runSchedules',
    path: '/jobs/maintenance/tick',
    body: IgnoredBody,
    handle: async ({ ctx }) => (await loadMaintenanceRuns()).runDueSchedules(ctx),
  }),
  job({
    id: 'jobs.cleanUp',
    path: '/jobs/cleanup',
    body: IgnoredBody,
    handle: async ({ ctx }) => (await loadJobs()).cleanUp(ctx),
  }),
]
