import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { costEventStreams, costWorkers, estimateCosts } from '#test/bench/costs/estimate.ts'
import { sources } from '#test/bench/costs/prices.ts'
import { readUsage, replaceTable, writeTable } from '#test/bench/costs/table.ts'
import { accountCounts } from '#test/bench/costs/usage.ts'

const usage = readUsage()

it('the costs in the README are those of the prices and the measurement', async () => {
  const readme = await readFile(join(root, 'functions/README.md'), 'utf8')
  expect(replaceTable(readme, writeTable(usage))).toBe(readme)
})

it.each([
  [15_000_000, 8],
  [100_000_000, 45.4],
])("the Worker costs what Cloudflare's own example says for %i requests of 7 ms", (requests, dollars) => {
  expect(costWorkers(requests, requests * 7)).toBeCloseTo(dollars, 2)
})

it('each vendor has a source, and no vendor gets cheaper with more accounts', () => {
  const costs = accountCounts.map((accounts) => estimateCosts(usage, accounts))
  for (const [index, { vendor }] of (costs[0] ?? []).entries()) {
    expect(sources.map((source) => source.vendor)).toContain(vendor)
    const dollars = costs.map((list) => list[index]?.dollars ?? 0)
    expect(dollars, vendor).toEqual(dollars.toSorted((a, b) => a - b))
  }
})

it('event streams cost nothing extra as long as the included duration suffices', () => {
  expect([costEventStreams(1), costEventStreams(100) > 50]).toEqual([0, true])
})
