import { expect, it, onTestFinished } from 'vitest'
import type { Database } from '#db/database.ts'
import { openPlatformDb } from '#db/scope.ts'
import { sweep } from '#functions/jobs/service.ts'

/** Create a database whose first call fails a few event-loop turns after the others, so that failures overtake each other. */
function createFailingDatabase(): Database {
  let calls = 0
  const fail = async () => {
    const turns = calls++ === 0 ? 10 : 1
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
    throw new Error('unreachable')
  }
  return { run: fail, begin: fail }
}

it('logs each kind whose sweep fails, throws the first failure, and leaves no rejection unhandled', async () => {
  const unhandled: unknown[] = []
  const record = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', record)
  onTestFinished(() => void process.off('unhandledRejection', record))

  const failed: unknown[] = []
  const log = (line: Record<string, unknown>) => failed.push(line.sweep_failed)
  const platform = openPlatformDb(createFailingDatabase(), 'test', () => {})
  const ctx = { platform, log } as unknown as Parameters<typeof sweep>[0]

  await expect(sweep(ctx)).rejects.toThrow()
  expect(failed.toSorted()).toEqual([
    'aiTasks',
    'approvals',
    'assessments',
    'deliveries',
    'digests',
    'exports',
    'imports',
    'kbBatches',
    'live_events',
    'presence',
    'pushes',
    'reminders',
    'session_timers',
    'ticketChanges',
    'webhooks',
    'weekly_reports',
  ])
  expect(unhandled).toEqual([])
})
