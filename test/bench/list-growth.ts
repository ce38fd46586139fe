import { runLoadWhile } from './load.ts'
import { type BenchDatabase, seedAccount } from './seed.ts'
import type { BenchServer } from './server.ts'

export interface ListGrowth {
  notifications: number
  /** Median response time of a list request, in milliseconds. */
  p50: number
}

// Few enough people for large inboxes, but enough to stay below the rate limits.
const peopleCount = 20
const listsPerPerson = 25

/** Measure a list of notifications in accounts of growing size. */
export async function measureListGrowth(database: BenchDatabase, { workers }: BenchServer): Promise<ListGrowth[]> {
  const port = workers[0]?.port ?? 0
  const results: ListGrowth[] = []
  for (const [index, notifications] of [1_000, 10_000, 100_000, 1_000_000].entries()) {
    const { tokens } = await seedAccount(database, `1${index}`, peopleCount, notifications / peopleCount)
    let requestCount = 0
    const next = () => ({ method: 'GET', path: '/api/v1/notifications?limit=50', token: tokens[requestCount++ % peopleCount] ?? '' })
    const runListsUntil = (count: number) => runLoadWhile({ port, connections: 1, next, hasMore: () => requestCount < count })
    await runListsUntil(peopleCount * 5)
    results.push({ notifications, p50: (await runListsUntil(peopleCount * (5 + listsPerPerson))).p50 })
  }
  return results
}
