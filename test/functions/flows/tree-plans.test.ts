// @module-tag night
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '#db/database.ts'
import { openScope } from '#db/scope.ts'
import { selectTrees } from '#functions/flows/trees/queries.ts'
import { sorts, TreeQuery } from '#functions/flows/trees/schemas.ts'
import { startOwnService } from '#test/support/app.ts'
import { insertFlowsSql, listFilters } from '#test/support/many-flows.ts'
import { createAccount, type Person, type TestAccount } from '#test/support/people.ts'
import { explainStatements, rowsRead, totalRowsRead } from '#test/support/query-plans.ts'

const pageSize = 50
const sizes = { small: 20, large: 5000 }
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
  // Fill further accounts, because table statistics cover all accounts together.
  for (let n = 0; n < 10; n++) await fill(await createAccount(service), 100)
  await fill(accounts.small, sizes.small)
  await fill(accounts.large, sizes.large)
  await service.sql('vacuum analyze trees')
  // The readers are engineers, because an account admin can see the flows of every team.
  readers = { small: await accounts.small.addColleague(), large: await accounts.large.addColleague() }
  const [row] = await service.sql<{ count: number }>(
    'select count(*)::integer as count from trees where account_id = app.platform_account()',
  )
  platformFlowCount = row?.count ?? 0
})
afterAll(() => service.close())

/**
 * List flows for `reader`, after the same list for `firstReader` on the same connection if it is set.
 * Return the plan's scans of `trees`, the number of rows in the list and the statement batches.
 */
async function explainList(
  reader: Person,
  query: string,
  { skip = 0, firstReader }: { skip?: number; firstReader?: Person } = {},
) {
  const list = (connection: Database, { id, accountId, signInId }: Person) => {
    const caller = { userId: id, accountId, signInId }
    const scope = openScope(
      connection,
      { caller, access: 'user', skipGuards: 'none', ip: '', readOnly: true },
      () => {},
    )
    const parsed = TreeQuery.parse(Object.fromEntries(new URLSearchParams(query.replace('AUTHOR', id))))
    return selectTrees(scope.db, { ...parsed, skip, limit: pageSize })
  }
  const { nodes, batches, result } = await explainStatements(
    service,
    firstReader !== undefined,
    async (connection, clearRecorded) => {
      if (firstReader) await list(connection, firstReader)
      clearRecorded()
      return list(connection, reader)
    },
  )
  return { scans: nodes.filter((node) => node['Relation Name'] === 'trees'), rows: result.length, batches }
}

const sortQueries = sorts.map((sort) => `sort_by=${sort}`)

describe.each(['small', 'large'] as const)('the list in a %s account', (size) => {
  it.each(Object.entries(conditions))(
    'reads no more flows than the account and the platform have, in every sort order, filtered by %s',
    async (_, condition) => {
      for (const sort of sortQueries) {
        const { scans } = await explainList(readers[size], `${sort}&${condition}`)
        expect(scans.length, sort).toBeGreaterThan(0)
        expect(scans.filter((scan) => scan['Node Type'] === 'Seq Scan')).toEqual([])
        // There are two scans: one selects the ids of the page, the other reads its rows under the row-level
        // security policies.
        expect(Math.max(...scans.map(rowsRead)), sort).toBeLessThanOrEqual(sizes[size] + platformFlowCount)
      }
    },
  )

  it('runs only one statement after app.enter, including authors and fork lineage', async () => {
    const { batches } = await explainList(readers[size], '')
    expect(batches.map(({ length }) => length)).toEqual([2])
    expect(batches[0]?.[0]?.sql).toContain('app.enter')
  })
})

describe('the list in a large account', () => {
  it.each(sortQueries)('reads fewer rows than 20 pages, sorted by %s', async (sort) => {
    for (const condition of [
      '',
      '&tag=common',
      '&search=printer',
      '&search=zeppelin',
      '&tag=rare17',
      '&status=published',
    ])
      expect(
        totalRowsRead((await explainList(readers.large, `${sort}${condition}`)).scans),
        condition,
      ).toBeLessThan(20 * pageSize)
  })

  it('reads fewer rows than 20 pages with a plan cached for a small account', async () => {
    for (const condition of ['', 'tag=common', 'search=printer', 'search=zeppelin', 'status=draft']) {
      const { scans } = await explainList(readers.large, condition, { firstReader: readers.small })
      expect(totalRowsRead(scans), condition).toBeLessThan(20 * pageSize)
    }
  })

  it('reads each flow only once to select a page at offset 2,500', async () => {
    const { scans, rows } = await explainList(readers.large, 'sort_by=name', { skip: 2500 })
    expect(rows).toBeGreaterThan(0)
    expect(totalRowsRead(scans)).toBeLessThanOrEqual(sizes.large + platformFlowCount + rows)
  })
})
