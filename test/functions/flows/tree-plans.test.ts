import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selectTrees } from '../../../functions/flows/trees/queries.ts'
import { sorts, TreeQuery } from '../../../functions/flows/trees/schemas.ts'
import type { Wire } from '../../../lib/db/client.ts'
import { openScope } from '../../../lib/db/scope.ts'
import { ownService } from '../../support/app.ts'
import { filtersOfMany, manyFlows } from '../../support/many-flows.ts'
import { type AccountOf, newAccount, type Person } from '../../support/people.ts'
import { readBy, readByAll, toldOf } from '../../support/plans.ts'

const page = 50
const sizes = { small: 20, large: 20_000 }
type Size = keyof typeof sizes
const conditions = filtersOfMany('AUTHOR')

let own: Awaited<ReturnType<typeof ownService>>
let readers: Record<Size, Person>
let shipped: number

beforeAll(async () => {
  own = await ownService()
  const made = { small: await newAccount(own), large: await newAccount(own) }
  const fill = async (account: AccountOf, count: number) => {
    const colleagues = await Promise.all([account.colleague(), account.colleague()])
    const authors = [account.admin, ...colleagues].map(({ id }) => id)
    await own.sql(manyFlows({ ...account, authors }, count))
  }
  // Statistics are of all accounts together, so there are others.
  for (let n = 0; n < 20; n++) await fill(await newAccount(own), 200)
  await fill(made.small, sizes.small)
  await fill(made.large, sizes.large)
  await own.sql('vacuum analyze trees')
  // By an engineer: for an admin every flow of a team is in sight.
  readers = { small: await made.small.colleague(), large: await made.large.colleague() }
  const [row] = await own.sql<{ count: number }>('select count(*)::integer as count from trees where account_id = app.platform_account()')
  shipped = row?.count ?? 0
})
afterAll(() => own.close())

/** How the scans of flows ran while a person was answered their list, and how many flows that is; `before` had the same list on this connection. */
async function scansOf(reader: Person, query: string, { skip = 0, before }: { skip?: number; before?: Person } = {}) {
  const list = (wire: Wire, { id, accountId, signInId }: Person) => {
    const caller = { userId: id, accountId, signInId }
    const scope = openScope(wire, { caller, access: 'user', past: 'none', ip: '', readOnly: true })
    const parsed = TreeQuery.parse(Object.fromEntries(new URLSearchParams(query.replace('AUTHOR', id))))
    return selectTrees(scope.db, { ...parsed, skip, limit: page })
  }
  const { nodes, runs, result } = await toldOf(own, before !== undefined, async (wire, forget) => {
    if (before) await list(wire, before)
    forget()
    return list(wire, reader)
  })
  return { scans: nodes.filter((node) => node['Relation Name'] === 'trees'), rows: result.length, runs }
}

const sortings = sorts.map((sort) => `sort_by=${sort}`)

describe.each(['small', 'large'] as const)('the list in a %s account', (size) => {
  it.each(Object.entries(conditions))(
    'reads no more flows than its own and those that ship, in every order, by %s',
    async (_, condition) => {
      for (const sort of sortings) {
        const { scans } = await scansOf(readers[size], `${sort}&${condition}`)
        expect(scans.length, sort).toBeGreaterThan(0)
        expect(scans.filter((scan) => scan['Node Type'] === 'Seq Scan')).toEqual([])
        // Twice: the page is found, and its rows are read where the policy decides.
        expect(Math.max(...scans.map(readBy)), sort).toBeLessThanOrEqual(sizes[size] + shipped)
      }
    },
  )

  it('answers in one statement, authors and lineage included', async () => {
    const { runs } = await scansOf(readers[size], '')
    expect(runs.map(({ length }) => length)).toEqual([2])
    expect(runs[0]?.[0]?.sql).toContain('app.enter')
  })
})

describe('the list in a large account', () => {
  it.each(sortings)('reads little more than its page by %s', async (sort) => {
    for (const condition of ['', '&tag=common', '&search=printer', '&search=zeppelin', '&tag=rare17', '&status=published'])
      expect(readByAll((await scansOf(readers.large, `${sort}${condition}`)).scans), condition).toBeLessThan(20 * page)
  })

  it('does so by the plan that a pooler kept from a small account', async () => {
    for (const condition of ['', 'tag=common', 'search=printer', 'search=zeppelin', 'status=draft']) {
      const { scans } = await scansOf(readers.large, condition, { before: readers.small })
      expect(readByAll(scans), condition).toBeLessThan(20 * page)
    }
  })

  it('reads each flow once for its last page', async () => {
    const { scans, rows } = await scansOf(readers.large, 'sort_by=name', { skip: 10_000 })
    expect(rows).toBeGreaterThan(0)
    expect(readByAll(scans)).toBeLessThanOrEqual(sizes.large + shipped + rows)
  })
})
