import { join } from 'node:path'
import { startPostgres } from '../../lib/local/postgres.ts'
import { recordProcesses } from '../../lib/local/processes.ts'
import { startWorker } from '../../lib/local/worker.ts'

// Runs in a process of its own, which the test kills: starts PostgreSQL and workerd as `npm start` does.
const [, , folder = ''] = process.argv
await startPostgres(join(folder, 'data'), { durable: false })
await recordProcesses(join(folder, 'processes.json'))
await startWorker({ port: 0, settings: {}, onLog: () => {} })
await recordProcesses(join(folder, 'processes.json'))
console.log('started')
