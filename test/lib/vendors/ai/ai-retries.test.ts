import { aroundEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { Problem } from '#problem.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { createAskContext } from '#test/support/ai-calls.ts'
import { AiFailure, type AiFailureKind, type AiPort, type Completion } from '#vendors/ai/ai.ts'
import { ask, type Prompt, toAnswerFailure, toCompletion, toProviderProblem } from '#vendors/ai/ask.ts'
import { askForNewFix } from '#vendors/ai/ask-for-new-fix.ts'
import { askUntilValid } from '#vendors/ai/ask-until-valid.ts'

aroundEach((runTest) => runWithin(createBudget(), runTest))

const prompt = {
  ...{ name: 'n', version: 2, instructions: 'Write.', answerTokens: 100, effort: 'low' },
  answer: z.strictObject({ text: z.string() }),
} as const satisfies Prompt
const usage = { input: 100, cached: 0, cacheWrites: 0, output: 10, reasoning: 0, isEstimated: false }

/** Return a context whose model gives these answers, one after the other. */
function createModel(...answers: (string | Error)[]) {
  const { context, ...recorded } = createAskContext()
  const completions: Completion[] = []
  const ai: AiPort = {
    isConfigured: true,
    model: 'gpt-6.1-terra',
    async complete(completion) {
      completions.push(completion)
      const answer = answers[completions.length - 1] ?? '{"text":"more"}'
      if (answer instanceof Error) throw answer
      completion.onText?.(answer)
      return { text: answer, usage, requestId: 'r' }
    },
    ping: async () => ({ isLimited: false, shutdownAt: null }),
  }
  return { context: { ...context, ai }, completions, ...recorded }
}
const failure = (kind: AiFailureKind, retryAfterMs?: number) => new AiFailure(kind, 'm', { retryAfterMs })
const getOutcome = (work: Promise<{ text: string }>) =>
  work.then(
    ({ text }) => text,
    (error: Problem) => [error.status, error.message],
  )

describe('a failed call of the model', () => {
  it.each<[string | Error, number[], string | unknown[], number[]]>([
    [failure('timeout'), [], 'ok', [4100, 4100]],
    [failure('failed'), [], 'ok', [4100, 4100]],
    [failure('truncated'), [], 'ok', [4100, 8200]],
    [failure('limited'), [1000], 'ok', [4100, 4100]],
    [failure('limited', 20_000), [20_000], 'ok', [4100, 4100]],
    [failure('limited', 0), [1000], 'ok', [4100, 4100]],
    [failure('limited', 20_001), [], [502, 'The AI provider limits our calls; try again later'], [4100]],
    [failure('rejected'), [], [502, 'The AI provider refuses this request'], [4100]],
    [failure('declined'), [], [502, 'The model declined to answer; rephrase the request'], [4100]],
    [new Problem('ai_budget_exhausted'), [], [429, "This month's AI budget is used up"], [4100]],
    [new TypeError('x'), [], 'ok', [4100, 4100]],
    ['no JSON', [], 'ok', [4100, 4100]],
    ['{"text":1}', [], 'ok', [4100, 4100]],
    ['{"text":"a\\u0000"}', [], 'ok', [4100, 4100]],
    [failure('unusable'), [], 'ok', [4100, 4100]],
    [
      failure('unavailable'),
      [],
      [502, 'The AI provider does not accept the key, the account or the model'],
      [4100],
    ],
    ['{"text":"a"} or {"text":"b"}', [], 'ok', [4100, 4100]],
    ['{"text":"a"', [], 'ok', [4100, 4100]],
    ['<think>{"text":"a"}', [], 'ok', [4100, 4100]],
    ['[[[[{"text":"a"}]]]]', [], 'a', [4100]],
    ['{"text":"a","more":{"text":"b"}}', [], 'a', [4100]],
    ['The object {x} is:\n```json\n{"text":"a"}\n```\nDone.', [], 'a', [4100]],
    ['<think>{"text":"b"}</think>{"text":"a"}', [], 'a', [4100]],
    ['I know.</think>{"text":"a</think>"}', [], 'a</think>', [4100]],
  ])('with %s waits %j and ends as %j', async (first, waits, outcome, ceilings) => {
    const model = createModel(first, '{"text":"ok"}')
    expect(await getOutcome(ask(model.context, prompt, { facts: {} }))).toEqual(outcome)
    expect([model.waits, model.completions.map(({ maxTokens }) => maxTokens)]).toEqual([waits, ceilings])
  })
  it('is repeated once', async () => {
    const model = createModel(failure('failed'), failure('timeout'))
    expect(await getOutcome(ask(model.context, prompt, { facts: {} }))).toEqual([
      502,
      'The AI provider did not answer in time; try again',
    ])
    expect([model.completions.length, model.outcomes]).toEqual([2, ['failed', 'timed_out']])
  })
  it('is not repeated without time', async () => {
    const model = createModel(failure('failed'))
    expect(await getOutcome(ask(model.context, { ...prompt, totalMs: 0 }, { facts: {} }))).toEqual([
      502,
      'The AI provider failed; try again',
    ])
    expect(model.completions.map(({ timeoutMs }) => timeoutMs)).toEqual([1])
  })
  it('discards only a text that was streamed', async () => {
    const events: string[] = []
    const listener = {
      field: 'text',
      onText: (text: string) => events.push(text),
      onRestart: () => events.push('restart'),
    }
    await ask(createModel('{"text":"a"', '{"text":"b"}').context, prompt, { facts: {} }, listener)
    expect(events).toEqual(['a', 'restart', 'b'])
    events.length = 0
    await ask(createModel(failure('failed'), '{"text":"b"}').context, prompt, { facts: {} }, listener)
    expect(events).toEqual(['b'])
  })
  it.each([
    [failure('limited', 1500), { kind: 'ai_provider_error', headers: { 'retry-after': '2' } }],
    [failure('failed'), { message: 'The AI provider failed; try again', headers: {} }],
    [failure('truncated'), { message: 'The answer of the model was too long; ask for less at once' }],
    [new Error('x'), { kind: 'ai_provider_error', headers: {} }],
    [new Problem('conflict'), { kind: 'conflict' }],
  ])('is answered for %s', (error, expected) => expect(toProviderProblem(error)).toMatchObject(expected))
})

it.each<[unknown, AiFailureKind | null]>([
  [toProviderProblem(failure('declined')), 'declined'],
  [toProviderProblem(failure('unusable')), 'unusable'],
  [toProviderProblem(failure('truncated')), 'truncated'],
  [toProviderProblem(failure('timeout')), null],
  [toProviderProblem(failure('failed')), null],
  [toProviderProblem(new Error('x')), null],
  [new Problem('ai_budget_exhausted'), null],
])('AIS-50 %s means that the model has answered: %s', (error, kind) => {
  if (kind) expect(toAnswerFailure(error)).toEqual({ failure: kind, sentence: null })
  else expect(() => toAnswerFailure(error)).toThrow(error as Error)
})

describe('the request of a question', () => {
  it('has one message without a conversation, and facts around one', () => {
    const facts = { session: 1, evidence: [2] }
    const turns = [{ role: 'assistant' as const, text: 'Hi' }]
    const toTexts = (question: object) =>
      toCompletion(prompt, question as never, 1000).turns.map(({ text }) => text)
    expect(toTexts({ facts })).toEqual(['{"session":1,"evidence":[2]}'])
    expect(toTexts({ facts, turns })).toEqual(['{"session":1}', 'Hi', '{"evidence":[2]}'])
  })
  it.each([
    [500, 500],
    [0, 1],
    [-5, 1],
    [120_000, 120_000],
    [120_001, 120_000],
  ])('with %i ms left takes %i ms', (remainingMs, timeoutMs) => {
    const completion = toCompletion(prompt, { facts: {} } as never, remainingMs)
    expect([completion.timeoutMs, completion.onText, completion.maxTokens, completion.effort]).toEqual([
      timeoutMs,
      undefined,
      4100,
      'low',
    ])
  })
})

describe('an answer that is judged', () => {
  const judge =
    (good: string) =>
    ({ text }: { text: string }) =>
      text === good ? { value: text } : { problems: Array(21).fill(`not ${text}`) }
  it('is asked for again with at most 20 problems, and at most twice', async () => {
    const model = createModel('{"text":"a"}', '{"text":"b"}', '{"text":"c"}')
    expect(await askUntilValid(model.context, prompt, { facts: {} }, judge('c'))).toBe('c')
    const problems = model.completions.map(({ turns }) => JSON.parse(turns[0]?.text ?? '').problems)
    expect(problems).toEqual([[], Array(20).fill('not a'), Array(20).fill('not b')])
    const failing = createModel()
    await expect(askUntilValid(failing.context, prompt, { facts: {} }, judge('c'))).rejects.toMatchObject({
      kind: 'ai_provider_error',
    })
    expect(failing.completions).toHaveLength(3)
  })
})

describe('a fix that was tried before', () => {
  const fixPrompt = {
    ...prompt,
    answer: z.strictObject({ fix: z.strictObject({ title: z.string(), description: z.string() }) }),
  }
  const toAnswer = (title: string) => JSON.stringify({ fix: { title, description: 'd' } })
  it.each([
    [1, ['b'], false, 1],
    [2, ['a', 'b'], false, 2],
    [3, ['a', 'a', 'a', 'b'], true, 3],
  ])('is asked for %i times', async (calls, titles, isRepeated, lastCalls) => {
    const model = createModel(...titles.map(toAnswer))
    const restarts: number[] = []
    const listener = { field: 'fix', onText: () => {}, onRestart: () => restarts.push(1) }
    const result = await askForNewFix(
      model.context,
      fixPrompt,
      { facts: {} },
      (answer) => (answer as { fix: { title: string } }).fix.title === 'a',
      listener,
    )
    expect([result.isRepeated, model.completions.length, restarts.length]).toEqual([
      isRepeated,
      lastCalls,
      calls - 1,
    ])
    const refused = JSON.parse(model.completions.at(-1)?.turns[0]?.text ?? '').refused_fixes
    expect(refused).toEqual(Array(calls - 1).fill({ title: 'a', description: 'd' }))
  })
})
