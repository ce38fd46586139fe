import { afterAll, describe, expect, it } from 'vitest'
import { startVendorServer } from '#test/support/vendor-server.ts'
import type { AiFailure, Completion } from '#vendors/ai/ai.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { readRetryAfterMs } from '#vendors/ai/openai-errors.ts'
import { toStrictSchema } from '#vendors/ai/strict-schema.ts'
import { estimateTokens, estimateUsage } from '#vendors/ai/token-estimate.ts'

const vendor = await startVendorServer()
afterAll(vendor.close)

const completion: Completion = {
  ...{
    version: 1,
    name: 'reply',
    instructions: 'Answer.',
    turns: [{ role: 'user', text: 'Hi' }],
    maxTokens: 9,
    effort: 'low',
    timeoutMs: 3000,
  },
  schema: { $schema: 's', type: 'object', properties: { format: { type: 'string', minLength: 1 } } },
}
const open = () => openAi({ key: 'k', baseUrl: vendor.origin, model: 'm' })
const json = { 'content-type': 'application/json', 'x-request-id': 'req_1' }
const answer = (choice: object, more: object = {}) => ({
  headers: json,
  body: { id: 'c', choices: [choice], ...more },
})
const done = { message: { content: '{"a":1}' }, finish_reason: 'stop' }
const complete = (changes: Partial<Completion> = {}) => open().complete({ ...completion, ...changes })
const fail = (changes: Partial<Completion> = {}) =>
  complete(changes).then(
    () => null,
    (error: AiFailure) => error,
  )
const stream = (...chunks: object[]) => ({
  headers: { ...json, 'content-type': 'text/event-stream' },
  body: `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`,
})
const part = (content: string | null, finish_reason: string | null = null) => ({
  choices: [{ delta: { content }, finish_reason }],
})

describe('an answer of the model', () => {
  it('is returned with its tokens and the id of the request', async () => {
    const usage = {
      ...{
        prompt_tokens: 10.9,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      },
      completion_tokens_details: { reasoning_tokens: 3 },
    }
    vendor.answer = () => answer(done, { usage })
    expect(await complete()).toEqual({
      ...{ text: '{"a":1}', requestId: 'req_1' },
      usage: { input: 10, cached: 4, cacheWrites: 2, output: 5, reasoning: 3, isEstimated: false },
    })
  })
  it.each([
    [0, 0],
    [-1, 0],
    ['7', 7],
    [200_000_000, 100_000_000],
    [undefined, 0],
  ])('that reports %j tokens counts %i', async (prompt_tokens, input) => {
    vendor.answer = () => answer(done, { usage: { prompt_tokens, completion_tokens: 1 } })
    expect((await complete()).usage).toEqual({
      input,
      cached: 0,
      cacheWrites: 0,
      output: 1,
      reasoning: 0,
      isEstimated: false,
    })
  })
  it('without reported tokens has an estimate', async () => {
    vendor.answer = () => answer(done)
    expect((await complete()).usage).toEqual(estimateUsage(completion, '{"a":1}'))
  })
  it.each([
    [
      { message: { content: 'x', refusal: 'No.' }, finish_reason: 'stop' },
      'declined',
      'The model declined to answer',
    ],
    [
      { message: { content: 'x' }, finish_reason: 'content_filter' },
      'declined',
      'The model declined to answer',
    ],
    [
      { message: { content: 'x' }, finish_reason: 'length' },
      'truncated',
      'The answer reached the token ceiling',
    ],
    [{ message: { content: null }, finish_reason: 'stop' }, 'unusable', 'The model returned no text'],
    [{ message: { content: '' } }, 'unusable', 'The model returned no text'],
    [{}, 'unusable', 'The model returned no text'],
    [
      { message: { content: [{ type: 'thinking', thinking: 'x' }] }, finish_reason: 'stop' },
      'truncated',
      'The thoughts of the model reached the token ceiling',
    ],
    [
      { message: { content: 'x' }, finish_reason: 'MAX_TOKENS' },
      'truncated',
      'The answer reached the token ceiling',
    ],
    [{ message: { content: 'x' }, finish_reason: 'SAFETY' }, 'declined', 'The model declined to answer'],
    [
      { message: { content: 'x' }, finish_reason: 'error' },
      'unusable',
      'The stream of the answer ended early',
    ],
  ])('that is %j is not used', async (choice, kind, message) => {
    vendor.answer = () => answer(choice, { usage: { prompt_tokens: 3, completion_tokens: 1 } })
    expect(await fail()).toMatchObject({
      kind,
      message,
      requestId: 'req_1',
      usage: { input: 3, output: 1, isEstimated: false },
    })
  })
  it.each([
    ['x', 'STOP'],
    ['x', 'end_turn'],
    [[{ type: 'thinking', thinking: [] }, { type: 'text', text: 'x' }, null, { type: 'text' }], 'stop'],
  ])('AIM-10 with the content %j that finished with %s is read', async (content, finish_reason) => {
    vendor.answer = () => answer({ message: { content }, finish_reason })
    expect((await complete()).text).toBe('x')
  })
  it('without a reason to finish is used when it is whole', async () => {
    vendor.answer = () => answer({ message: { content: 'x' } })
    expect((await complete()).text).toBe('x')
  })
})

describe('a request to the model', () => {
  it('has the instructions, the turns with their images, and a schema without unsupported keywords', async () => {
    vendor.answer = () => answer(done)
    vendor.requests.length = 0
    await complete({
      turns: [
        { role: 'user', text: 'a', images: [new Uint8Array([1, 2])] },
        { role: 'assistant', text: 'b' },
        { role: 'user', text: 'c', images: [] },
      ],
    })
    const [{ path = '', headers = {}, body = '' } = {}] = vendor.requests
    expect([path, headers.authorization]).toEqual(['/chat/completions', 'Bearer k'])
    // The client would take these from the environment of another program.
    expect([headers['openai-organization'], headers['openai-project']]).toEqual([undefined, undefined])
    expect(JSON.parse(body)).toEqual({
      ...{ model: 'm', max_completion_tokens: 9, reasoning_effort: 'low', stream: false },
      messages: [
        { role: 'system', content: 'Answer.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AQI=' } },
          ],
        },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'c' },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'reply',
          strict: true,
          schema: { type: 'object', properties: { format: { type: 'string' } } },
        },
      },
    })
  })
  it.each([
    [400, { error: { param: 'reasoning_effort', message: 'no' } }, ['reasoning_effort']],
    [
      422,
      { detail: [{ loc: ['body', 'reasoning_effort'], msg: 'Extra inputs are not permitted' }] },
      ['reasoning_effort'],
    ],
    [400, { error: 'think value "low" is not supported for this model' }, ['reasoning_effort']],
    [
      400,
      { error: { message: "Invalid parameter: 'response_format' of type 'json_schema' is not supported" } },
      ['json_schema'],
    ],
    [500, 'Failed to parse grammar', ['json_schema']],
    [
      400,
      { error: { param: 'stream', message: 'Your organization must be verified to stream this model.' } },
      ['stream_options', 'stream'],
    ],
    [400, { error: { param: 'model', message: 'no' } }, null],
    [403, { error: { param: 'reasoning_effort', message: 'no' } }, null],
    [400, '', null],
  ])(
    'AIM-11 that is refused with %i %j is sent again without %j, and the next ones too',
    async (status, body, missing) => {
      vendor.answer = () => (vendor.requests.length === 1 ? { status, headers: json, body } : answer(done))
      vendor.requests.length = 0
      const ai = open()
      const first = await ai.complete({ ...completion, onText: () => {} }).catch(() => null)
      expect([first?.text, vendor.requests.length]).toEqual(missing ? ['{"a":1}', 2] : [undefined, 1])
      const isStreamed = !missing?.includes('stream')
      // The vendor answers every stream at once, which is learned too.
      const learned = isStreamed && missing ? [...missing, 'stream_options', 'stream'] : missing
      if (missing) expect((await ai.ping()).missing).toEqual(learned)
    },
  )
  it('AIM-11 is repeated at most seven times, and nothing is learned from what does not help', async () => {
    const message = 'tools reasoning_effort max_completion_tokens stream_options response_format stream'
    vendor.answer = ({ method }) =>
      method === 'GET'
        ? { headers: json, body: { id: 'm' } }
        : { status: 400, headers: json, body: { message } }
    vendor.requests.length = 0
    const ai = open()
    expect(
      await ai.complete({ ...completion, onText: () => {} }).catch((error: AiFailure) => error.kind),
    ).toBe('rejected')
    expect(vendor.requests).toHaveLength(8)
    expect((await ai.ping()).missing).toEqual([])
  })
  it('AIM-11 does not forget what a call learned that ran at the same time', async () => {
    const ai = open()
    const whole = { ...completion, instructions: 'slow' }
    vendor.answer = ({ method, body }) => {
      if (method === 'GET') return { headers: json, body: { id: 'm' } }
      return body.includes('reasoning_effort') && !body.includes('slow')
        ? { status: 400, headers: json, body: 'reasoning_effort' }
        : answer(done)
    }
    await Promise.all([ai.complete(completion), ai.complete(whole)])
    expect((await ai.ping()).missing).toEqual(['reasoning_effort'])
  })
  it('has the key in a header of its own for a deployment of Azure, and keeps the query of the address', async () => {
    vendor.answer = () => answer(done)
    vendor.requests.length = 0
    await openAi({
      key: 'k',
      baseUrl: `${vendor.origin}/openai/deployments/d?api-version=1`,
      model: 'm',
    }).complete(completion)
    const [{ path = '', headers = {} } = {}] = vendor.requests
    expect([path, headers['api-key']]).toEqual(['/openai/deployments/d/chat/completions?api-version=1', 'k'])
  })
})

describe('a streamed answer', () => {
  it('is passed on part by part', async () => {
    const usage = { prompt_tokens: 2, completion_tokens: 1 }
    vendor.answer = () =>
      stream(part('{"a"'), part(null), part(''), part(':1}', 'stop'), { choices: [], usage })
    vendor.requests.length = 0
    const parts: string[] = []
    const result = await complete({ onText: (text) => parts.push(text) })
    expect([parts, result.text, result.requestId, result.usage.input]).toEqual([
      ['{"a"', ':1}'],
      '{"a":1}',
      'req_1',
      2,
    ])
    expect(JSON.parse(vendor.requests[0]?.body ?? '')).toMatchObject({
      stream: true,
      stream_options: { include_usage: true },
    })
  })
  it.each([
    [[part('x')], 'unusable', 'The stream of the answer ended early'],
    [[part('x'), { error: { message: 'overloaded' } }], 'unusable', 'The stream of the answer ended early'],
    [[part('x', 'length')], 'truncated', 'The answer reached the token ceiling'],
    [
      [
        { choices: [{ delta: { refusal: 'No' } }] },
        { choices: [{ delta: { refusal: '.' }, finish_reason: 'stop' }] },
      ],
      'declined',
      'The model declined to answer',
    ],
  ])('of %j is not used', async (chunks, kind, message) => {
    vendor.answer = () => stream(...chunks)
    expect(await fail({ onText: () => {} })).toMatchObject({ kind, message, usage: { isEstimated: true } })
  })
})

describe('a failed call of the model', () => {
  it.each([
    [429, { code: 'insufficient_quota' }, {}, 'unavailable', undefined],
    [400, { code: 'model_decommissioned' }, {}, 'unavailable', undefined],
    [400, { code: 'content_filter' }, {}, 'declined', undefined],
    [400, { code: 'json_validate_failed' }, {}, 'unusable', undefined],
    [400, { code: 'toString' }, {}, 'rejected', undefined],
    [401, {}, {}, 'unavailable', undefined],
    [410, {}, {}, 'unavailable', undefined],
    [529, {}, {}, 'failed', undefined],
    [529, {}, { 'retry-after': '2' }, 'limited', 2000],
    [429, {}, {}, 'limited', undefined],
    [429, {}, { 'retry-after': '3' }, 'limited', 3000],
    [503, {}, { 'retry-after-ms': '0' }, 'limited', 0],
    [503, {}, {}, 'failed', undefined],
    [500, {}, { 'retry-after': '3' }, 'failed', 3000],
    [400, {}, {}, 'rejected', undefined],
    [404, {}, {}, 'unavailable', undefined],
    [408, {}, {}, 'failed', undefined],
    [499, {}, {}, 'rejected', undefined],
  ])('with %i %j %j is %s', async (status, error, headers, kind, retryAfterMs) => {
    vendor.answer = () => ({
      status,
      headers: { ...json, ...headers } as Record<string, string>,
      body: { error },
    })
    expect(await fail()).toMatchObject({
      ...{ kind, message: `The AI provider failed with ${status}`, requestId: 'req_1', retryAfterMs },
      usage: { input: 0, output: 0, isEstimated: false },
    })
  })
  it('without an answer costs nothing', async () => {
    vendor.answer = () => null
    expect(await fail()).toMatchObject({
      kind: 'failed',
      message: 'The AI provider failed',
      usage: { input: 0 },
    })
  })
  it.each(['application/json', 'text/html'])('that is no completion but %s is not used', async (type) => {
    vendor.answer = () => ({
      headers: { 'content-type': type },
      body: type === 'text/html' ? '<h1>Proxy</h1>' : { ok: true },
    })
    for (const changes of [{}, { onText: () => {} }])
      expect(await fail(changes)).toMatchObject({ kind: 'failed', usage: { input: 0 } })
  })
  it('that is too long is not used', async () => {
    vendor.answer = () => ({ headers: json, body: ' '.repeat(4 * 1024 * 1024 + 1) })
    expect(await fail()).toMatchObject({ kind: 'unusable', message: 'The answer is too long' })
  })
})

describe('the status of the model', () => {
  it.each([
    [200, { id: 'm', shutdown_date: '2027-01-31' }, '2027-01-31T00:00:00.000Z'],
    [200, { id: 'm', shutdown_date: 'soon' }, null],
    [200, { id: 'm', shutdown_date: 0 }, null],
    [200, { id: 'm' }, null],
    [403, {}, null],
    [429, {}, null],
  ])('after %i %j is known', async (status, body, shutdownAt) => {
    vendor.answer = () => ({ status, headers: json, body })
    const answer = await open().ping()
    expect([answer.shutdownAt?.toISOString() ?? null, answer.isLimited]).toEqual([shutdownAt, status === 429])
  })
  it.each([
    [200, { name: 'm' }, 'The AI provider returned no model'],
    [401, {}, '401'],
    [404, {}, '404'],
  ])('after %i %j is not known', async (status, body, message) => {
    vendor.answer = () => ({ status, headers: json, body })
    await expect(open().ping()).rejects.toThrow(message)
  })
})

it.each([
  [['m', 'n'], 'm'],
  [['n'], '404'],
  [null, '404'],
])('AIM-11 the status of a model that is only listed among %j is %s', async (ids, expected) => {
  vendor.answer = ({ path }) =>
    path === '/models' && ids
      ? { headers: json, body: { data: ids.map((id) => ({ id })) } }
      : { status: 404, headers: json, body: {} }
  const outcome = await open()
    .ping()
    .then(
      () => 'm',
      ({ message }: Error) => message.slice(0, 3),
    )
  expect(outcome).toBe(expected)
})

describe('readRetryAfterMs', () => {
  const now = Date.parse('2026-11-23T09:00:00Z')
  it.each([
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after-ms': '0' }, 0],
    [{ 'retry-after-ms': '-1', 'retry-after': '9' }, 9000],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after': 'Mon, 23 Nov 2026 09:00:02 GMT' }, 2000],
    [{ 'retry-after': 'Mon, 23 Nov 2026 08:00:00 GMT' }, 0],
    [{ 'retry-after': 'later' }, undefined],
    [{}, undefined],
  ])('reads %j as %j', (headers, ms) =>
    expect(readRetryAfterMs(new Headers(headers as Record<string, string>), now)).toBe(ms),
  )
  it('asks for nothing without headers', () => expect(readRetryAfterMs(undefined, now)).toBeUndefined())
})

it('toStrictSchema keeps properties that are named like a keyword', () => {
  const schema = {
    properties: { pattern: { type: 'string', pattern: 'x' }, properties: { type: 'object', format: 'y' } },
    anyOf: [{ maxLength: 1 }, null],
  }
  expect(toStrictSchema(schema)).toEqual({
    properties: { pattern: { type: 'string' }, properties: { type: 'object' } },
    anyOf: [{}, null],
  })
})

it('estimates a token per four bytes of UTF-8, and 1,000 per image', () => {
  expect(['', 'a', 'abcd', 'abcde', 'ä€'].map(estimateTokens)).toEqual([0, 1, 1, 2, 2])
  const turns = [
    { role: 'user' as const, text: 'abc', images: [new Uint8Array(1), new Uint8Array(1)] },
    { role: 'user' as const, text: '' },
  ]
  expect(estimateUsage({ ...completion, instructions: 'abc', schema: {}, turns }, 'abcde')).toEqual({
    ...{ input: 2003, cached: 0, cacheWrites: 0, output: 2, reasoning: 0, isEstimated: true },
  })
})
