import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import type { Clock } from './clock.ts'
import type { Faults } from './faults.ts'
import type { Facts, Said } from './model/case.ts'
import { answerByRules, modelName } from './model/model.ts'
import { demandIn } from './prompt-injection.ts'
import type { Records } from './records.ts'

interface OpenAiOptions {
  records: Records
  clock: Clock
  faults: Faults
  key: string
}

const Part = z.union([
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().startsWith('data:image/') }) }),
])
const Request = z.looseObject({
  model: z.string(),
  messages: z
    .array(z.looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant']), content: z.union([z.string(), z.array(Part)]) }))
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
type Request = z.infer<typeof Request>

/** The chat completions API with structured outputs, whole or streamed; behind it stands a model made of rules. */
export function openaiRoutes({ records, clock, faults, key }: OpenAiOptions): Hono {
  const app = new Hono()
  app.post('/chat/completions', async (c) => {
    const body = await c.req.json().catch(() => null)
    const parsed = Request.safeParse(body)
    const record = (status: number, response: unknown) =>
      records.add('ai', { method: 'POST', path: '/chat/completions', request: shortened(body), status, response })
    if (c.req.header('authorization') !== `Bearer ${key}`) {
      record(401, null)
      return refuse(c, 401, 'Incorrect API key provided.')
    }
    if (!parsed.success) {
      record(400, null)
      return refuse(c, 400, parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
    }
    const demand = faults.peek('openai', 'obey') ? demandIn(parsed.data) : undefined
    const text = demand ?? JSON.stringify(answer(parsed.data))
    record(200, text.length > 20_000 ? `${text.slice(0, 20_000)}…` : text)
    return parsed.data.stream ? streamed(c, text, clock, parsed.data) : whole(c, text, clock, parsed.data)
  })
  app.all('*', (c) => refuse(c, 404, `Unknown request URL: ${c.req.method} ${c.req.path}`))
  return app
}

const textOf = (content: Request['messages'][number]['content']) =>
  typeof content === 'string' ? content : content.map((part) => ('text' in part ? String(part.text) : '')).join('\n')

function answer({ messages, response_format }: Request): unknown {
  const [first, ...later] = messages.filter(({ role }) => role === 'user' || role === 'assistant')
  const said = later.map(
    ({ role, content }): Said => ({
      role: role === 'assistant' ? 'assistant' : 'user',
      text: textOf(content),
      images: typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image_url').length,
    }),
  )
  return answerByRules(response_format.json_schema.name, factsIn(first ? textOf(first.content) : ''), said) ?? {}
}

function factsIn(text: string): Facts {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const tokens = (text: string) => Math.ceil(text.length / 4)
const usageOf = (request: Request, text: string) => {
  const prompt_tokens = request.messages.reduce((sum, { content }) => sum + tokens(textOf(content)), 0)
  return { prompt_tokens, completion_tokens: tokens(text), total_tokens: prompt_tokens + tokens(text) }
}
const head = (object: string, clock: Clock) => ({
  id: `chatcmpl-local${clock.now()}`,
  object,
  created: Math.floor(clock.now() / 1000),
  model: modelName,
})

function whole(c: Context, text: string, clock: Clock, request: Request): Response {
  const message = { role: 'assistant', content: text, refusal: null }
  return c.json({
    ...head('chat.completion', clock),
    choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
    usage: usageOf(request, text),
  })
}

function streamed(c: Context, text: string, clock: Clock, request: Request): Response {
  const common = head('chat.completion.chunk', clock)
  const encoder = new TextEncoder()
  const event = (data: unknown) => encoder.encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  const chunk = (delta: object, finish_reason: string | null) => event({ ...common, choices: [{ index: 0, delta, finish_reason }] })
  const pieces = text.match(/[\s\S]{1,40}/g) ?? []
  const endless = text.endsWith(endlessMark)
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // As a real model's, its words come one after the other, and the reader's pace is kept.
      await sleep(0)
      const piece = pieces[at++]
      if (piece !== undefined) return controller.enqueue(chunk({ content: piece }, null))
      if (endless) return controller.enqueue(chunk({ content: 'and so on '.repeat(100) }, null))
      controller.enqueue(chunk({}, 'stop'))
      controller.enqueue(event({ ...common, choices: [], usage: usageOf(request, text) }))
      controller.enqueue(event('[DONE]'))
      controller.close()
    },
  })
  return c.body(body, 200, { 'content-type': 'text/event-stream' })
}

/** At the end of what `obey` is told to say: the stream goes on without end. */
export const endlessMark = '∞'

function refuse(c: Context, status: 400 | 401 | 404, message: string): Response {
  return c.json({ error: { message, type: 'invalid_request_error', param: null, code: null } }, status)
}

/** The request as the desk shows it: images are only counted in bytes. */
function shortened(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (_key, value) =>
      typeof value === 'string' && value.startsWith('data:image/') ? `${value.slice(0, 30)}… (${value.length} characters)` : value,
    ) ?? 'null',
  )
}
