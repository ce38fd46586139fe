import { aroundEach, describe, expect, it } from 'vitest'
import { modelName } from '#local/model/model.ts'
import { type WireFormat, type WireFormatName, wireFormats } from '#local/vendors/openai/wire-formats.ts'
import { createBudget, runWithin } from '#rules/budget.ts'
import { readCases } from '#test/eval/cases.ts'
import { prompts } from '#test/eval/prompts.ts'
import { secrets, startTestServer } from '#test/local/test-server.ts'
import { createAskContext } from '#test/support/ai-calls.ts'
import { ask, type Prompt } from '#vendors/ai/ask.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { chatTurn } from '#vendors/ai/prompts/diagnosis.ts'

aroundEach((runTest) => runWithin(createBudget(), runTest))

/** What each endpoint is found not to take, after one answer that was streamed. */
const missing: Record<WireFormatName, string[]> = {
  openai: [],
  azure: [],
  azureDeployment: ['max_completion_tokens', 'reasoning_effort', 'stream_options'],
  ollama: ['reasoning_effort'],
  vllm: ['json_schema'],
  llamaCpp: ['json_schema'],
  liteLlm: ['json_schema', 'json_object', 'reasoning_effort'],
  gemini: ['stream_options'],
}

async function startEndpoint(name: WireFormatName) {
  const local = await startTestServer()
  const { path }: WireFormat = wireFormats[name]
  const ai = openAi({ key: secrets.openaiKey, baseUrl: `${local.origin}/openai${path}`, model: modelName })
  const { context, ...recorded } = createAskContext()
  const listStatuses = async () => (await local.read('/desk/ai')).map(({ status }) => status).reverse()
  return { ai, context: { ...context, ai }, listStatuses, ...recorded }
}

async function askCase(context: Parameters<typeof ask>[0], prompt: Prompt, onText?: (text: string) => void) {
  const [recorded] = await readCases(prompt.name)
  const listener = onText && { field: 'reply', onText, onRestart: () => onText('RESTART') }
  return ask(context, prompt, recorded as never, listener)
}

describe.each(Object.keys(wireFormats) as WireFormatName[])('an endpoint in the format %s', (name) => {
  it.each(prompts.map((prompt) => [prompt.name, prompt] as const))('AIM-10 answers %s', async (_, prompt) => {
    const { context, outcomes } = await startEndpoint(name)
    expect(await askCase(context, prompt)).toEqual(expect.any(Object))
    expect(outcomes).toEqual(['answered'])
  })

  it('AIM-11 is asked for what it does not take once, and then no more', async () => {
    const { ai, context, listStatuses } = await startEndpoint(name)
    await askCase(context, chatTurn, () => {})
    const first = await listStatuses()
    expect([(await ai.ping()).missing, first.filter((status) => status !== 200)]).toEqual([
      missing[name],
      missing[name].map(() => 400),
    ])
    for (let n = 0; n < 2; n++) await askCase(context, chatTurn, () => {})
    expect((await listStatuses()).slice(first.length)).toEqual([200, 200])
  })

  it('AIM-13 says that it does not know a model', async () => {
    const local = await startTestServer()
    const { path }: WireFormat = wireFormats[name]
    const ai = openAi({ key: secrets.openaiKey, baseUrl: `${local.origin}/openai${path}`, model: 'gone' })
    const { context } = createAskContext()
    await expect(askCase({ ...context, ai }, chatTurn)).rejects.toMatchObject({
      cause: { kind: 'unavailable' },
    })
  })

  it('AIM-12 streams the reply alone, without thoughts and fences', async () => {
    const { context } = await startEndpoint(name)
    let streamed = ''
    const { reply } = (await askCase(context, chatTurn, (text) => {
      streamed += text
    })) as { reply: string }
    expect(streamed).toBe(reply)
  })
})
