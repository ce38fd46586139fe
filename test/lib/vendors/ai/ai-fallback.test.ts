import { aroundEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { modelName } from '#local/model/model.ts'
import { plainModelName } from '#local/vendors/openai/openai-models.ts'
import type { Problem } from '#problem.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { secrets, startTestServer } from '#test/local/test-server.ts'
import { createAskContext } from '#test/support/ai-calls.ts'
import { AiFailure, type AiFailureKind, type AiPort, type Completion } from '#vendors/ai/ai.ts'
import { ask, type Prompt } from '#vendors/ai/ask.ts'
import { createCircuit } from '#vendors/ai/circuit.ts'
import { openAi } from '#vendors/ai/openai.ts'

aroundEach((runTest) => runWithin(createBudget(), runTest))

const prompt = {
  ...{ name: 'status_update', version: 1, instructions: 'Write.', answerTokens: 100, effort: 'low' },
  answer: z.strictObject({ text: z.string() }),
} as const satisfies Prompt
const usage = { input: 100, cached: 0, cacheWrites: 0, output: 10, reasoning: 0, isEstimated: false }
const failure = (kind: AiFailureKind, retryAfterMs?: number) => new AiFailure(kind, kind, { retryAfterMs })

/** Return a provider that gives these answers, one after the other, and then its name. */
function createProvider(model: string, answers: (string | Error)[], calls: string[]): AiPort {
  return {
    isConfigured: true,
    model,
    async complete({ onText }: Completion) {
      calls.push(model)
      const answer = answers.shift() ?? `{"text":"${model}"}`
      if (answer instanceof Error) throw answer
      onText?.(answer)
      return { text: answer, usage, requestId: null }
    },
    ping: async () => ({ isLimited: false, shutdownAt: null }),
  }
}

/** Return a context with two providers, whose clock the test moves. */
function createProviders(firstAnswers: (string | Error)[], secondAnswers: (string | Error)[] = []) {
  const calls: string[] = []
  const clock = { now: 0 }
  const { context, ...recorded } = createAskContext()
  const first = createProvider('first', firstAnswers, calls)
  const fallback = {
    ai: createProvider('second', secondAnswers, calls),
    circuit: createCircuit(60_000, () => clock.now),
  }
  const askOnce = (question = prompt as Prompt) =>
    ask({ ...context, ai: { ...first, fallback } }, question, { facts: {} }).then(
      ({ text }) => text,
      ({ message }: Problem) => message,
    )
  return { askOnce, calls, clock, ...recorded }
}

describe('a second provider', () => {
  it.each<[(string | Error)[], string[], number[], string]>([
    [[failure('failed')], ['first', 'second'], [], 'second'],
    [[failure('timeout')], ['first', 'second'], [], 'second'],
    [[failure('unavailable')], ['first', 'second'], [], 'second'],
    [[failure('limited', 20_001)], ['first', 'second'], [], 'second'],
    [[failure('limited', 3000)], ['first', 'first'], [3000], 'first'],
    [[failure('limited', 3000), failure('limited', 3000)], ['first', 'first', 'second'], [3000], 'second'],
    [[failure('unusable'), failure('failed')], ['first', 'first', 'second'], [], 'second'],
    [[failure('truncated')], ['first', 'first'], [], 'first'],
    [['no JSON'], ['first', 'first'], [], 'first'],
    [['no JSON', 'no JSON'], ['first', 'first'], [], 'The answer of the model was not usable; try again'],
    [[failure('declined')], ['first'], [], 'The model declined to answer; rephrase the request'],
    [[failure('rejected')], ['first'], [], 'The AI provider refuses this request'],
  ])('AIM-13 after %s is asked as %j', async (answers, expectedCalls, waits, text) => {
    const providers = createProviders(answers)
    expect([await providers.askOnce(), providers.calls, providers.waits]).toEqual([
      text,
      expectedCalls,
      waits,
    ])
  })

  it('AIM-13 is asked once more itself, and its failure is the answer', async () => {
    const providers = createProviders([failure('failed')], [failure('failed'), failure('timeout')])
    expect([await providers.askOnce(), providers.calls]).toEqual([
      'The AI provider did not answer in time; try again',
      ['first', 'second', 'second'],
    ])
  })

  it('AIM-13 discards the text that the first one streamed', async () => {
    const calls: string[] = []
    const { context } = createAskContext()
    const first: AiPort = {
      ...createProvider('first', [], calls),
      complete: async ({ onText }) => {
        onText?.('{"text":"a')
        throw failure('failed')
      },
    }
    const ai = { ...first, fallback: { ai: createProvider('second', [], calls), circuit: createCircuit() } }
    const events: string[] = []
    const listener = {
      field: 'text',
      onText: (text: string) => events.push(text),
      onRestart: () => events.push('restart'),
    }
    await ask({ ...context, ai }, prompt, { facts: {} }, listener)
    expect(events).toEqual(['a', 'restart', 'second'])
  })

  it('AIM-14 answers alone for a pause that doubles with each failed try, until the first one answers again', async () => {
    const { askOnce, calls, clock } = createProviders([failure('failed'), failure('unavailable')])
    const askAt = async (seconds: number) => {
      clock.now = seconds * 1000
      calls.length = 0
      await askOnce()
      return calls.join()
    }
    expect(await askAt(0)).toBe('first,second')
    for (const second of [1, 59]) expect(await askAt(second)).toBe('second')
    expect(await askAt(60)).toBe('first,second')
    for (const second of [61, 179]) expect(await askAt(second)).toBe('second')
    expect(await askAt(180)).toBe('first')
    expect(await askAt(181)).toBe('first')
  })

  it('AIM-14 is not asked alone when it fails too: the first one takes over', async () => {
    const { askOnce, calls } = createProviders([failure('failed')], ['{"text":"second"}', failure('failed')])
    expect([await askOnce(), await askOnce(), calls]).toEqual([
      'second',
      'first',
      ['first', 'second', 'second', 'first'],
    ])
  })

  it('AIM-14 does not answer alone after a time-out that the prompt chose short', async () => {
    const { askOnce, calls } = createProviders([failure('timeout')])
    expect([await askOnce({ ...prompt, totalMs: 15_000 }), await askOnce(), calls]).toEqual([
      'second',
      'first',
      ['first', 'second', 'first'],
    ])
  })

  it('AIM-14 makes a first provider that does not answer cost one slow turn of many', async () => {
    const [local, other] = [await startTestServer(), await startTestServer()]
    local.faults.set({ service: 'openai', mode: 'hang', times: 99 })
    const silent = openAi({ key: secrets.openaiKey, baseUrl: `${local.origin}/openai`, model: modelName })
    const second = openAi({
      key: secrets.openaiKey,
      baseUrl: `${other.origin}/openai`,
      model: plainModelName,
    })
    const { context } = createAskContext()
    const ai: AiPort = {
      ...silent,
      complete: (completion) => silent.complete({ ...completion, timeoutMs: completion.timeoutMs / 600 }),
      fallback: { ai: second, circuit: createCircuit() },
    }
    for (let n = 0; n < 10; n++)
      expect((await ask({ ...context, ai }, prompt, { facts: {} })).text).not.toBe('')
    expect(99 - (local.faults.peek('openai')?.times ?? 0)).toBe(1)
  })
})

describe('a circuit', () => {
  it('AIM-14 lets one call try after the pause, and others wait for it', () => {
    let now = 0
    const circuit = createCircuit(1000, () => now)
    expect([circuit.isOpen(), circuit.isFailing]).toEqual([false, false])
    // Calls that fail together are one failure.
    for (let n = 0; n < 32; n++) circuit.open()
    now = 999
    expect([circuit.isOpen(), circuit.isFailing]).toEqual([true, true])
    now = 1000
    expect([circuit.isOpen(), circuit.isOpen()]).toEqual([false, true])
    circuit.close()
    expect([circuit.isOpen(), circuit.isFailing]).toEqual([false, false])
  })
  it('AIM-14 pauses for as long as the provider asks, at most half an hour', () => {
    let now = 0
    const circuit = createCircuit(1000, () => now)
    circuit.open(5000)
    now = 4999
    expect(circuit.isOpen()).toBe(true)
    circuit.open(1e9)
    now = 4999 + 30 * 60_000 - 1
    expect(circuit.isOpen()).toBe(true)
    now++
    expect(circuit.isOpen()).toBe(false)
  })
})
