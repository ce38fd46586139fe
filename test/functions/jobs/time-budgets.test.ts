import { expect, it, vi } from 'vitest'
import { limitConcurrency } from '#async/limit-concurrency.ts'
import { eraseDueAccounts } from '#functions/accounts/erasure/service.ts'
import { checkDueLinks } from '#functions/flows/link-checks/service.ts'
import { sendDue } from '#functions/notifications/digests/service.ts'
import * as presence from '#functions/presence/service.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'
import { sweepLiveEvents } from '#work/live-events.ts'
import { type SweptKind, sweepKind } from '#work/sweep.ts'
import { sweepAccounts } from '#work/sweep-accounts.ts'

/** Return a clock that starts at 0 and advances by 1 with every call. */
function createClock() {
  let time = 0
  return () => time++
}
const stopped = () => 0
const slots = limitConcurrency({ running: 2 })

it('ERA-06 the erasure of an account deletes no row when its time is over', async () => {
  const { db, findStatements } = createStubDatabase((sql) => {
    if (sql.includes('from account_erasures')) return [{ id: 'a' }]
    return sql.includes('billing_customer_id') ? [{ customer_ids: [] }] : [{ deleted: 0 }]
  })
  const ctx = {
    platform: db,
    mail: { isConfigured: true },
    realtime: { forget: async () => {} },
    log: () => {},
  } as unknown as Parameters<typeof eraseDueAccounts>[0]
  await eraseDueAccounts(ctx, { budgetMs: 0, now: stopped })
  expect(findStatements('app.erase_rows')).toEqual([])
})

it.each([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
])('digests with a time of %i are written in %i batches', async (budgetMs, batches) => {
  const { db, statements, outbox } = createStubDatabase(() =>
    Array.from({ length: 100 }, (_, n) => ({ id: `d${n}` })),
  )
  await sendDue({ platform: db }, { budgetMs, now: createClock() })
  expect([statements.length, outbox.length]).toEqual([batches, batches * 100])
})

it('digests end with the first batch that is not full', async () => {
  const { db, statements } = createStubDatabase(() => [{ id: 'd' }])
  await sendDue({ platform: db }, { budgetMs: 1000, now: stopped })
  expect(statements).toHaveLength(1)
})

it.each([
  [0, 1],
  [1, 1],
  [2, 2],
])('expired presence with a time of %i is deleted in %i statements', async (budgetMs, count) => {
  const { db, statements } = createStubDatabase(() => [{ account_id: 'a', event: null }])
  const realtime = { broadcast: async () => {} }
  await presence.sweep({ platform: db, realtime } as never, { budgetMs, now: createClock() })
  expect(statements).toHaveLength(count)
})

it.each([
  [20_000, 0],
  [19_999, 1],
])('the links of a flow are stored %i ms after the start: %i time', async (elapsed, count) => {
  const { db, statements } = createStubDatabase((sql) =>
    sql.includes('insert') || sql.includes('update')
      ? [{ tree_id: 't', tree_structure: null, links: [] }]
      : [],
  )
  const times = [0, elapsed]
  await checkDueLinks({ platform: db, guard: {} as never, now: () => times.shift() ?? elapsed })
  // The first statement claims the flow.
  expect(statements).toHaveLength(1 + count)
})

it('live events are not claimed when the time is over', async () => {
  const { db, findStatements } = createStubDatabase(() => [])
  await sweepLiveEvents({ platform: db, realtime: {} as never }, { budgetMs: 0, now: stopped, slots })
  expect([findStatements('swept_at'), findStatements("interval '1 day'")]).toEqual([[], [[]]])
})

it('a kind of rows is not claimed when the time is over', async () => {
  const claimDue = vi.fn(async () => [])
  const kind: SweptKind = { kind: 'delivery', parallel: 1, claimDue, attempt: async () => {} }
  await sweepKind({} as never, kind, { budgetMs: 0, now: stopped, slots })
  expect(claimDue).not.toHaveBeenCalled()
})

it('no account is swept when the time is over', async () => {
  const swept: string[] = []
  const openAccountScope = (id: string) => ({ transaction: async () => swept.push(id) > 9 })
  await sweepAccounts(
    { openAccountScope } as never,
    [{ account_id: 'a' }],
    { budgetMs: 0, now: stopped },
    async () => false,
  )
  expect(swept).toEqual([])
})
