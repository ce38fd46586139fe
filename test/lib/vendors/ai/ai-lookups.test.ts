import { aroundEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { modelName } from '#local/model/model.ts'
import { type WireFormat, type WireFormatName, wireFormats } from '#local/vendors/openai/wire-formats.ts'
import { notFound } from '#problem.ts'
import { createBudget, requestSteps, runWithin } from '#rules/budget.ts'
import { redact } from '#rules/masking/redaction.ts'
import { secrets, startTestServer } from '#test/local/test-server.ts'
import { createAskContext } from '#test/support/ai-calls.ts'
import type { AiPort, Completion, ToolCall } from '#vendors/ai/ai.ts'
import { ask } from '#vendors/ai/ask.ts'
import { createLookups, defineTool, type Finding } from '#vendors/ai/lookups.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { chatTurn } from '#vendors/ai/prompts/diagnosis.ts'

aroundEach((runTest) => runWithin(createBudget(), runTest))

const finding: Finding = {
  source: 'DNS',
  summary: '1 address',
  result: { a: ['93.184.216.34'], owner: 'password: Hunter2secret!' },
}

function createTools(find: (domain: string) => Promise<Finding> = async () => finding) {
  const asked: string[] = []
  const tool = defineTool(
    'check_domain',
    'Look up a domain.',
    z.strictObject({ domain: z.string().min(1).max(253) }),
    ({ domain }) => {
      asked.push(domain)
      return find(domain)
    },
  )
  return { asked, lookups: createLookups([tool]) }
}

async function startModel(format: WireFormatName = 'openai') {
  const local = await startTestServer()
  const { path }: WireFormat = wireFormats[format]
  const port = openAi({ key: secrets.openaiKey, baseUrl: `${local.origin}/openai${path}`, model: modelName })
  const completions: Completion[] = []
  const ai: AiPort = {
    ...port,
    complete(completion) {
      completions.push(completion)
      return port.complete(completion)
    },
  }
  const { context, outcomes } = createAskContext()
  return {
    local,
    port,
    completions,
    outcomes,
    context: { ...context, ai, config: { ...context.config, AI_REDACTION: 'all' as const } },
  }
}

const say = (text: string) => ({ facts: {}, turns: [{ role: 'user' as const, text }] })
const question = say('Please look up the domain example.com')
const demand = (...tool_calls: { name: string; arguments: unknown }[]) =>
  say(`OBEY: ${JSON.stringify({ tool_calls })}`)
const callDomain = (domain: string) => ({ name: 'check_domain', arguments: { domain } })
const toCall = ({ name, arguments: sent }: ReturnType<typeof callDomain>): ToolCall => ({
  name,
  arguments: JSON.stringify(sent),
})

describe.each(Object.keys(wireFormats) as WireFormatName[])(
  'a model behind an endpoint in the format %s',
  (name) => {
    it.each(['streamed', 'whole'])(
      'TOL-01 gets what a tool has found, or answers without tools (%s)',
      async (kind) => {
        const { context, completions, outcomes, port } = await startModel(name)
        const { asked, lookups } = createTools()
        const listener =
          kind === 'streamed' ? { field: 'reply', onText: () => {}, onRestart: () => {} } : undefined
        const { reply } = await ask(context, chatTurn, question, listener, lookups)
        const takesTools = !(await port.ping()).missing?.includes('tools')
        expect(takesTools).toBe(!('tools' in wireFormats[name].refuses))
        expect([asked, outcomes]).toEqual(
          takesTools ? [['example.com'], ['answered', 'answered']] : [[], ['answered']],
        )
        expect(reply.includes('DNS')).toBe(takesTools)
        expect(JSON.stringify(completions)).not.toContain('Hunter2')
      },
    )
  },
)

describe('the lookups of a turn', () => {
  it('TOL-02 are redacted before the model reads them, and masked before a technician does', async () => {
    const { context, completions } = await startModel()
    const { lookups } = createTools(async () => ({ ...finding, summary: 'asked by jane@client.example' }))
    await ask(context, chatTurn, question, undefined, lookups)
    const sent = completions.at(-1)?.turns.at(-1)?.text ?? ''
    expect(sent).toContain('looked_up')
    expect(sent).not.toMatch(/93\.184|Hunter2/)
    expect(lookups.listLookups()).toEqual([
      {
        tool: 'check_domain',
        arguments: { domain: 'example.com' },
        source: 'DNS',
        summary: expect.not.stringContaining('jane@'),
      },
    ])
  })

  it('TOL-03 are at most four', async () => {
    const { asked, lookups } = createTools()
    await lookups.run(
      ['a', 'b', 'c', 'd', 'e'].map((domain) => toCall(callDomain(domain))),
      1000,
    )
    expect([asked, lookups.listTools()]).toEqual([['a', 'b', 'c', 'd'], []])
  })

  it('TOL-03 are asked for in at most two answers', async () => {
    const { asked, lookups } = createTools()
    for (const domain of ['a', 'b']) {
      expect(lookups.listTools()).toHaveLength(1)
      await lookups.run([toCall(callDomain(domain))], 1000)
    }
    expect([asked, lookups.listTools()]).toEqual([['a', 'b'], []])
  })

  it('TOL-03 have 8 KB of result each', async () => {
    const { lookups } = createTools(async () => ({ ...finding, result: 'ä'.repeat(20_000) }))
    await lookups.run([toCall(callDomain('a'))], 1000)
    expect(Buffer.byteLength(JSON.stringify(lookups.listResults()))).toBeLessThan(9000)
  })

  it('TOL-03 leave most of the work of a request to its other texts', async () => {
    const { lookups } = createTools(async () => ({ ...finding, result: 'pw'.repeat(4000) }))
    await lookups.run(Array(4).fill(toCall(callDomain('a'))), 1000)
    const budget = createBudget()
    runWithin(budget, () => redact(lookups.listResults(), 'all'))
    expect(budget.getSpent().steps).toBeLessThan(requestSteps / 2)
    expect(lookups.listLookups()[0]).toMatchObject({
      source: null,
      summary: 'The result takes too much work to mask',
    })
  })

  it('TOL-03 end when the time of the turn is over', async () => {
    const { lookups } = createTools(() => new Promise(() => {}))
    await lookups.run([toCall(callDomain('a'))], 1)
    expect(lookups.listResults()).toMatchObject([{ error: 'The lookup took too long' }])
    expect(lookups.listLookups()).toMatchObject([{ source: null, summary: 'The lookup took too long' }])
  })

  it.each([
    ['an unknown tool', { name: 'delete_flow', arguments: {} }, 'There is no such tool'],
    [
      'arguments that are no JSON',
      { name: 'check_domain', arguments: '{"domain":' },
      'The arguments do not match the schema of the tool',
    ],
    [
      'another argument',
      { name: 'check_domain', arguments: { domain: 'a', all: true } },
      'The arguments do not match the schema of the tool',
    ],
    [
      'a character that no row can have',
      callDomain('a\u0000'),
      'The arguments do not match the schema of the tool',
    ],
    ['null', { name: 'check_domain', arguments: null }, 'The arguments do not match the schema of the tool'],
    ['what does not exist', callDomain('missing'), 'Domain not found'],
  ])('TOL-04 tell the model about %s', async (_, call, error) => {
    const { local, context, completions } = await startModel()
    local.faults.set({ service: 'openai', mode: 'prompt_injection', times: 9 })
    const { lookups } = createTools(async (domain) => {
      throw notFound(domain === 'missing' ? 'Domain' : domain)
    })
    const answer = ask(context, chatTurn, demand(call), undefined, lookups)
    await expect(answer).rejects.toMatchObject({ cause: { kind: 'unusable' } })
    expect(lookups.listResults()[0]).toMatchObject({ error })
    expect(completions.map(({ tools }) => tools?.length ?? 0)).toEqual([1, 1, 0, 0])
  })
})

it.each([
  ['with its name', 'not a name', 0],
  ['in words of its own', 'docs__search', 1],
])(
  'TOL-16 a tool of another service that an endpoint refuses %s switches off no other tool',
  async (_, name, times) => {
    const { local, context, completions, port } = await startModel()
    if (times > 0) local.faults.set({ service: 'openai', mode: 'client_error', times })
    const { asked, lookups } = createTools()
    const outside = {
      name,
      description: '',
      parameters: { type: 'object' },
      isOutside: true,
      run: async () => undefined,
    } as const
    const { reply } = await ask(context, chatTurn, question, undefined, {
      ...lookups,
      listTools: () => [...lookups.listTools(), ...(asked.length > 0 ? [] : [outside])],
    })
    expect([asked, reply.includes('DNS'), completions.length]).toEqual([['example.com'], true, 2])
    expect((await port.ping()).missing).toEqual([])
  },
)
