import { withSuperuser } from '#local/postgres.ts'
import { formatRatio, printTable } from '#test/bench/print-results.ts'
import { seedAccount } from '#test/bench/seed.ts'
import type { BenchServer } from '#test/bench/server.ts'
import { type Cost, measureCost, type Send } from './measure.ts'
import { growthOperations } from './operations.ts'
import { fillAccounts, type GrowthAccount, peopleCount } from './rows.ts'

/**
 * No operation may read more pages than this multiple of those in the smallest account, unless it says why.
 */
const mostGrowth = 1.5
/**
 * Pages that do not count: an index of a large table has a level more, and 25 pages take less than a tenth of
 * a millisecond.
 */
const ignoredPages = 25

export const isGrowing = (first: Cost, last: Cost, most = mostGrowth): boolean =>
  last.blocks > first.blocks * most + ignoredPages

const rowCounts = [1_000, 10_000, 100_000, 1_000_000]
const accountCounts = [10, 1_000, 10_000]
const rowsOfOtherAccounts = 50
const rounds = { warmUps: 2, measured: 7 }
const firstOtherAccount = 0x10000

/** The costs of all operations in one situation, in their order. */
interface Column {
  title: string
  costs: Cost[]
}

/**
 * Measure the busy operations among more and more accounts, then in larger and larger ones. Return whether
 * none grows without a reason.
 */
export async function measureGrowth(server: BenchServer, mostRows: number): Promise<boolean> {
  const measuredRows = rowCounts.filter((rows) => rows <= mostRows)
  const { postgresPort, database } = server
  const send: Send = (path, init) => fetch(`http://127.0.0.1:${server.workers[0]?.port}${path}`, init)
  return withSuperuser(postgresPort, database, async (client) => {
    await client.query('create extension if not exists pg_stat_statements')
    const accounts: GrowthAccount[] = []
    for (const [n, rows] of measuredRows.entries())
      accounts.push({ ...(await seedAccount(server, (0xa1 + n).toString(16), peopleCount, 1)), rows })
    const fill = async (first: number, count: number, rows: number, people: number) => {
      const startedAt = performance.now()
      await fillAccounts(client, [{ first, count, rows, people }])
      console.log(
        `Filled ${count} accounts with ${rows} rows each in ${Math.round((performance.now() - startedAt) / 1000)} s`,
      )
    }
    const measure = async (title: string, account: GrowthAccount | undefined): Promise<Column> => {
      const costs: Cost[] = []
      if (account)
        for (const operation of growthOperations)
          costs.push(await measureCost(client, send, operation, account, rounds))
      return { title, costs }
    }
    await fill(0xa1, 1, measuredRows[0] ?? 0, peopleCount)
    const byAccounts: Column[] = []
    for (const [n, count] of accountCounts.entries()) {
      const before = accountCounts[n - 1] ?? 0
      await fill(firstOtherAccount + before, count - before, rowsOfOtherAccounts, 3)
      byAccounts.push(await measure(`${count.toLocaleString('en')} accounts`, accounts[0]))
    }
    for (const [n, rows] of measuredRows.entries()) if (n > 0) await fill(0xa1 + n, 1, rows, peopleCount)
    const byRows: Column[] = []
    for (const [n, rows] of measuredRows.entries())
      byRows.push(await measure(`${rows.toLocaleString('en')} rows`, accounts[n]))
    const areAllFlat = [
      // Tables with a handful of users are read whole, which costs less than any index. So the second number
      // of accounts is the first compared.
      printColumns('An account of 1,000 rows among others', byAccounts, 1),
      printColumns('Rows of the account', byRows, 0),
    ]
    return !areAllFlat.includes(false)
  })
}

/**
 * Print the pages and the milliseconds of each operation, and the last column as a multiple of the first that
 * is compared.
 */
function printColumns(title: string, columns: readonly Column[], compared: number): boolean {
  const rows = growthOperations.map(({ name, mayGrow }, n) => {
    const costs = columns.map((column) => column.costs[n] ?? { blocks: 0, ms: 0 })
    const [first, last] = [costs[compared], costs.at(-1)] as [Cost, Cost]
    const reason = isGrowing(first, last) ? (mayGrow ?? 'GROWS') : ''
    const cells = costs.map(({ blocks, ms }) => `${blocks} (${ms.toFixed(1)})`)
    return {
      cells: [name, ...cells, formatRatio(last.blocks, first.blocks), reason],
      isMet: reason !== 'GROWS',
    }
  })
  const from = columns[compared]?.title
  console.log(
    `\n${title}: pages of PostgreSQL per request (and milliseconds), and the pages of the last as a multiple of those with ${from}`,
  )
  printTable([
    ['', ...columns.map((column) => column.title), 'ratio', `(goal ≤ ${mostGrowth})`],
    ...rows.map(({ cells }) => cells),
  ])
  return rows.every(({ isMet }) => isMet)
}
