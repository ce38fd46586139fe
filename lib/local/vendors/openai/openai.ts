import { setTimeout as sleep } from 'node:timers/promises'
import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import type { Clock } from '#local/clock.ts'
import type { Faults } from '#local/vendors/faults.ts'
import type { Records } from '#local/vendors/records.ts'
import { computeCost, defaultPrices } from '#rules/ai/prices.ts'
import { createAnswer, createPromptCache, type LocalAnswer, toUsage } from './openai-answer.ts'
import { embed } from './openai-embeddings.ts'
import { type LocalModel, localModels } from './openai-models.ts'
import { getTask, modelNotFound, parseCompletionRequest } from './openai-request.ts'
import { type RequestError, type WireFormat, wireFormats } from './wire-formats.ts'

type LocalEnv = { Bindings: HttpBindings }

interface OpenAiOptions {
  records: Records
  clock: Clock
  faults: Faults
  key: string
}

const dayMs = 24 * 60 * 60_000

/**
 * Create the chat completions and embeddings APIs in each recorded format, streamed or not. The answers come
 * from the rules in `model/`.
 */
export function createOpenaiRoutes(options: OpenAiOptions): Hono {
  const app = new Hono()
  // The root has no path of its own, so it comes last.
  for (const format of Object.values<WireFormat>(wireFormats).reverse())
    app.route(format.path || '/', createRoutes(format, options))
  return app
}

function createRoutes(format: WireFormat, { records, clock, faults, key }: OpenAiOptions): Hono<LocalEnv> {
  const app = new Hono<LocalEnv>()
  const countCached = createPromptCache()
  const sendError = (c: Context, error: RequestError) =>
    c.json(format.toErrorBody(error) as object, error.status)
  app.use(async (c, next) => {
    const sentKey = format.keyHeader
      ? c.req.header(format.keyHeader)
      : c.req.header('authorization')?.replace(/^Bearer /, '')
    if (sentKey === key) return next()
    return sendError(c, {
      status: 401,
      message: 'Incorrect API key provided.',
      param: null,
      code: 'invalid_api_key',
    })
  })
  app.post('/chat/completions', async (c) => {
    const body = await c.req.json().catch(() => null)
    const parsed = parseCompletionRequest(body, format)
    const common = { method: 'POST', path: `${format.path}/chat/completions`, request: shortenImages(body) }
    if ('status' in parsed) {
      records.add('ai', {
        ...common,
        status: parsed.status,
        response: parsed.message,
        task: null,
        usage: null,
      })
      return sendError(c, parsed)
    }
    const { request, model } = parsed
    const answer = createAnswer(request, model, faults, format)
    const written = answer.toolCalls.length > 0 ? JSON.stringify(answer.toolCalls) : answer.text
    const response = written.length > maxRecordedLength ? `${written.slice(0, maxRecordedLength)}…` : written
    const usage = toUsage(request, answer, countCached(request))
    const isCut = faults.take('openai', 'cut') !== undefined
    records.add('ai', {
      ...common,
      status: 200,
      response,
      task: getTask(request),
      usage: isCut ? null : toRecordedUsage(toTokens(usage)),
    })
    c.header('x-request-id', `req_${crypto.randomUUID().replaceAll('-', '')}`)
    const fields = {
      id: `chatcmpl-local${clock.now()}`,
      created: Math.floor(clock.now() / 1000),
      model: model.id,
    }
    const sentUsage = format.hidesUsage ? undefined : usage
    const sent = request.stream
      ? sendStream(c, format, fields, answer, request.stream_options?.include_usage ? sentUsage : undefined)
      : sendCompletion(c, format, fields, answer, sentUsage)
    return isCut ? cut(c, await sent.text()) : sent
  })
  app.post('/embeddings', async (c) => {
    const body = await c.req.json().catch(() => null)
    const result = embed(body)
    const common = { method: 'POST', path: `${format.path}/embeddings`, request: body }
    if ('status' in result) {
      records.add('ai', {
        ...common,
        status: result.status,
        response: result.message,
        task: null,
        usage: null,
      })
      return sendError(c, result)
    }
    const { model, data, tokens } = result
    const usage = toRecordedUsage({ input: tokens, cached: 0, output: 0, reasoning: 0 })
    records.add('ai', {
      ...common,
      status: 200,
      response: `${data.length} embeddings`,
      task: 'embedding',
      usage,
    })
    c.header('x-request-id', `req_${crypto.randomUUID().replaceAll('-', '')}`)
    return c.json({
      object: 'list',
      model,
      data,
      ...(format.hidesUsage ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } }),
    })
  })
  const toModel = ({ id, daysLeft }: LocalModel) => {
    const shutdown_date =
      daysLeft === null ? null : new Date(clock.now() + daysLeft * dayMs).toISOString().slice(0, 10)
    return { id, object: 'model', created: 0, owned_by: 'local', shutdown_date }
  }
  if (format.modelsApi !== 'none')
    app.get('/models', (c) => c.json({ object: 'list', data: localModels.map(toModel) }))
  if (!format.modelsApi)
    app.get('/models/:model', (c) => {
      const model = localModels.find(({ id }) => id === c.req.param('model'))
      return model ? c.json(toModel(model)) : sendError(c, modelNotFound(c.req.param('model')))
    })
  app.all('*', (c) =>
    sendError(c, {
      status: 404,
      message: `Unknown request URL: ${c.req.method} ${c.req.path}`,
      param: null,
      code: null,
    }),
  )
  return app
}

/** Return the tokens of a call, and their cost as the service computes it. */
function toRecordedUsage({
  reasoning,
  ...tokens
}: {
  input: number
  cached: number
  output: number
  reasoning: number
}) {
  const microDollars = computeCost(defaultPrices, '*', {
    ...tokens,
    cacheWrites: 0,
    reasoning,
    isEstimated: false,
  })
  return { ...tokens, cents: microDollars / 10_000 }
}

function toTokens({ prompt_tokens, completion_tokens, ...details }: ReturnType<typeof toUsage>) {
  const { cached_tokens: cached } = details.prompt_tokens_details
  return {
    input: prompt_tokens,
    cached,
    output: completion_tokens,
    reasoning: details.completion_tokens_details.reasoning_tokens,
  }
}

const maxRecordedLength = 20_000
const maxPieces = 200

interface CommonFields {
  id: string
  created: number
  model: string
}

const reasoning = 'The facts name the device, so I ask about it.'

function sendCompletion(
  c: Context,
  { reasoningField, toFinishReason = (reason) => reason }: WireFormat,
  common: CommonFields,
  { text, refusal, toolCalls, finishReason }: LocalAnswer,
  usage: object | undefined,
): Response {
  const thoughts = reasoningField ? { [reasoningField]: reasoning } : {}
  const message = {
    role: 'assistant',
    content: refusal === null && toolCalls.length === 0 ? text : null,
    refusal,
    ...toCallFields(toolCalls),
    ...thoughts,
  }
  return c.json({
    ...common,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: toFinishReason(finishReason), logprobs: null }],
    usage,
  })
}

/** https://developers.openai.com/api/docs/guides/function-calling */
function toCallFields(calls: LocalAnswer['toolCalls']) {
  const toCall = (called: (typeof calls)[number]) => ({
    id: `call_${crypto.randomUUID()}`,
    type: 'function',
    function: called,
  })
  return calls.length > 0 ? { tool_calls: calls.map(toCall) } : {}
}

/** Send half of a response, and break the connection. */
function cut(c: Context<LocalEnv>, text: string): Response {
  const half = new TextEncoder().encode(text.slice(0, text.length / 2))
  let isSent = false
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!isSent) controller.enqueue(half)
      // The half has to arrive before.
      else setImmediate(() => c.env.incoming.socket.destroy())
      isSent = true
    },
  })
  return c.body(body, 200, {
    'content-type': text.startsWith('data:') ? 'text/event-stream' : 'application/json',
  })
}

function sendStream(
  c: Context,
  { reasoningField, startsEmpty, toFinishReason = (reason) => reason }: WireFormat,
  common: CommonFields,
  answer: LocalAnswer,
  usage: object | undefined,
): Response {
  const encoder = new TextEncoder()
  const event = (data: unknown) =>
    encoder.encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  const chunk = (fields: object) => event({ ...common, object: 'chat.completion.chunk', ...fields })
  const delta = (delta: object, finish_reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, finish_reason }] })
  const pieceLength = Math.max(40, Math.ceil(answer.text.length / maxPieces))
  const pieces = answer.text.match(new RegExp(`[\\s\\S]{1,${pieceLength}}`, 'g')) ?? []
  let nextPiece = 0
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (startsEmpty)
        controller.enqueue(
          chunk({ choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }),
        )
      if (reasoningField) controller.enqueue(delta({ [reasoningField]: reasoning }))
    },
    async pull(controller) {
      // The pieces are sent one after the other, as fast as the client reads them.
      await sleep(0)
      const piece = pieces[nextPiece++]
      if (piece !== undefined) return controller.enqueue(delta({ content: piece }))
      if (answer.isEndless) return controller.enqueue(delta({ content: 'and so on '.repeat(100) }))
      // The name comes first and the arguments in pieces, each with the place of its call.
      for (const [index, call] of (toCallFields(answer.toolCalls).tool_calls ?? []).entries()) {
        const { name, arguments: sent } = call.function
        controller.enqueue(delta({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] }))
        for (const part of sent.match(/[\s\S]{1,20}/g) ?? [])
          controller.enqueue(delta({ tool_calls: [{ index, function: { arguments: part } }] }))
      }
      if (answer.refusal !== null) controller.enqueue(delta({ refusal: answer.refusal }))
      controller.enqueue(delta({}, toFinishReason(answer.finishReason)))
      if (usage) controller.enqueue(chunk({ choices: [], usage }))
      controller.enqueue(event('[DONE]'))
      controller.close()
    },
  })
  return c.body(body, 200, { 'content-type': 'text/event-stream' })
}

/** Copy a request for the dashboard, with images replaced by their length. */
function shortenImages(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (_key, value) =>
      typeof value === 'string' && value.startsWith('data:image/')
        ? `${value.slice(0, 30)}… (${value.length} characters)`
        : value,
    ) ?? 'null',
  )
}
