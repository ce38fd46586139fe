import { describe, expect, it } from 'vitest'
import { record, recordWith } from '#metrics.ts'
import { recordSpans, runInSpan, runInTrace, type Span, type Tracer } from '#trace.ts'
import { recordAttempt, secondsUntilRetry } from '#work/attempts.ts'

describe('the time until the next attempt', () => {
  const failed = { ok: false, status: 500, error: 'x' } as const
  it.each([
    [1, failed, 30],
    [2, failed, 120],
    [3, failed, 600],
    [4, failed, 600],
    [5, failed, null],
    [1, { ...failed, gone: true }, null],
    [1, { ok: true, status: 200 } as const, null],
    [1, { ...failed, retryAfterSeconds: 29 }, 30],
    [1, { ...failed, retryAfterSeconds: 31 }, 31],
  ])('after attempt %i of 5 with %j is %j', (attempts, result, seconds) => {
    expect(secondsUntilRetry({ id: 'a', attempts, max_attempts: 5 }, result)).toBe(seconds)
  })
  it('is 0 without delays', () =>
    expect(secondsUntilRetry({ id: 'a', attempts: 1, max_attempts: 5 }, failed, [])).toBe(0))
})

it('OBS-03 counts each attempt by its outcome, also as an event of the span', async () => {
  const recorded: unknown[] = []
  const port = {
    start: () => ({
      record: (...call: unknown[]) => void recorded.push(call),
      flush: () => recorded.push('flush'),
    }),
  }
  const spans: Span[] = []
  const tracer: Tracer = { isSampled: () => true, add: (span) => spans.push(span), flush: async () => {} }
  await recordWith(port, () =>
    runInTrace(undefined, () =>
      recordSpans(tracer, () =>
        runInSpan('job', 'consumer', async () => {
          recordAttempt('push', { ok: true }, null)
          recordAttempt('push', { ok: false }, 30)
          recordAttempt('push', { ok: false }, null)
          await recordWith(port, async () => record('attempts', { kind: 'inner', outcome: 'x' }, 2))
        }),
      ),
    ),
  )
  const outcomes = ['succeeded', 'retried', 'failed']
  expect(recorded).toEqual([
    ...outcomes.map((outcome) => ['attempts', ['push', outcome], 1]),
    ['attempts', ['inner', 'x'], 2],
    'flush',
  ])
  expect(spans[0]?.events.map(({ name, attributes }) => [name, attributes])).toEqual(
    outcomes.map((outcome) => ['attempt', { kind: 'push', outcome }]),
  )
})
