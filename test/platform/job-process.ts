import { createJobs } from '#platform/node/jobs.ts'
import { openJobsPool } from '#platform/node/jobs-pool.ts'

// Runs in a process of its own, which the test kills: starts a job that never ends.
const [, , url = ''] = process.argv
const jobs = createJobs(openJobsPool(url), { log: () => {}, schedulesCron: false })
const run = () => {
  console.log('started')
  return new Promise<void>(() => {})
}
await jobs.start({ run, cron: async () => {}, sweep: async () => {} })
console.log('ready')
