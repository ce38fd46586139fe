import { describe, expect, it } from 'vitest'
import { type MetricsPort, recordWith } from '#metrics.ts'
import type { TokenUsage } from '#rules/ai/prices.ts'
import { PriceTable } from '#rules/ai/prices.ts'
import { createStubDatabase } from '#test/support/stub-database.ts'
import { AiFailure, type AiFailureKind, type AiPort, type Completion, noUsage } from '#vendors/ai/ai.ts'
import { requireAiBudget } from '#vendors/ai/budget.ts'
import { callMetered } from '#vendors/ai/ledger.ts'

const prices = PriceTable.parse('{"*": {"input": 1, "cached": 0.5, "output": 10}}')
const completion: Completion = {
  ...{
    version: 1,
    name: 'n',
    instructions: 'x'.repeat(397),
    turns: [],
    schema: {},
    maxTokens: 4000,
    effort: 'low',
    timeoutMs: 1000,
  },
}
const usage: TokenUsage = {
  input: 50,
  cached: 20,
  cacheWrites: 0,
  output: 7,
  reasoning: 3,
  isEstimated: false,
}
const budget = {
  is_exhausted: true,
  resets_at: '2026-12-01T00:00:00Z',
  seconds: 90,
  is_unpaid_exhausted: false,
  unpaid_resets_at: '',
}

/** Call the model once, and return the outcome with the statements and the metrics. */
async function call(
  respond: () => { text: string; usage: TokenUsage },
  { id = 'c1' as string | null, maxTokens = 4000 } = {},
) {
  const stub = createStubDatabase((sql) => (sql.includes('start_ai_call') ? [{ id }] : [budget]))
  const metrics: unknown[] = []
  const port: MetricsPort = {
    start: () => ({ record: (...values) => void metrics.push(values), flush: () => {} }),
  }
  const ai = {
    isConfigured: true,
    model: 'm',
    complete: async () => ({ ...respond(), requestId: 'r1' }),
    ping: async () => ({ isLimited: false, shutdownAt: null }),
  } as AiPort
  const parse = (text: string) => JSON.parse(text) as unknown
  const context = { db: stub.db, ai, config: { AI_PRICES: prices, AI_UNPAID_DAILY_BUDGET: 50 } }
  const result = await recordWith(port, () =>
    callMetered(context, { ...completion, maxTokens }, parse),
  ).catch((error: unknown) => error)
  return {
    result,
    started: stub.findStatements('start_ai_call'),
    finished: stub.findStatements('finish_ai_call'),
    metrics,
  }
}

describe('callMetered', () => {
  it('reserves the cost of the input and of at most 1,500 tokens of output', async () => {
    const respond = () => ({ text: '1', usage })
    expect((await call(respond)).started).toEqual([['n', 'm', 100 + 15_000, 50_000_000, 1]])
    expect((await call(respond, { maxTokens: 1499 })).started).toEqual([
      ['n', 'm', 100 + 14_990, 50_000_000, 1],
    ])
  })

  it('stores and counts the tokens and the cost of an answer', async () => {
    const { result, finished, metrics } = await call(() => ({ text: '{"a":1}', usage }))
    expect(result).toEqual({ a: 1 })
    expect(finished).toEqual([['c1', 'answered', 50, 20, 7, 3, 110, false, 'r1']])
    expect(metrics).toEqual([
      ['aiCalls', ['n', 'answered'], 1],
      ['aiTokens', ['input'], 50],
      ['aiTokens', ['cached'], 20],
      ['aiTokens', ['output'], 7],
      ['aiTokens', ['reasoning'], 3],
      ['aiCost', [], 0.00011],
    ])
  })

  it('stores an answer that cannot be parsed as unusable', async () => {
    const { result, finished } = await call(() => ({ text: '{', usage }))
    expect(result).toBeInstanceOf(SyntaxError)
    expect(finished).toEqual([['c1', 'unusable', 50, 20, 7, 3, 110, false, 'r1']])
  })

  it.each<[AiFailureKind, string]>([
    ['timeout', 'timed_out'],
    ['rejected', 'rejected'],
    ['unavailable', 'rejected'],
    ['unusable', 'unusable'],
    ['limited', 'limited'],
    ['truncated', 'truncated'],
    ['declined', 'declined'],
    ['failed', 'failed'],
  ])('stores a failure of the kind %s as %s', async (kind, outcome) => {
    const failure = new AiFailure(kind, 'm', { usage, requestId: 'r2' })
    const respond = () => {
      throw failure
    }
    const { result, finished } = await call(respond)
    expect([result, finished]).toEqual([failure, [['c1', outcome, 50, 20, 7, 3, 110, false, 'r2']]])
  })

  it.each([
    [1499, 1500],
    [1501, 1501],
  ])(
    'counts an estimate of %i tokens of output as %i, because the reasoning is not known',
    async (output, counted) => {
      const respond = () => {
        throw new AiFailure('timeout', 'm', { usage: { ...noUsage, output, isEstimated: true } })
      }
      expect((await call(respond)).finished).toEqual([
        ['c1', 'timed_out', 0, 0, counted, 0, counted * 10, true, null],
      ])
    },
  )

  it('stores an unknown error as a failure without cost', async () => {
    const respond = () => {
      throw new TypeError('x')
    }
    expect((await call(respond)).finished).toEqual([['c1', 'failed', 0, 0, 0, 0, 0, false, null]])
  })

  it('refuses a call above the budget, and says when the next month starts', async () => {
    const { result, finished } = await call(() => ({ text: '1', usage }), { id: null })
    expect(result).toMatchObject({
      kind: 'ai_budget_exhausted',
      status: 429,
      body: { resets_at: '2026-12-01T00:00:00Z' },
      headers: { 'retry-after': '90' },
    })
    expect(finished).toEqual([])
  })
})

it('requireAiBudget throws only when the budget is used up', async () => {
  const require = (is_exhausted: boolean) =>
    requireAiBudget({
      db: createStubDatabase(() => [{ ...budget, is_exhausted }]).db,
      config: { AI_UNPAID_DAILY_BUDGET: 50 },
    })
  await expect(require(true)).rejects.toMatchObject({
    kind: 'ai_budget_exhausted',
    headers: { 'retry-after': '90' },
  })
  await expect(require(false)).resolves.toBeUndefined()
})
