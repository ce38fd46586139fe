import { expect, it, onTestFinished } from 'vitest'
import { openPostgres } from '#platform/node/postgres.ts'
import { connectAsOwner, sharedService, startOwnService } from '#test/support/app.ts'
import { largeFlow } from '#test/support/flows.ts'
import { createAccount } from '#test/support/people.ts'

const service = await sharedService()
const lockKey = 718_293

it('WIR-50 sixty waiting writes of one account take a third of the connections, and another account is answered meanwhile', async () => {
  const database = openPostgres({ url: `${service.ownerUrl}?application_name=share`, maxConnections: 9 })
  onTestFinished(() => database.close())
  const owner = await connectAsOwner()
  onTestFinished(() => owner.end())
  await owner.query('select pg_advisory_lock($1)', [lockKey])
  const write = { sql: 'select pg_advisory_xact_lock($1)', parameters: [lockKey] }
  const [busy, other] = ['busy', 'other'].map((account) => database.forAccount?.(account) ?? database)
  const writes = Array.from({ length: 60 }, () => busy?.run([write], { readOnly: false }))
  const countWaiting = async () => {
    const { rows } = await owner.query(
      `select count(*)::integer as count from pg_locks where locktype = 'advisory' and objid = $1 and not granted`,
      [lockKey],
    )
    return rows[0].count
  }
  await expect.poll(countWaiting).toBe(3)
  const answers = Array.from({ length: 20 }, () =>
    other?.run([{ sql: 'select 7 as answer', parameters: [] }], { readOnly: true }),
  )
  expect((await Promise.all(answers)).map((results) => results?.[0]?.rows)).toEqual(
    Array(20).fill([{ answer: 7 }]),
  )
  expect(await countWaiting()).toBe(3)
  await owner.query('select pg_advisory_unlock($1)', [lockKey])
  expect(await Promise.all(writes)).toHaveLength(60)
})

// How long the other account waits is measured by `npm run soak -- tenants`.
it.each(['node', 'cloudflare'] as const)(
  'WIR-50 on %s twenty large writes of one account wait instead of failing, and another account is always answered',
  async (platform) => {
    const own = await startOwnService({}, { platform })
    onTestFinished(() => own.close())
    const [{ admin }, { admin: other }] = [await createAccount(own), await createAccount(own)]
    let isOver = false
    const writes = Promise.all(
      Array.from({ length: 20 }, () => admin.call('POST', '/trees', largeFlow)),
    ).finally(() => {
      isOver = true
    })
    const reads: number[] = []
    while (!isOver) {
      reads.push((await other.call('GET', '/teams')).status)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const refused = (await writes).filter(({ status }) => status !== 201)
    expect(refused.map(({ status, body }) => ({ status, body }))).toEqual([])
    expect(new Set(reads)).toEqual(new Set([200]))
  },
)
