import { afterEach, expect, it, vi } from 'vitest'
import { openPlatformDb } from '#db/scope.ts'
import {
  attemptKinds,
  defaultLeaseSeconds,
  type TableKind,
  type WorkTable,
  workKinds,
  workTables,
} from '#db/work-kinds.ts'
import { sharedService } from '#test/support/app.ts'
import { openTestDatabase } from '#test/support/databases.ts'
import { createAccount } from '#test/support/people.ts'
import { defineWork, renewStatement } from '#work/define-work.ts'

const service = await sharedService()
const platform = openPlatformDb(openTestDatabase(service.settings.DATABASE_PLATFORM_URL), 'test', () => {})
afterEach(() => void vi.useRealTimers())

it('RES-10 what a killed process did goes on after a minute at most, whichever kind of work it was', () => {
  expect(workTables.length).toBe(attemptKinds.length - 1)
  for (const { leaseSeconds = defaultLeaseSeconds } of workTables)
    expect(leaseSeconds).toBeLessThanOrEqual(60)
})

it.each(attemptKinds.filter((kind): kind is TableKind => kind !== 'assessment'))(
  'RES-10 an attempt of the kind %s that takes five minutes keeps its lease, and only while it runs',
  async (kind) => {
    vi.useFakeTimers()
    const renewals: number[] = []
    const { leaseSeconds = defaultLeaseSeconds } = workKinds[kind].table as WorkTable
    const statement = (rows: object[]) => ({ first: async () => rows[0], all: async () => rows })
    const platform = {
      executeQuery: async () => {
        renewals.push(Date.now())
        return { rows: [] }
      },
    }
    const work = defineWork({
      kind,
      statements: {
        claim: statement([{ id: 'a' }]),
        claimDue: statement([]),
        selectAbandoned: statement([]),
      } as never,
      attempt: () => new Promise((resolve) => setTimeout(resolve, 300_000)),
      fail: async () => {},
    })
    const startedAt = Date.now()
    const attempt = work.attempt({ platform: platform as never }, 'a', 1)
    await vi.advanceTimersByTimeAsync(300_000)
    await attempt
    const times = [startedAt, ...renewals, startedAt + 300_000]
    const gaps = times.slice(1).map((time, n) => time - (times[n] as number))
    expect(Math.max(...gaps)).toBeLessThan((leaseSeconds * 1000) / 2)
    const count = renewals.length
    await vi.advanceTimersByTimeAsync(300_000)
    expect(renewals).toHaveLength(count)
  },
)

it('RES-10 a lease is renewed for the attempt that has it, and for no later one', async () => {
  const { admin } = await createAccount(service)
  const [row] = await service.sql<{ id: string }>(
    `insert into account_imports (account_id, requested_by, object_key, progress, total, attempts, leased_until, next_attempt_at)
     values ($1, $2, 'k', '{"skipped": {"records": [], "count": 0}}', 0, 2, app.now() + interval '1 second', app.now()) returning id`,
    [admin.accountId, admin.id],
  )
  const renew = renewStatement('import')
  const readSeconds = async () =>
    (
      await service.sql<{ seconds: number }>(
        'select extract(epoch from leased_until - app.now())::integer as seconds from account_imports where id = $1',
        [row?.id],
      )
    )[0]?.seconds
  await renew.run(platform, { id: row?.id ?? '', attempts: 1 })
  expect(await readSeconds()).toBeLessThanOrEqual(1)
  await renew.run(platform, { id: row?.id ?? '', attempts: 2 })
  expect(await readSeconds()).toBeGreaterThan(20)
  await service.sql('update account_imports set leased_until = null where id = $1', [row?.id])
  await renew.run(platform, { id: row?.id ?? '', attempts: 2 })
  expect(await readSeconds()).toBe(null)
})

it.each(attemptKinds.filter((kind): kind is TableKind => kind !== 'assessment'))(
  'RES-10 the statement that renews a lease of the kind %s is valid',
  async (kind) => {
    expect(await renewStatement(kind).run(platform, { id: crypto.randomUUID(), attempts: 1 })).toBe(0)
  },
)
