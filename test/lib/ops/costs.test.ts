import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { costEventStreams, costWorkers, estimateCosts } from '#test/bench/costs/estimate.ts'
import { estimateNeeds } from '#test/bench/costs/needs.ts'
import { sources } from '#test/bench/costs/prices.ts'
import { readProcessorTime } from '#test/bench/costs/processor-time.ts'
import { readUsage, replaceTable, writeTable } from '#test/bench/costs/table.ts'
import { accountCounts } from '#test/bench/costs/usage.ts'

const usage = readUsage()

it('the costs in the README are those of the prices and the measurement', async () => {
  const readme = await readFile(join(root, 'functions/README.md'), 'utf8')
  expect(replaceTable(readme, writeTable(usage, readProcessorTime()))).toBe(readme)
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

it('the needs of the busiest hour follow from the requests and the processor time of each', () => {
  const [small, large] = [
    estimateNeeds(usage, readProcessorTime(), 100),
    estimateNeeds(usage, readProcessorTime(), 10_000),
  ]
  expect(large.requestsPerSecond / small.requestsPerSecond).toBeCloseTo(100, -1)
  expect(large.nodeProcesses).toBeGreaterThan(large.nodeCores)
  const perRequest = {
    postgres: large.postgresCores / large.requestsPerSecond,
    node: large.nodeCores / large.requestsPerSecond,
  }
  for (const seconds of Object.values(perRequest)) expect(seconds > 0.0002 && seconds < 0.01).toBe(true)
})
