import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import type { Clock } from '#local/clock.ts'
import type { Faults } from '#local/vendors/faults.ts'
import type { Records } from '#local/vendors/records.ts'
import { computeCost, defaultPrices } from '#rules/ai/prices.ts'
import { createAnswer, createPromptCache, type LocalAnswer, toUsage } from './openai-answer.ts'
import { localModels } from './openai-models.ts'
import { modelNotFound, parseCompletionRequest, type RequestError } from './openai-request.ts'

interface OpenAiOptions {
  records: Records
  clock: Clock
  faults: Faults
  key: string
}

const dayMs = 24 * 60 * 60_000

/** Create the chat completions API with structured outputs, streamed or not. The answers come from the rules in `model/`. */
export function createOpenaiRoutes({ records, clock, faults, key }: OpenAiOptions): Hono {
  const app = new Hono()
  const countCached = createPromptCache()
  app.use(async (c, next) => {
    if (c.req.header('authorization') === `Bearer ${key}`) return next()
    return sendError(c, { status: 401, message: 'Incorrect API key provided.', param: null, code: 'invalid_api_key' })
  })
  app.post('/chat/completions', async (c) => {
    const body = await c.req.json().catch(() => null)
    const parsed = parseCompletionRequest(body)
    const common = { method: 'POST', path: '/chat/completions', request: shortenImages(body) }
    if ('status' in parsed) {
      records.add('ai', { ...common, status: parsed.status, response: parsed.message, task: null, usage: null })
      return sendError(c, parsed)
    }
    const { request, model } = parsed
    const answer = createAnswer(request, model, faults)
    const response = answer.text.length > maxRecordedLength ? `${answer.text.slice(0, maxRecordedLength)}…` : answer.text
    const usage = toUsage(request, answer, countCached(request))
    records.add('ai', { ...common, status: 200, response, task: request.response_format.json_schema.name, usage: toRecordedUsage(usage) })
    c.header('x-request-id', `req_${crypto.randomUUID().replaceAll('-', '')}`)
    const fields = { id: `chatcmpl-local${clock.now()}`, created: Math.floor(clock.now() / 1000), model: model.id }
    if (!request.stream) return sendCompletion(c, fields, answer, usage)
    return sendStream(c, fields, answer, request.stream_options?.include_usage ? usage : undefined)
  })
  app.get('/models/:model', (c) => {
    const model = localModels.find(({ id }) => id === c.req.param('model'))
    if (!model) return sendError(c, modelNotFound(c.req.param('model')))
    const shutdown_date = model.daysLeft === null ? null : new Date(clock.now() + model.daysLeft * dayMs).toISOString().slice(0, 10)
    return c.json({ id: model.id, object: 'model', created: 0, owned_by: 'local', shutdown_date })
  })
  app.all('*', (c) => sendError(c, { status: 404, message: `Unknown request URL: ${c.req.method} ${c.req.path}`, param: null, code: null }))
  return app
}

/** Return the tokens of a call, and their cost as the service computes it. */
function toRecordedUsage({ prompt_tokens, completion_tokens, ...details }: ReturnType<typeof toUsage>) {
  const tokens = { input: prompt_tokens, cached: details.prompt_tokens_details.cached_tokens, output: completion_tokens }
  const { reasoning_tokens: reasoning } = details.completion_tokens_details
  const microDollars = computeCost(defaultPrices, '*', { ...tokens, cacheWrites: 0, reasoning, isEstimated: false })
  return { ...tokens, cents: microDollars / 10_000 }
}

const maxRecordedLength = 20_000
const maxPieces = 200

interface CommonFields {
  id: string
  created: number
  model: string
}

function sendCompletion(c: Context, common: CommonFields, { text, refusal, finishReason }: LocalAnswer, usage: object): Response {
  const message = { role: 'assistant', content: refusal === null ? text : null, refusal }
  return c.json({
    ...common,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finishReason, logprobs: null }],
    usage,
  })
}

function sendStream(c: Context, common: CommonFields, answer: LocalAnswer, usage: object | undefined): Response {
  const encoder = new TextEncoder()
  const event = (data: unknown) => encoder.encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  const chunk = (fields: object) => event({ ...common, object: 'chat.completion.chunk', ...fields })
  const delta = (delta: object, finish_reason: string | null = null) => chunk({ choices: [{ index: 0, delta, finish_reason }] })
  const pieceLength = Math.max(40, Math.ceil(answer.text.length / maxPieces))
  const pieces = answer.text.match(new RegExp(`[\\s\\S]{1,${pieceLength}}`, 'g')) ?? []
  let nextPiece = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // The pieces are sent one after the other, as fast as the client reads them.
      await sleep(0)
      const piece = pieces[nextPiece++]
      if (piece !== undefined) return controller.enqueue(delta({ content: piece }))
      if (answer.isEndless) return controller.enqueue(delta({ content: 'and so on '.repeat(100) }))
      if (answer.refusal !== null) controller.enqueue(delta({ refusal: answer.refusal }))
      controller.enqueue(delta({}, answer.finishReason))
      if (usage) controller.enqueue(chunk({ choices: [], usage }))
      controller.enqueue(event('[DONE]'))
      controller.close()
    },
  })
  return c.body(body, 200, { 'content-type': 'text/event-stream' })
}

function sendError(c: Context, { status, message, param, code }: Omit<RequestError, 'status'> & { status: 400 | 401 | 404 }): Response {
  return c.json({ error: { message, type: 'invalid_request_error', param, code } }, status)
}

/** Copy a request for the dashboard, with images replaced by their length. */
function shortenImages(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (_key, value) =>
      typeof value === 'string' && value.startsWith('data:image/') ? `${value.slice(0, 30)}… (${value.length} characters)` : value,
    ) ?? 'null',
  )
}
