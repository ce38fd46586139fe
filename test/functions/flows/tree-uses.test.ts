import pg from 'pg'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { shared } from '../../support/app.ts'
import { newFlow } from '../../support/flows.ts'
import { newAccount, type Person } from '../../support/people.ts'

const service = shared()
const { username: user, password, pathname } = new URL(service.settings.DATABASE_URL ?? '')
const pool = new pg.Pool({ host: '127.0.0.1', port: inject('shared').postgresPort, user, password, database: pathname.slice(1), max: 32 })
afterAll(() => pool.end())

/** Counts a use in this person's scope, as the service's own role. */
async function use({ id, accountId, signInId }: Person, flow: { account_id: string; id: string }): Promise<void> {
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
const times = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work))
const usesOf = async (person: Person, { id }: { id: string }) => (await person.call('GET', `/trees/${id}`)).body.usage_count

describe('the uses of a flow', () => {
  it('FLO-04 all count when they come at once, two as well as 32', async () => {
    const { admin } = await newAccount(service)
    const flow = await newFlow(admin)
    await times(2, () => use(admin, flow))
    expect(await usesOf(admin, flow)).toBe(2)
    await times(32, () => use(admin, flow))
    expect(await usesOf(admin, flow)).toBe(34)
    expect((await admin.call('GET', `/trees/${flow.id}`)).body).toMatchObject({ version: 1, updated_at: flow.updated_at })
  })

  it('FLO-04 count from every account where the flow ships with the service', async () => {
    const people = [(await newAccount(service)).admin, (await newAccount(service)).admin] as const
    const [flow] = await service.sql<{ id: string; account_id: string }>(
      `select id, account_id from trees where account_id = app.platform_account() order by id limit 1`,
    )
    if (!flow) throw new Error('No flow ships with the service')
    const before = await usesOf(people[0], flow)
    await times(16, () => Promise.all(people.map((person) => use(person, flow))))
    expect(await usesOf(people[1], flow)).toBeGreaterThanOrEqual(before + 32)
  })

  it('count for no flow of another account', async () => {
    const [ours, theirs] = [(await newAccount(service)).admin, (await newAccount(service)).admin]
    const flow = await newFlow(ours, { visibility: 'public' })
    await use(theirs, flow)
    expect(await usesOf(ours, flow)).toBe(0)
  })
})
