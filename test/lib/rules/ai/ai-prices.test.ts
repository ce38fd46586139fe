import { expect, it } from 'vitest'
import { computeCost, defaultPrices, PriceTable } from '#rules/ai/prices.ts'
import { noUsage } from '#vendors/ai/ai.ts'
import { readRetryAfterMs } from '#vendors/ai/openai-errors.ts'

const usage = { ...noUsage, input: 10_000, cached: 4000, cacheWrites: 2000, output: 1000, reasoning: 600 }

it('computes the cost of fresh, cached, stored and answered tokens in micro-dollars', () => {
  expect(computeCost(defaultPrices, 'gpt-6.1-terra', usage)).toBe(
    4000 * 1 + 4000 * 0.05 + 2000 * 1.25 + 1000 * 5,
  )
  expect(computeCost(defaultPrices, 'gpt-6.1-terra', noUsage)).toBe(0)
  expect(computeCost(defaultPrices, 'gpt-6.1-terra', { ...noUsage, cached: 1, input: 1 })).toBe(1)
})

it('charges an unknown model the price of all others, and tokens without a price of their own as input', () => {
  const prices = PriceTable.parse('{"*": {"input": 2, "output": 8}}')
  expect(computeCost(prices, 'my-model', usage)).toBe(10_000 * 2 + 1000 * 8)
})

it.each([
  '',
  '{}',
  '[]',
  '{"m": {"input": 1, "output": 1}}',
  '{"*": {"input": -1, "output": 1}}',
  '{"*": {"input": 1}}',
  '{"*": {"input": 1, "output": 1, "x": 1}}',
])('refuses the price table %s', (text) => {
  expect(PriceTable.safeParse(text).success).toBe(false)
})

it.each([
  [{}, undefined],
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
  [{ 'retry-after': 'Sun, 22 Nov 2026 10:00:05 GMT' }, 5000],
  [{ 'retry-after': 'Sun, 22 Nov 2026 09:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, undefined],
])('reads %j as a wait of %s ms', (headers, ms) => {
  expect(
    readRetryAfterMs(new Headers(headers as Record<string, string>), Date.parse('2026-11-22T10:00:00Z')),
  ).toBe(ms)
})
