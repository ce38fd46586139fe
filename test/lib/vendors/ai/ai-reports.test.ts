import { afterAll, aroundEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createBudget, runWithin } from '#rules/budget.ts'
import { createAskContext } from '#test/support/ai-calls.ts'
import { startVendorServer, type VendorAnswer } from '#test/support/vendor-server.ts'
import { ask, type Prompt } from '#vendors/ai/ask.ts'
import { createLookups, defineTool } from '#vendors/ai/lookups.ts'
import { openAi } from '#vendors/ai/openai.ts'

// Public reports on what endpoints send; test/reports.tsv has the essence of each.

const vendor = await startVendorServer()
afterAll(vendor.close)
aroundEach((runTest) => runWithin(createBudget(), runTest))

const prompt = {
  ...{ name: 'n', version: 1, instructions: 'Answer.', answerTokens: 12_000, effort: 'medium' },
  answer: z.strictObject({
    reply: z.string(),
    citations: z.array(z.int()).max(5),
    fix: z.strictObject({ title: z.string(), minutes: z.int() }).nullable(),
  }),
} as const satisfies Prompt
const json = { 'content-type': 'application/json' }
const sse = { 'content-type': 'text/event-stream' }
const text = '{"reply":"done","citations":[],"fix":null}'
const whole = (content: unknown = text, more: object = {}, choice: object = {}) => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop', ...choice }],
  ...more,
})
const good: VendorAnswer = { headers: json, body: whole() }
const fail = (status: number, body: unknown, headers: Record<string, string> = {}): VendorAnswer => ({
  status,
  headers: { ...json, ...headers },
  body,
})
const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const delta = (content: string, more: object = {}) => event({ choices: [{ delta: { content }, ...more }] })
const end = event({ choices: [{ delta: {}, finish_reason: 'stop' }] }) + event('[DONE]')
const stream = (...events: string[]): VendorAnswer => ({ headers: sse, body: events.join('') })
const streamed = [delta(text.slice(0, 9)), delta(text.slice(9)), end]

/** Ask once. Return the answer or the failure, what was looked up, and what was sent. */
async function ask1(isStreamed = false, turns: { role: 'user' | 'assistant'; text: string }[] = []) {
  const { context, waits, outcomes, costs } = createAskContext()
  const looked: string[] = []
  const tools = [
    defineTool('find', 'Find.', z.strictObject({ text: z.string() }), async ({ text: words }) => {
      looked.push(words)
      return { source: 's', summary: words, result: words }
    }),
  ]
  vendor.requests.length = 0
  const listener = isStreamed ? { field: 'reply', onText: () => {}, onRestart: () => {} } : undefined
  const port = openAi({ key: 'k', baseUrl: vendor.origin, model: 'm' })
  const answer = await ask(
    { ...context, ai: port },
    prompt,
    { facts: { a: 'b'.repeat(4000) }, turns },
    listener,
    createLookups(tools),
  ).catch((error: Error & { headers?: object }) => ({ message: error.message, headers: error.headers }))
  const bodies = vendor.requests.map(({ body }) => JSON.parse(body))
  return { answer, looked, bodies, waits, outcomes, cost: Number(costs.at(-1)) }
}
type Asked = Awaited<ReturnType<typeof ask1>>
type Body = Asked['bodies'][number]

interface Report {
  reference: string
  /** What the endpoint answers to a request with this number, from 0. */
  answer: (body: Body, place: number) => VendorAnswer
  isStreamed?: true
  turns?: { role: 'user' | 'assistant'; text: string }[]
  expected: object | ((asked: Asked) => void)
}
const first = (answer: VendorAnswer) => (_: Body, place: number) => (place === 0 ? answer : good)
const done = { answer: JSON.parse(text), bodies: { length: 1 } }
const says = (...parts: (string | RegExp)[]) => ({
  answer: { message: expect.stringMatching(new RegExp(parts.map((part) => `(?=.*${part})`).join(''))) },
})
/** Refuse each request that has this. */
const refuse =
  (has: (body: Body) => boolean, message: string, more: object = {}) =>
  (body: Body) =>
    has(body) ? fail(400, { error: { message, ...more } }) : good
const isAlternating = ({ messages }: Body) =>
  (messages as { role: string }[])
    .filter(({ role }) => role !== 'system')
    .every(({ role }, place) => role === (place % 2 === 0 ? 'user' : 'assistant'))
const conversation = [
  { role: 'user', text: 'It does not print.' },
  { role: 'assistant', text: 'Is it on?' },
  { role: 'user', text: 'Yes.' },
] as const

const compatible: Report[] = [
  {
    reference: 'vercel/ai#13506',
    isStreamed: true,
    answer: (body) =>
      JSON.stringify(body).length > 5000
        ? stream(event({ error: { message: 'Context length exceeded', code: 'CONTEXT_LENGTH_EXCEEDED' } }))
        : stream(...streamed),
    expected: { answer: done.answer },
  },
  {
    reference: 'apache/rocketmq-dashboard#2178',
    isStreamed: true,
    answer: () => stream(event({ error: { message: 'the quota is exceeded' } }), event('[DONE]')),
    expected: says('the quota is exceeded'),
  },
  {
    reference: 'aaif-goose/goose#8027',
    isStreamed: true,
    answer: () => stream(delta(''), event({ error: { message: 'the engine has died', code: 503 } })),
    expected: says('the engine has died'),
  },
  {
    reference: 'langchain-ai/langchainjs#11417',
    answer: () => ({
      headers: json,
      body: { error: { message: 'The provider is busy, retry after 40 seconds', code: 429 } },
    }),
    expected: {
      answer: { message: expect.stringMatching(/limits.*is busy/), headers: { 'retry-after': '40' } },
    },
  },
  {
    reference: 'EleutherAI/lm-evaluation-harness#2740',
    answer: () => ({
      headers: json,
      body: { status: 'FAILED', error: 'err.supplier_error', supplierError: 'Start of map found' },
    }),
    expected: says('supplier_error'),
  },
  {
    reference: 'Mintplex-Labs/anything-llm#5112',
    isStreamed: true,
    answer: () => stream(...streamed.slice(0, 2), event({ choices: [], usage: { prompt_tokens: 1 } }), end),
    expected: done,
  },
  {
    reference: 'anomalyco/opencode#50871',
    isStreamed: true,
    answer: () => stream('data: : keepalive\n\n', ...streamed),
    expected: done,
  },
  {
    reference: 'omnigent-ai/omnigent#1474',
    isStreamed: true,
    answer: () => stream('data:\n\n', delta(text.slice(0, 9)), 'data: \n\n', delta(text.slice(9)), end),
    expected: done,
  },
  {
    reference: 'theopenco/llmgateway#2334',
    isStreamed: true,
    answer: () => stream('id: 1\n', delta(text.slice(0, 9)), ': ping\n\n', delta(text.slice(9)), end),
    expected: done,
  },
  {
    reference: 'vercel/ai#2763',
    isStreamed: true,
    answer: () => stream(delta(text, { usage: { prompt_tokens: 11 } }), end),
    expected: done,
  },
  {
    reference: 'EricLBuehler/mistral.rs#79',
    answer: () => ({
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: JSON.stringify(whole()),
    }),
    expected: done,
  },
  {
    reference: 'decolua/9router#3492',
    answer: () => ({ headers: sse, body: `${JSON.stringify(whole())}\n\ndata: [DONE]\n\n` }),
    expected: done,
  },
  {
    reference: 'microsoft/foundry-dev-tools#195',
    isStreamed: true,
    answer: () => ({ headers: json, body: streamed.join('') }),
    expected: done,
  },
  {
    reference: 'Lightning-AI/LitServe#359',
    isStreamed: true,
    answer: () => ({ headers: { 'content-type': 'application/x-ndjson' }, body: streamed.join('') }),
    expected: done,
  },
  {
    reference: 'vllm-project/vllm#6862',
    turns: [...conversation],
    answer: refuse(
      (body) => !isAlternating(body),
      'After the optional system message, conversation roles must alternate user/assistant/user/assistant/...',
      { code: 400 },
    ),
    expected: ({ answer, bodies }) => {
      expect(answer).toEqual(done.answer)
      expect(JSON.stringify(bodies.at(-1))).toContain('Is it on?')
    },
  },
  {
    reference: 'EricLBuehler/mistral.rs#45',
    answer: refuse(
      ({ messages }) => messages.some(({ role }: { role: string }) => role === 'system'),
      'invalid operation: System role not supported (in chat_template:1)',
    ),
    expected: ({ answer, bodies }) => {
      expect(answer).toEqual(done.answer)
      expect(JSON.stringify(bodies.at(-1))).toContain('You help technicians')
    },
  },
  {
    reference: 'anthropics/claude-agent-sdk-python#510',
    answer: () => ({
      headers: json,
      body: whole(JSON.stringify({ reply: 'done', citations: '[1, 2]', fix: '{"title":"a","minutes":5}' })),
    }),
    expected: {
      answer: { reply: 'done', citations: [1, 2], fix: { title: 'a', minutes: 5 } },
      bodies: { length: 1 },
    },
  },
  {
    reference: 'Open-Historia/open-historia#354',
    answer: () => ({
      headers: json,
      body: whole('```json\n{"reply":"done","citations":[],"fix":null,}\n```'),
    }),
    expected: done,
  },
]

const azureAndGemini: Report[] = [
  {
    reference: 'microsoft/autogen#6465',
    isStreamed: true,
    answer: () =>
      stream(
        ...streamed.slice(0, 2),
        event({ id: '', choices: [{ finish_reason: null, index: 0, content_filter_offsets: {} }] }),
        end,
      ),
    expected: done,
  },
  {
    reference: 'AbanteAI/archive-old-cli-mentat#429',
    isStreamed: true,
    answer: () =>
      stream(
        event({
          choices: [],
          prompt_filter_results: [
            { content_filter_results: { hate: { filtered: false, severity: 'safe' } } },
          ],
        }),
        ...streamed,
      ),
    expected: done,
  },
  {
    reference: 'microsoft/semantic-kernel#5289',
    isStreamed: true,
    answer: () =>
      stream(
        delta('{"reply":"'),
        event({
          choices: [
            {
              delta: {},
              finish_reason: 'content_filter',
              content_filter_results: { violence: { filtered: true, severity: 'high' } },
            },
          ],
        }),
      ),
    expected: says('declined', 'violence'),
  },
  {
    reference: 'openai/openai-dotnet#55',
    answer: () =>
      fail(400, {
        error: {
          message: 'The response was filtered due to the prompt triggering a policy.',
          code: 'content_filter',
          innererror: { content_filter_result: { sexual: { filtered: true, severity: 'high' } } },
        },
      }),
    expected: says('sexual', 'prompt triggering a policy'),
  },
  {
    reference: 'BerriAI/litellm#1564',
    answer: () => ({
      headers: json,
      body: whole(
        text,
        {},
        {
          content_filter_result: {
            error: { code: 'content_filter_error', message: 'The contents are not filtered' },
          },
        },
      ),
    }),
    expected: done,
  },
  {
    reference: 'MicrosoftDocs/azure-docs#114013',
    answer: () =>
      fail(404, {
        error: {
          code: 'DeploymentNotFound',
          message: 'The API deployment for this resource does not exist.',
        },
      }),
    expected: says('does not exist', 'model'),
  },
  {
    reference: 'RussellCanfield/wingman-ai-vscode-extension#73',
    answer: () =>
      fail(401, {
        statusCode: 401,
        message: 'Access denied due to invalid subscription key or wrong endpoint.',
      }),
    expected: says('invalid subscription key', 'key'),
  },
  {
    reference: 'BerriAI/litellm#8638',
    answer: refuse(
      (body) => 'max_completion_tokens' in body,
      'Unrecognized request argument supplied: max_completion_tokens',
    ),
    expected: { answer: done.answer },
  },
  {
    reference: 'BerriAI/litellm#16704',
    answer: refuse(
      (body) => body.reasoning_effort === 'medium',
      "Invalid value: 'medium'. Supported values are: 'high'.",
      { param: 'reasoning_effort', code: 'invalid_value' },
    ),
    expected: { answer: done.answer },
  },
  {
    reference: 'browser-use/browser-use#2990',
    answer: refuse(
      (body) => body.response_format?.type === 'json_schema',
      "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    ),
    expected: { answer: done.answer },
  },
  {
    reference: 'Azure-Samples/azure-search-openai-demo#2496',
    answer: () =>
      fail(400, {
        error: {
          code: 'BadRequest',
          message: 'Model o3 is enabled only for api versions 2024-12-01-preview and later',
        },
      }),
    expected: says('enabled only for api versions 2024-12-01-preview'),
  },
  {
    reference: 'openai/openai-python#937',
    answer: () =>
      fail(429, { error: { message: 'Rate limit is exceeded.' } }, { 'x-ratelimit-reset-tokens': '55' }),
    expected: { answer: { headers: { 'retry-after': '55' } } },
  },
  {
    reference: 'microsoft/action-python#12',
    answer: first(
      fail(429, { error: { message: 'have exceeded call rate limit. Please retry after 3 seconds.' } }),
    ),
    expected: { answer: done.answer, waits: [3000] },
  },
  {
    reference: 'cequence-io/openai-scala-client#109',
    answer: () =>
      fail(400, [
        {
          error: {
            code: 400,
            message: 'API key not valid. Please pass a valid API key.',
            status: 'INVALID_ARGUMENT',
            details: [{ reason: 'API_KEY_INVALID' }],
          },
        },
      ]),
    expected: says('does not accept the key', 'API key not valid'),
  },
  {
    reference: 'googleapis/python-genai#660',
    answer: refuse(
      (body) => body.response_format?.type === 'json_schema',
      'The specified schema produces a constraint that has too many states for serving.',
    ),
    expected: { answer: done.answer },
  },
  {
    reference: 'vercel/ai#21192',
    answer: refuse(
      (body) => body.response_format?.type === 'json_schema',
      'Request contains an invalid argument.',
      { code: 400, status: 'INVALID_ARGUMENT' },
    ),
    expected: { answer: done.answer },
  },
  {
    reference: 'tashfeenahmed/freellmapi#97',
    answer: (body, place) =>
      JSON.stringify(body.tools ?? '').includes('additionalProperties')
        ? fail(400, {
            error: {
              message: `Invalid JSON payload received. Unknown name "additionalProperties" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
            },
          })
        : body.tools && place < 2
          ? {
              headers: json,
              body: whole(
                null,
                {},
                {
                  message: {
                    tool_calls: [{ id: 'a', function: { name: 'find', arguments: '{"text":"VPN"}' } }],
                  },
                },
              ),
            }
          : good,
    expected: { answer: done.answer, looked: ['VPN'] },
  },
  {
    reference: 'Simpleyyt/ai-manus#101',
    answer: refuse(
      (body) => body.tools && body.response_format,
      "Function calling with a response mime type: 'application/json' is unsupported",
      { status: 'INVALID_ARGUMENT' },
    ),
    expected: { answer: done.answer },
  },
  {
    reference: 'NousResearch/hermes-agent#62937',
    isStreamed: true,
    answer: (_, place) =>
      place > 0
        ? stream(...streamed)
        : stream(
            ...['VPN', 'printer'].map((words, n) =>
              event({
                choices: [
                  {
                    delta: {
                      tool_calls: [
                        {
                          index: 0,
                          id: `c${n}`,
                          function: { name: 'find', arguments: `{"text":"${words}"}` },
                        },
                      ],
                    },
                  },
                ],
              }),
            ),
            end,
          ),
    expected: { answer: done.answer, looked: ['VPN', 'printer'] },
  },
  {
    reference: 'agentjido/req_llm#944',
    answer: first({
      headers: json,
      body: { choices: [{ index: 0, finish_reason: 'UNEXPECTED_TOOL_CALL' }] },
    }),
    expected: { answer: done.answer },
  },
  {
    reference: 'mozilla-ai/any-llm#1293',
    answer: () => ({
      headers: json,
      body: whole(text, { usage: { prompt_tokens: 20, completion_tokens: 168, total_tokens: 736 } }),
    }),
    expected: ({ answer, cost }) => {
      expect(answer).toEqual(done.answer)
      // The prompt at 1 and the answer with its thoughts at 5 micro-dollars a token.
      expect(cost).toBe(20 + 716 * 5)
    },
  },
]

describe.each([
  ['OpenAI-compatible servers', compatible],
  ['Azure and Gemini', azureAndGemini],
])('AIM-10 a report on %s', (_, reports) => {
  it.each(reports.map((report) => [report.reference, report] as const))(
    '%s',
    async (_reference, { answer, isStreamed, turns, expected }) => {
      vendor.answer = ({ body }) => answer(JSON.parse(body), vendor.requests.length - 1)
      const asked = await ask1(isStreamed, turns)
      if (typeof expected === 'function') expected(asked)
      else expect(asked).toMatchObject(expected)
    },
  )
})
