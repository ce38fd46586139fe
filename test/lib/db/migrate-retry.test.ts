import pg from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { retryWhileLocked } from '#db/migrate/retry.ts'

const createError = (code: string | undefined) =>
  Object.assign(new pg.DatabaseError('canceling statement', 0, 'error'), { code })

/** Run work that fails with `errors` and then succeeds. Each pause takes exactly its mean time. */
async function run(errors: unknown[], settings: { maxAttempts?: number; maxTotalMs?: number }) {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  onTestFinished(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
  const lines: string[] = []
  const startedAt: number[] = []
  const start = performance.now()
  const work = async () => {
    startedAt.push(performance.now() - start)
    if (errors.length > 0) throw errors.shift()
    return 'done'
  }
  const retrySettings = {
    maxAttempts: 5,
    maxTotalMs: 1000,
    pauseMs: 100,
    report: (line: string) => void lines.push(line),
    ...settings,
  }
  const outcome = retryWhileLocked('0002_size.sql', retrySettings, work).catch(
    (error: Error) => error.message,
  )
  await vi.runAllTimersAsync()
  return { outcome: await outcome, startedAt, lines }
}

it.each(['55P03', '40P01'])('work that fails with %s is repeated after a pause', async (code) => {
  expect(await run([createError(code), createError(code)], {})).toEqual({
    outcome: 'done',
    startedAt: [0, 100, 200],
    lines: [1, 2].map((attempt) => `0002_size.sql: waits for a lock, attempt ${attempt} of 5`),
  })
})

it.each([['42P01'], [undefined]])('work that fails with %s is not repeated', async (code) => {
  expect(await run([createError(code)], {})).toEqual({
    outcome: 'canceling statement',
    startedAt: [0],
    lines: [],
  })
})

it('work that fails without PostgreSQL is not repeated', async () => {
  const error = Object.assign(new Error('other'), { code: '55P03' })
  expect(await run([error], {})).toMatchObject({ outcome: 'other', startedAt: [0] })
})

it.each([
  ['attempts', { maxAttempts: 2 }, 2],
  ['time', { maxTotalMs: 299 }, 3],
  ['time', { maxTotalMs: 300 }, 4],
])('it gives up when its %s are used up: %j', async (_, settings, attempts) => {
  const { outcome, startedAt } = await run(
    Array.from({ length: 9 }, () => createError('55P03')),
    settings,
  )
  expect([outcome, startedAt.length]).toEqual([
    `another transaction held a lock in each of ${attempts} attempts (canceling statement)`,
    attempts,
  ])
})
