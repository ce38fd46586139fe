import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import type { Clock } from './clock.ts'
import type { Faults } from './faults.ts'
import type { Facts, Turn } from './model/facts.ts'
import { answerByRules, modelName } from './model/model.ts'
import { findInjectedAnswer } from './prompt-injection.ts'
import type { Records } from './records.ts'

interface OpenAiOptions {
  records: Records
  clock: Clock
  faults: Faults
  key: string
}

const ContentPart = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().startsWith('data:image/') }) }),
])
const CompletionRequest = z.looseObject({
  model: z.string(),
  messages: z
    .array(
      z.looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant']), content: z.union([z.string(), z.array(ContentPart)]) }),
    )
    .min(1),
  stream: z.boolean().nullish(),
  response_format: z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string().regex(/^[\w-]{1,64}$/),
      strict: z.boolean(),
      schema: z.looseObject({ type: z.literal('object') }),
    }),
  }),
  max_completion_tokens: z.int().min(1),
})
type CompletionRequest = z.infer<typeof CompletionRequest>

/** Create the chat completions API with structured outputs, streamed or not. The answers come from the rules in `model/`. */
export function createOpenaiRoutes({ records, clock, faults, key }: OpenAiOptions): Hono {
  const app = new Hono()
  app.post('/chat/completions', async (c) => {
    const body = await c.req.json().catch(() => null)
    const parsed = CompletionRequest.safeParse(body)
    const record = (status: number, response: unknown) =>
      records.add('ai', { method: 'POST', path: '/chat/completions', request: shortenImages(body), status, response })
    if (c.req.header('authorization') !== `Bearer ${key}`) {
      record(401, null)
      return sendError(c, 401, 'Incorrect API key provided.')
    }
    if (!parsed.success) {
      record(400, null)
      return sendError(c, 400, parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
    }
    const injectedText = faults.peek('openai', 'prompt_injection') ? findInjectedAnswer(parsed.data) : undefined
    const text = injectedText ?? JSON.stringify(createAnswer(parsed.data))
    record(200, text.length > maxRecordedLength ? `${text.slice(0, maxRecordedLength)}…` : text)
    return parsed.data.stream ? sendStream(c, text, clock, parsed.data) : sendCompletion(c, text, clock, parsed.data)
  })
  app.get('/models/:model', (c) => {
    if (c.req.header('authorization') !== `Bearer ${key}`) return sendError(c, 401, 'Incorrect API key provided.')
    if (c.req.param('model') !== modelName) return sendError(c, 404, `The model '${c.req.param('model')}' does not exist`)
    return c.json({ id: modelName, object: 'model', created: 0, owned_by: 'local' })
  })
  app.all('*', (c) => sendError(c, 404, `Unknown request URL: ${c.req.method} ${c.req.path}`))
  return app
}

const maxRecordedLength = 20_000

const readText = (content: CompletionRequest['messages'][number]['content']) =>
  typeof content === 'string' ? content : content.map((part) => ('text' in part ? String(part.text) : '')).join('\n')

/** Answer by rules. The first user message contains the facts as JSON; the messages after it are the conversation. */
function createAnswer({ messages, response_format }: CompletionRequest): unknown {
  const [first, ...later] = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  const turns = later.map(
    ({ role, content }): Turn => ({
      role: role === 'assistant' ? 'assistant' : 'user',
      text: readText(content),
      images: typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image_url').length,
    }),
  )
  return answerByRules(response_format.json_schema.name, parseFacts(first ? readText(first.content) : ''), turns) ?? {}
}

function parseFacts(text: string): Facts {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const estimateTokens = (text: string) => Math.ceil(text.length / 4)
const estimateUsage = (request: CompletionRequest, text: string) => {
  const prompt_tokens = request.messages.reduce((sum, { content }) => sum + estimateTokens(readText(content)), 0)
  return { prompt_tokens, completion_tokens: estimateTokens(text), total_tokens: prompt_tokens + estimateTokens(text) }
}
const commonFields = (object: string, clock: Clock) => ({
  id: `chatcmpl-local${clock.now()}`,
  object,
  created: Math.floor(clock.now() / 1000),
  model: modelName,
})

function sendCompletion(c: Context, text: string, clock: Clock, request: CompletionRequest): Response {
  const message = { role: 'assistant', content: text, refusal: null }
  return c.json({
    ...commonFields('chat.completion', clock),
    choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
    usage: estimateUsage(request, text),
  })
}

function sendStream(c: Context, text: string, clock: Clock, request: CompletionRequest): Response {
  const common = commonFields('chat.completion.chunk', clock)
  const encoder = new TextEncoder()
  const event = (data: unknown) => encoder.encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  const chunk = (delta: object, finish_reason: string | null) => event({ ...common, choices: [{ index: 0, delta, finish_reason }] })
  const pieces = text.match(/[\s\S]{1,40}/g) ?? []
  const isEndless = text.endsWith(endlessMark)
  let nextPiece = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // The pieces are sent one after the other, as fast as the client reads them.
      await sleep(0)
      const piece = pieces[nextPiece++]
      if (piece !== undefined) return controller.enqueue(chunk({ content: piece }, null))
      if (isEndless) return controller.enqueue(chunk({ content: 'and so on '.repeat(100) }, null))
      controller.enqueue(chunk({}, 'stop'))
      controller.enqueue(event({ ...common, choices: [], usage: estimateUsage(request, text) }))
      controller.enqueue(event('[DONE]'))
      controller.close()
    },
  })
  return c.body(body, 200, { 'content-type': 'text/event-stream' })
}

/** A demanded text that ends with this mark is followed by more text without end. */
export const endlessMark = '∞'

function sendError(c: Context, status: 400 | 401 | 404, message: string): Response {
  return c.json({ error: { message, type: 'invalid_request_error', param: null, code: null } }, status)
}

/** Copy a request for the dashboard, with images replaced by their length. */
function shortenImages(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (_key, value) =>
      typeof value === 'string' && value.startsWith('data:image/') ? `${value.slice(0, 30)}… (${value.length} characters)` : value,
    ) ?? 'null',
  )
}
