import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selectTrees } from '../../../functions/flows/trees/queries.ts'
import { sorts, TreeQuery } from '../../../functions/flows/trees/schemas.ts'
import type { Database } from '../../../lib/db/client.ts'
import { openScope } from '../../../lib/db/scope.ts'
import { startOwnService } from '../../support/app.ts'
import { insertFlowsSql, listFilters } from '../../support/many-flows.ts'
import { createAccount, type Person, type TestAccount } from '../../support/people.ts'
import { explainStatements, rowsRead, totalRowsRead } from '../../support/query-plans.ts'

const pageSize = 50
const sizes = { small: 20, large: 20_000 }
type Size = keyof typeof sizes
const conditions = listFilters('AUTHOR')

let service: Awaited<ReturnType<typeof startOwnService>>
let readers: Record<Size, Person>
let platformFlowCount: number

beforeAll(async () => {
  service = await startOwnService()
  const accounts = { small: await createAccount(service), large: await createAccount(service) }
  const fill = async (account: TestAccount, count: number) => {
    const colleagues = await Promise.all([account.addColleague(), account.addColleague()])
    const authors = [account.admin, ...colleagues].map(({ id }) => id)
    await service.sql(insertFlowsSql({ ...account, authors }, count))
  }
  // Further accounts, because table statistics cover all accounts together.
  for (let n = 0; n < 20; n++) await fill(await createAccount(service), 200)
  await fill(accounts.small, sizes.small)
  await fill(accounts.large, sizes.large)
  await service.sql('vacuum analyze trees')
  // Engineers, because an account admin can see the flows of every team.
  readers = { small: await accounts.small.addColleague(), large: await accounts.large.addColleague() }
  const [row] = await service.sql<{ count: number }>(
    'select count(*)::integer as count from trees where account_id = app.platform_account()',
  )
  platformFlowCount = row?.count ?? 0
})
afterAll(() => service.close())

/** List flows for `reader` and return the plan's scans of trees. `before` requests the same list first, on the same connection. */
async function explainList(reader: Person, query: string, { skip = 0, before }: { skip?: number; before?: Person } = {}) {
  const list = (connection: Database, { id, accountId, signInId }: Person) => {
    const caller = { userId: id, accountId, signInId }
    const scope = openScope(connection, { caller, access: 'user', skipGuards: 'none', ip: '', readOnly: true })
    const parsed = TreeQuery.parse(Object.fromEntries(new URLSearchParams(query.replace('AUTHOR', id))))
    return selectTrees(scope.db, { ...parsed, skip, limit: pageSize })
  }
  const { nodes, batches, result } = await explainStatements(service, before !== undefined, async (connection, clearRecorded) => {
    if (before) await list(connection, before)
    clearRecorded()
    return list(connection, reader)
  })
  return { scans: nodes.filter((node) => node['Relation Name'] === 'trees'), rows: result.length, batches }
}

const sortings = sorts.map((sort) => `sort_by=${sort}`)

describe.each(['small', 'large'] as const)('the list in a %s account', (size) => {
  it.each(Object.entries(conditions))(
    'reads no more flows than the account and the platform have, in every order, filtered by %s',
    async (_, condition) => {
      for (const sort of sortings) {
        const { scans } = await explainList(readers[size], `${sort}&${condition}`)
        expect(scans.length, sort).toBeGreaterThan(0)
        expect(scans.filter((scan) => scan['Node Type'] === 'Seq Scan')).toEqual([])
        // There are two scans: one selects the page, the other reads its rows under the policies.
        expect(Math.max(...scans.map(rowsRead)), sort).toBeLessThanOrEqual(sizes[size] + platformFlowCount)
      }
    },
  )

  it('runs one statement, which includes authors and lineage', async () => {
    const { batches } = await explainList(readers[size], '')
    expect(batches.map(({ length }) => length)).toEqual([2])
    expect(batches[0]?.[0]?.sql).toContain('app.enter')
  })
})

describe('the list in a large account', () => {
  it.each(sortings)('reads little more than its page, sorted by %s', async (sort) => {
    for (const condition of ['', '&tag=common', '&search=printer', '&search=zeppelin', '&tag=rare17', '&status=published'])
      expect(totalRowsRead((await explainList(readers.large, `${sort}${condition}`)).scans), condition).toBeLessThan(20 * pageSize)
  })

  it('reads little more than its page with a cached plan from a small account', async () => {
    for (const condition of ['', 'tag=common', 'search=printer', 'search=zeppelin', 'status=draft']) {
      const { scans } = await explainList(readers.large, condition, { before: readers.small })
      expect(totalRowsRead(scans), condition).toBeLessThan(20 * pageSize)
    }
  })

  it('reads each flow once for its last page', async () => {
    const { scans, rows } = await explainList(readers.large, 'sort_by=name', { skip: 10_000 })
    expect(rows).toBeGreaterThan(0)
    expect(totalRowsRead(scans)).toBeLessThanOrEqual(sizes.large + platformFlowCount + rows)
  })
})
