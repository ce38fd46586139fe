import { join } from 'node:path'
import { startPostgres } from '#local/postgres.ts'
import { recordProcesses } from '#local/processes.ts'
import { startWorker } from '#local/worker.ts'

// Runs in a process of its own, which the test kills: starts PostgreSQL and workerd as `npm start` does.
const [, , folder = ''] = process.argv
await startPostgres(join(folder, 'data'), { durable: false })
await recordProcesses(join(folder, 'processes.json'))
await startWorker({ port: 0, settings: {}, onLog: () => {} })
await recordProcesses(join(folder, 'processes.json'))
console.log('started')
