import { afterEach, aroundEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { createBudget, runWithin } from '#rules/budget.ts'
import { createAskContext } from '#test/support/ai-calls.ts'
import { AiFailure, type AiPort, type Completion } from '#vendors/ai/ai.ts'
import { ask, type Prompt, toProviderProblem } from '#vendors/ai/ask.ts'
import { askForNewFix } from '#vendors/ai/ask-for-new-fix.ts'
import { askUntilValid } from '#vendors/ai/ask-until-valid.ts'

aroundEach((runTest) => runWithin(createBudget(), runTest))

const fix = z.strictObject({ title: z.string(), description: z.string() })
const prompt = {
  ...{ name: 'n', version: 1, instructions: 'Write.', answerTokens: 100, effort: 'low' },
  answer: z.strictObject({ fix }),
} as const satisfies Prompt
const answer = '{"fix":{"title":"a","description":"d"}}'

/**
 * Create a model that fails with `failure` first, if there is one, and record the time limit of each call.
 */
function createModel(failure?: AiFailure) {
  const { context } = createAskContext()
  const limits: number[] = []
  const ai: AiPort = {
    isConfigured: true,
    model: 'm',
    async complete({ timeoutMs }: Completion) {
      limits.push(timeoutMs)
      if (failure && limits.length === 1) throw failure
      return {
        text: answer,
        usage: { input: 0, cached: 0, cacheWrites: 0, output: 0, reasoning: 0, isEstimated: false },
        requestId: null,
      }
    },
    ping: async () => ({ isLimited: false, shutdownAt: null }),
  }
  return { context: { ...context, ai }, limits }
}
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

describe('askForNewFix', () => {
  it.each([
    [239_999, [5000, 1]],
    [240_000, [5000]],
  ])('asks again when an answer took %i ms: %j', async (ms, limits) => {
    const model = createModel()
    const isRepeated = () => {
      if (model.limits.length === 1) pass(ms)
      return true
    }
    // The limit of the prompt itself applies to the first question.
    const result = await askForNewFix(model.context, { ...prompt, totalMs: 5000 }, { facts: {} }, isRepeated)
    expect([result.isRepeated, model.limits.slice(0, 2)]).toEqual([true, limits])
  })
})

describe('askUntilValid', () => {
  it.each([
    [239_999, [120_000, 1]],
    [240_000, [120_000]],
  ])('asks again when an answer took %i ms: %j', async (ms, limits) => {
    const model = createModel()
    const judge = () => {
      if (model.limits.length === 1) pass(ms)
      return { problems: ['p'] }
    }
    const error = await askUntilValid(model.context, prompt, { facts: {} }, judge).catch(
      (failure: unknown) => failure,
    )
    expect(error).toMatchObject({
      kind: 'ai_provider_error',
      cause: new Error('The answer was not usable: 1 problems'),
    })
    expect(model.limits.slice(0, 2)).toEqual(limits)
  })
})

describe('ask', () => {
  it.each([
    [1001, 2],
    [1000, 1],
  ])('with %i ms in all and a wait of 1,000 ms makes %i calls', async (totalMs, calls) => {
    const model = createModel(new AiFailure('limited', 'm', { retryAfterMs: 1000 }))
    await ask(model.context, { ...prompt, totalMs }, { facts: {} }).catch(() => {})
    expect(model.limits).toHaveLength(calls)
  })

  it.each([
    [20_000, '20'],
    [20_001, '21'],
  ])('a provider that asks to wait %i ms delays the client by %s s', (retryAfterMs, seconds) => {
    expect(toProviderProblem(new AiFailure('limited', 'm', { retryAfterMs })).headers).toEqual({
      'retry-after': seconds,
    })
  })
})
