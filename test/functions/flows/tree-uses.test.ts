import pg from 'pg'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { runConcurrently } from '#test/support/concurrency.ts'
import { createFlow } from '#test/support/flows.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await sharedService()
const { username: user, password, pathname } = new URL(service.settings.DATABASE_URL ?? '')
const pool = new pg.Pool({
  host: '127.0.0.1',
  port: inject('shared').postgresPort,
  user,
  password,
  database: pathname.slice(1),
  max: 32,
})
afterAll(() => pool.end())

/** Count one use of a flow by this person, with the database role of the service. */
async function countUse(
  { id, accountId, signInId }: Person,
  flow: { account_id: string; id: string },
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(`select app.enter($1, $2, $3, 'user', 'none', '')`, [id, accountId, signInId])
    await client.query('select app.count_use($1, $2)', [flow.account_id, flow.id])
    await client.query('commit')
  } finally {
    client.release()
  }
}

const getUsageCount = async (person: Person, { id }: { id: string }) =>
  (await person.call('GET', `/trees/${id}`)).body.usage_count

describe('the usage count of a flow', () => {
  it('FLO-04 includes every one of 2 and of 32 simultaneous uses', async () => {
    const { admin } = await createAccount(service)
    const flow = await createFlow(admin)
    await runConcurrently(() => countUse(admin, flow), 2)
    expect(await getUsageCount(admin, flow)).toBe(2)
    await runConcurrently(() => countUse(admin, flow), 32)
    expect(await getUsageCount(admin, flow)).toBe(34)
    expect((await admin.call('GET', `/trees/${flow.id}`)).body).toMatchObject({
      version: 1,
      updated_at: flow.updated_at,
    })
  })

  it('FLO-04 includes the uses by every account if the flow is a starter flow', async () => {
    const people = [(await createAccount(service)).admin, (await createAccount(service)).admin] as const
    const [flow] = await service.sql<{ id: string; account_id: string }>(
      `select id, account_id from trees where account_id = app.platform_account() order by id limit 1`,
    )
    if (!flow) throw new Error('There is no starter flow')
    const initialCount = await getUsageCount(people[0], flow)
    await runConcurrently(() => Promise.all(people.map((person) => countUse(person, flow))), 16)
    expect(await getUsageCount(people[1], flow)).toBeGreaterThanOrEqual(initialCount + 32)
  })

  it('excludes uses by another account', async () => {
    const [ours, theirs] = [(await createAccount(service)).admin, (await createAccount(service)).admin]
    const flow = await createFlow(ours, { visibility: 'public' })
    await countUse(theirs, flow)
    expect(await getUsageCount(ours, flow)).toBe(0)
  })
})
