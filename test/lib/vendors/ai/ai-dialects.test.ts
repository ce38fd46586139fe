import { afterAll, aroundEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createBudget, runWithin } from '#rules/budget.ts'
import { createAskContext } from '#test/support/ai-calls.ts'
import { listVariants } from '#test/support/answer-variants.ts'
import { startVendorServer, type VendorAnswer } from '#test/support/vendor-server.ts'
import { ask, type Prompt, type Question } from '#vendors/ai/ask.ts'
import { createLookups, defineTool } from '#vendors/ai/lookups.ts'
import { openAi } from '#vendors/ai/openai.ts'
import { estimateTokens } from '#vendors/ai/token-estimate.ts'

// Each dialect in which an endpoint may say the same, whole and streamed, as a question sees it.

const vendor = await startVendorServer()
afterAll(vendor.close)
aroundEach((runTest) => runWithin(createBudget(), runTest))

const prompt = {
  ...{ name: 'n', version: 1, instructions: 'Answer.', answerTokens: 12_000, effort: 'medium' },
  answer: z.strictObject({ reply: z.string() }),
} as const satisfies Prompt
const json = { 'content-type': 'application/json' }
const answerText = '{"reply":"done"}'

const toWhole = (message: object, finish_reason: unknown = 'stop', more: object = {}): VendorAnswer => ({
  headers: json,
  body: { choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }], ...more },
})
const toStream = (deltas: readonly object[], finish_reason: unknown = 'stop'): VendorAnswer => ({
  headers: { 'content-type': 'text/event-stream' },
  body: [
    ...deltas.map((delta) => JSON.stringify({ choices: [{ delta }] })),
    ...(finish_reason === null ? [] : [JSON.stringify({ choices: [{ delta: {}, finish_reason }] })]),
    '[DONE]',
  ]
    .map((data) => `data: ${data}\n\n`)
    .join(''),
})

/** Ask with two tools. Return the answer or why there is none, the lookups, and the ceilings that were sent. */
async function askVendor({
  isStreamed = false,
  question = { facts: {} } as Question,
  port = openAi({ key: 'k', baseUrl: vendor.origin, model: 'm' }),
} = {}) {
  const { context } = createAskContext()
  const looked: string[] = []
  const tools = (['find', 'read'] as const).map((name) =>
    defineTool(name, 'Find.', z.strictObject({ text: z.string() }), async ({ text }) => {
      looked.push(`${name} ${text}`)
      return { source: 's', summary: text, result: text }
    }),
  )
  vendor.requests.length = 0
  const listener = isStreamed ? { field: 'reply', onText: () => {}, onRestart: () => {} } : undefined
  const answer = await ask({ ...context, ai: port }, prompt, question, listener, createLookups(tools)).then(
    ({ reply }) => reply,
    (error: Error) => error.message,
  )
  const bodies = vendor.requests.map(({ body }) => JSON.parse(body))
  return {
    answer,
    looked,
    bodies,
    ceilings: bodies.map((body) => body.max_completion_tokens ?? body.max_tokens),
  }
}

/** Answer the first request with this, and the next ones with the answer of the prompt. */
const answerFirst = (first: VendorAnswer) => {
  vendor.answer = () => (vendor.requests.length === 1 ? first : toWhole({ content: answerText }))
}
const both = [
  ['whole', false],
  ['streamed', true],
] as const

describe('TOL-01 a call of a tool is read', () => {
  const calls = [
    { id: 'a', name: 'find', text: '{"text":"printer"}' },
    { id: 'b', name: 'read', text: '{"text":"VPN"}' },
  ]
  const halve = (text: string) => [text.slice(0, 9), text.slice(9)]
  type Piece = { id: string; name: string; place: number; part: number; text: string }
  /** What a piece has, beside its part of the arguments. `part` is 0 for the first piece of a call. */
  const marks: Record<string, (piece: Piece) => object> = {
    'an index, with id and name once': ({ id, name, place, part }) => ({
      index: place,
      ...(part === 0 ? { id, function: { name } } : {}),
    }),
    'an index, with id and name in each piece': ({ id, name, place }) => ({
      index: place,
      id,
      function: { name },
    }),
    'an index and a growing name': ({ id, name, place, part }) => ({
      index: place,
      id,
      function: { name: part === 0 ? name.slice(0, 2) : name },
    }),
    'an index and a name in pieces': ({ name, place, part }) => ({
      index: place,
      function: { name: part === 0 ? name.slice(0, 2) : name.slice(2) },
    }),
    'an id alone': ({ id, name, part }) => ({ id, function: part === 0 ? { name } : {} }),
    'an id, and the same index for all': ({ id, name, part }) => ({
      index: 0,
      id,
      function: part === 0 ? { name } : {},
    }),
    'the same index for all, and an id once': ({ id, name, part }) => ({
      index: 0,
      ...(part === 0 ? { id, function: { name } } : {}),
    }),
    'a name alone, once': ({ name, part }) => ({ function: part === 0 ? { name } : {} }),
    'an empty id, and a null name later': ({ name, place, part }) => ({
      index: place,
      id: '',
      function: { name: part === 0 ? name : null },
    }),
    'an index as a text': ({ id, name, place, part }) => ({
      index: String(place),
      ...(part === 0 ? { id, function: { name } } : {}),
    }),
  }
  const toPiece = (mark: (piece: Piece) => object, piece: Piece) => {
    const marked = mark(piece) as { function?: object }
    return { type: 'function', ...marked, function: { ...marked.function, arguments: piece.text } }
  }

  it.each(
    Object.entries(marks).flatMap(([name, mark]) => [1, 2].map((parts) => [name, parts, mark] as const)),
  )('by %s, in %i pieces', async (_, parts, mark) => {
    const deltas = calls.flatMap(({ text, ...call }, place) =>
      (parts === 1 ? [text] : halve(text)).map((each, part) => ({
        tool_calls: [toPiece(mark, { ...call, place, part, text: each })],
      })),
    )
    // A growing name needs its second piece.
    if (parts === 1 && /growing|in pieces/.test(_)) return expect(deltas).toHaveLength(2)
    answerFirst(toStream(deltas, 'tool_calls'))
    expect(await askVendor({ isStreamed: true })).toMatchObject({
      answer: 'done',
      looked: ['find printer', 'read VPN'],
    })
  })

  const plain = calls.map(({ id, name, text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }))
  const messages: Record<string, object> = {
    'a list': { tool_calls: plain },
    'a list without ids': { tool_calls: plain.map(({ id: _, ...call }) => call) },
    'a list with one index': { tool_calls: plain.map((call) => ({ ...call, index: 0 })) },
    objects: {
      tool_calls: plain.map((call) => ({
        ...call,
        function: { ...call.function, arguments: JSON.parse(call.function.arguments) },
      })),
    },
    'flat calls': { tool_calls: calls.map(({ id, name, text }) => ({ id, name, arguments: text })) },
  }
  it.each(
    Object.entries(messages).flatMap(([name, message]) =>
      both.map((way) => [name, ...way, message] as const),
    ),
  )('of %s, %s', async (_, __, isStreamed, message) => {
    answerFirst(
      isStreamed ? toStream([message], 'tool_calls') : toWhole({ content: null, ...message }, 'tool_calls'),
    )
    expect(await askVendor({ isStreamed })).toMatchObject({
      answer: 'done',
      looked: ['find printer', 'read VPN'],
    })
  })

  const find = { name: 'find', arguments: { text: 'printer' } }
  const single: Record<string, object> = {
    'the older function_call': { function_call: { name: 'find', arguments: '{"text":"printer"}' } },
    'one object': { tool_calls: { id: 'a', function: find } },
    'the text of Hermes': { content: `<tool_call>\n${JSON.stringify(find)}\n</tool_call>` },
    'the text of Mistral': { content: `[TOOL_CALLS] [${JSON.stringify(find)}]` },
    'the text of Mistral 3': { content: `[TOOL_CALLS]find{"text":"printer"}` },
    'the text of Llama': { content: `<|python_tag|>{"name":"find","parameters":{"text":"printer"}}` },
    'the text of Llama 3.2': { content: '<function=find>{"text":"printer"}</function>' },
    'the text of Qwen': {
      content:
        '<tool_call>\n<function=find>\n<parameter=text>\nprinter\n</parameter>\n</function>\n</tool_call>',
    },
    'the text of DeepSeek': {
      content:
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find\n```json\n{"text":"printer"}\n```<｜tool▁call▁end｜>',
    },
    'the text of gpt-oss': {
      content:
        '<|channel|>commentary to=functions.find <|constrain|>json<|message|>{"text":"printer"}<|call|>',
    },
    'the text of Phi': { content: `functools[${JSON.stringify(find)}]` },
    'a fence': { content: `I look it up.\n\`\`\`json\n${JSON.stringify(find)}\n\`\`\`` },
    'the JSON of the API': { content: JSON.stringify({ tool_calls: [{ function: find }] }) },
    'a namespace': { content: JSON.stringify({ name: 'functions.find', arguments: { text: 'printer' } }) },
  }
  it.each(
    Object.entries(single).flatMap(([name, message]) => both.map((way) => [name, ...way, message] as const)),
  )('as %s, %s', async (_, __, isStreamed, message) => {
    answerFirst(isStreamed ? toStream([message]) : toWhole(message))
    expect(await askVendor({ isStreamed })).toMatchObject({ answer: 'done', looked: ['find printer'] })
  })

  it('or is not offered again after it was written in a form that nobody reads', async () => {
    answerFirst(toWhole({ content: 'ACTION find :: printer' }))
    const { answer, bodies } = await askVendor()
    expect([answer, bodies.map(({ tools }) => tools?.length)]).toEqual(['done', [2, undefined]])
  })
})

describe('AIM-10 an answer is read', () => {
  it.each(
    [
      ...[
        'stop',
        'STOP',
        'eos_token',
        'end_turn',
        'stop_sequence',
        'complete',
        'COMPLETE',
        'tool_calls',
        'other',
      ],
      ...['', 'unknown', 7, {}, null, undefined],
    ].flatMap((word) => both.map((way) => [word, ...way] as const)),
  )('that ends with %j, %s', async (word, _, isStreamed) => {
    vendor.answer = () =>
      isStreamed
        ? toStream([{ content: answerText.slice(0, 5) }, { content: answerText.slice(5) }], word ?? null)
        : toWhole({ content: answerText }, word)
    expect(await askVendor({ isStreamed })).toMatchObject({ answer: 'done', bodies: { length: 1 } })
  })

  it.each(
    [
      'length',
      'MAX_TOKENS',
      'max_output_tokens',
      'model_length',
      'max-length',
      'token_limit',
      'max_completion_tokens',
    ].flatMap((word) => both.map((way) => [word, ...way] as const)),
  )('and asked for with twice the ceiling after %s, %s', async (word, _, isStreamed) => {
    answerFirst(
      isStreamed ? toStream([{ content: '{"reply":"d' }], word) : toWhole({ content: '{"reply":"d' }, word),
    )
    expect(await askVendor({ isStreamed })).toMatchObject({ answer: 'done', ceilings: [28_000, 56_000] })
  })

  it.each([
    ['content_filter', ''],
    ['SAFETY', ': safety'],
    ['refusal', ''],
    ['guardrail_intervened', ': guardrail intervened'],
    ['PROHIBITED_CONTENT', ': prohibited content'],
    ['sensitive', ': sensitive'],
  ])('but not after %s', async (word, said) => {
    vendor.answer = () => toWhole({ content: answerText }, word)
    expect(await askVendor()).toMatchObject({
      answer: `The model declined to answer; rephrase the request${said}`,
      bodies: { length: 1 },
    })
  })

  it.each([
    [{ content: '', reasoning_content: 'I think.' }, {}],
    [{ content: null, reasoning: 'I think.' }, {}],
    [{ content: [{ type: 'thinking', thinking: 'I think.' }] }, {}],
    [{ content: '' }, { usage: { completion_tokens_details: { reasoning_tokens: '27999' } } }],
  ])('AIM-01 after thoughts that used the ceiling up: %j', async (message, more) => {
    answerFirst(toWhole(message, 'stop', more))
    expect(await askVendor()).toMatchObject({ answer: 'done', ceilings: [28_000, 56_000] })
  })

  it('AIM-01 that was there when its ceiling was raised and the repetition failed', async () => {
    vendor.answer = () =>
      vendor.requests.length === 1
        ? toWhole({ content: `${answerText}  ` }, 'length')
        : { status: 500, body: '' }
    expect(await askVendor()).toMatchObject({ answer: 'done', bodies: { length: 2 } })
  })

  const recorded = toWhole({ content: answerText, refusal: null, tool_calls: null }, 'stop', {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    usage: {
      prompt_tokens: 3,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
  })
  const variants = listVariants(recorded.body)
    // Without them there is no answer.
    .filter(({ path }) => !/^choices(\.0(\.message(\.content)?)?)?$/.test(path.join('.')))
  it.each(variants.map((variant) => [variant.change, variant.body] as const))('with %s', async (_, body) => {
    vendor.answer = () => ({ headers: json, body: body as object })
    expect(await askVendor()).toMatchObject({ answer: 'done', bodies: { length: 1 } })
  })
})

const contentTypes = ['application/json', 'text/event-stream', 'text/plain', 'application/x-ndjson', '']
const asEvents = (objects: readonly object[], noise = '') =>
  [...objects.map((object) => JSON.stringify(object)), '[DONE]']
    .map((data) => `${noise}data: ${data}\n\n`)
    .join('')
const piece = (delta: object, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] })
const pieces = [piece({ role: 'assistant' }), piece({ content: '{"reply":' }), piece({ content: '"done"}' })]
const toHeaders = (type: string): Record<string, string> => (type ? { 'content-type': type } : {})
const wholeBody = toWhole({ content: answerText }).body as object

describe('AIM-10 the body says what an answer is, whatever its content type says', () => {
  const bodies: Record<string, string> = {
    'a whole answer': JSON.stringify(wholeBody),
    'a whole answer on many lines': JSON.stringify(wholeBody, null, 2),
    'a whole answer in a list': JSON.stringify([wholeBody]),
    'a whole answer and the end of a stream': `${JSON.stringify(wholeBody)}\n\ndata: [DONE]\n\n`,
    'a whole answer as an event': asEvents([wholeBody]),
    events: asEvents(pieces),
    'events with line breaks of Windows': asEvents(pieces).replaceAll('\n', '\r\n'),
    'events without a last line break': asEvents(pieces).trimEnd(),
    'events and pings': asEvents(pieces, ': ping\n\ndata:\n\ndata: : OK\n\nevent: ping\ndata: ping\n\n'),
    'events with names and ids': asEvents(pieces, 'event: chunk\nid: 1\nretry: 10\n'),
    'events of many lines': asEvents(pieces).replaceAll('"choices"', '\ndata: "choices"'),
    'lines of JSON': pieces.map((object) => JSON.stringify(object)).join('\n'),
  }
  it.each(
    Object.entries(bodies).flatMap(([name, body]) =>
      contentTypes.flatMap((type) => both.map((way) => [name, type, ...way, body] as const)),
    ),
  )('%s as "%s", asked for %s', async (_, type, __, isStreamed, body) => {
    vendor.answer = () => ({ headers: toHeaders(type), body })
    expect(await askVendor({ isStreamed })).toMatchObject({ answer: 'done', bodies: { length: 1 } })
  })

  const error = { message: 'the engine is being replaced', type: 'server_error' }
  const failures: Record<string, string> = {
    'a whole answer': JSON.stringify({ error }),
    'a list': JSON.stringify([{ error }]),
    'a choice': JSON.stringify({ choices: [{ error, finish_reason: 'error', message: { content: '' } }] }),
    'an answer of null': JSON.stringify({ choices: null, error }),
    'a text': JSON.stringify({ error: error.message }),
    'a detail': JSON.stringify({ detail: error.message }),
    'the status of a vendor': JSON.stringify({
      choices: null,
      base_resp: { status_code: 1, status_msg: error.message },
    }),
    'the first event': asEvents([{ error }]),
    'an event after an empty one': asEvents([...pieces.slice(0, 1), { error }]),
    'an event after a text': asEvents([...pieces.slice(0, 2), { error }]),
    'a named event': `event: error\ndata: ${JSON.stringify({ error })}\n\n`,
    'an event with a message alone': `event: error\ndata: ${JSON.stringify(error)}\n\n`,
  }
  it.each(
    Object.entries(failures).flatMap(([name, body]) =>
      contentTypes.flatMap((type) => both.map((way) => [name, type, ...way, body] as const)),
    ),
  )('an error in %s as "%s", asked for %s, says why', async (_, type, __, isStreamed, body) => {
    vendor.answer = () => ({ headers: toHeaders(type), body })
    expect((await askVendor({ isStreamed })).answer).toContain('the engine is being replaced')
  })
})

describe('AIM-11 a refusal teaches', () => {
  /** Refuse each request with a ceiling above `max`, or whose prompt and ceiling are above `window`. */
  const refuse =
    (max: number, window: number, say: (sent: number, prompt: number) => string): typeof vendor.answer =>
    ({ body }) => {
      const { max_completion_tokens, max_tokens, messages } = JSON.parse(body)
      const sent = max_completion_tokens ?? max_tokens
      const prompt = Math.ceil(estimateTokens(JSON.stringify(messages)) * 1.3)
      const message = say(sent, prompt)
      return sent > max || sent + prompt > window
        ? {
            status: 400,
            headers: json,
            body: { error: { message, param: 'max_tokens', code: 'invalid_value' } },
          }
        : toWhole({ content: answerText })
    }
  const many = 1e9

  it.each<[string, number, (sent: number) => string]>([
    [
      'a limit',
      16_384,
      (sent) =>
        `max_tokens is too large: ${sent}. This model supports at most 16384 completion tokens, whereas you provided ${sent}.`,
    ],
    ['a range', 8192, () => 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]'],
  ])('%s: the same question has it, and the next ones too', async (_, max, say) => {
    vendor.answer = refuse(max, many, say)
    const port = openAi({ key: 'k', baseUrl: vendor.origin, model: 'm' })
    expect(await askVendor({ port })).toMatchObject({ answer: 'done', ceilings: [28_000, max] })
    expect(await askVendor({ port })).toMatchObject({ answer: 'done', ceilings: [max] })
  })

  it('and an answer that needs more says so, without a call that would be cut again', async () => {
    const limited = refuse(4096, many, () => 'max_tokens must be at most 4096')
    vendor.answer = (request) => {
      const answer = limited(request) as VendorAnswer
      return answer.status === 400 ? answer : toWhole({ content: '{"reply":"d' }, 'length')
    }
    expect(await askVendor()).toMatchObject({
      answer: 'The answer needs more than the 4096 tokens that the model writes; ask for less at once',
      ceilings: [28_000, 4096],
    })
  })

  it.each<[string, (sent: number, prompt: number) => string]>([
    [
      'the numbers',
      (sent, prompt) =>
        `This model's maximum context length is 16000 tokens. However, you requested ${sent + prompt} tokens (${prompt} in the messages, ${sent} in the completion). Please reduce the length of the messages or completion.`,
    ],
    ['the window', () => 'The request exceeds the maximum context length of 16000 tokens'],
  ])('what prompt and answer may have together, from %s', async (_, say) => {
    vendor.answer = refuse(many, 16_000, say)
    const { answer, bodies } = await askVendor()
    expect([answer, bodies.length <= 3]).toEqual(['done', true])
  })

  it.each<[string, number, (sent: number, prompt: number) => string]>([
    ['the numbers', 4000, (_, prompt) => `prompt is too long: ${prompt} tokens > 4000 maximum`],
    ['no numbers', 32_000, () => 'Please reduce the length of the messages.'],
  ])('a prompt that is too long is shortened from its oldest part by %s', async (_, window, say) => {
    vendor.answer = refuse(many, window, say)
    const turns = Array.from({ length: 40 }, (__, n) => ({
      role: 'user' as const,
      text: `${n} ${'The printer does not print. '.repeat(20)}`,
    }))
    const { answer, bodies } = await askVendor({ question: { facts: { ticket: 'VPN' }, turns } })
    expect([answer, bodies.length <= 5]).toEqual(['done', true])
    const texts = JSON.stringify(bodies.at(-1).messages)
    expect([
      texts.includes('39 The printer'),
      texts.includes('"0 The printer'),
      /left_out/.test(texts),
    ]).toEqual([true, false, true])
  })

  it('a prompt that cannot be shortened is said to be too long', async () => {
    vendor.answer = refuse(many, 300, () => 'Your prompt is too long')
    expect(
      await askVendor({ question: { facts: {}, turns: [{ role: 'user', text: 'a'.repeat(9000) }] } }),
    ).toMatchObject({
      answer: 'The case is longer than the model reads; shorten its texts: Your prompt is too long',
    })
  })
})

describe('AIM-03 how long to wait is read', () => {
  it.each<[object | string, number]>([
    [{ error: { message: 'Rate limit reached. Please try again in 8.1s.' } }, 8100],
    [{ error: { message: 'Please try again in 950ms.' } }, 950],
    [{ error: { message: 'Please retry after 7 seconds.' } }, 7000],
    [
      [
        {
          error: {
            code: 429,
            message: 'Quota',
            details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12s' }],
          },
        },
      ],
      12_000,
    ],
    [{ error: { message: 'Slow down', retry_after: 3 } }, 3000],
  ])('in the body %j', async (body, waitMs) => {
    vendor.answer = () =>
      vendor.requests.length === 1 ? { status: 429, headers: json, body } : toWhole({ content: answerText })
    vendor.requests.length = 0
    const { context, waits } = createAskContext()
    await ask({ ...context, ai: openAi({ key: 'k', baseUrl: vendor.origin, model: 'm' }) }, prompt, {
      facts: {},
    })
    expect(waits).toEqual([waitMs])
  })
})
