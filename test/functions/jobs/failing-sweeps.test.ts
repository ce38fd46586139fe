import { expect, it, onTestFinished } from 'vitest'
import type { Database } from '#db/database.ts'
import { openPlatformDb } from '#db/scope.ts'
import { deleteExpiredRows, sweep } from '#functions/jobs/service.ts'
import { recordWith } from '#metrics.ts'
import { createMetricsRegistry } from '#platform/node/metrics-registry.ts'
import { parseMetrics, sumSamples } from '#test/support/metrics.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'

/**
 * Create a database whose first call fails a few event-loop turns after the others, so that failures overtake
 * each other.
 */
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
  const ctx = { platform, log, embeddings: { isConfigured: true, model: 'm' } } as unknown as Parameters<
    typeof sweep
  >[0]

  const registry = createMetricsRegistry()
  await expect(recordWith(registry, () => sweep(ctx))).rejects.toThrow()
  expect(
    sumSamples(parseMetrics(registry.write([])), 'support_flow_sweeps_total', { outcome: 'failed' }),
  ).toBe(24)
  expect(failed.toSorted()).toEqual([
    'aiTasks',
    'alerts',
    'approvals',
    'assessments',
    'case_returns',
    'deliveries',
    'digests',
    'embeddings',
    'exports',
    'flow_reviews',
    'handovers',
    'imports',
    'kbBatches',
    'live_events',
    'on_call_shifts',
    'presence',
    'pushes',
    'reminders',
    'runnerRuns',
    'session_timers',
    'substitute_requests',
    'ticketChanges',
    'webhooks',
    'weekly_reports',
  ])
  expect(unhandled).toEqual([])
})

it.each([
  [0, 'unfinished'],
  [1, 'emptied'],
])('OBS-17 a deletion with a time of %i ms counts as %s', async (budgetMs, outcome) => {
  const { db } = createStubDatabase(() => [{ deleted: 0, has_more: false }])
  const registry = createMetricsRegistry()
  const ctx = { platform: db, log: () => {} } as unknown as Parameters<typeof deleteExpiredRows>[0]
  await recordWith(registry, () => deleteExpiredRows(ctx, { budgetMs, now: () => 0 }).catch(() => {}))
  const read = (labels: Record<string, string>) =>
    sumSamples(parseMetrics(registry.write([])), 'support_flow_sweeps_total', labels)
  expect([read({ sweep: 'delete_events' }), read({ sweep: 'delete_events', outcome })]).toEqual([1, 1])
})
