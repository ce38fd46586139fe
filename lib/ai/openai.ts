import OpenAI, { APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'
import type { ChatCompletionContentPart, ChatCompletionCreateParamsBase } from 'openai/resources/chat/completions'
import { AnswerTooLongError, createBoundedFetch } from '../net/bounded-fetch.ts'
import { AiFailure, type AiPort, type Completion, type CompletionResult, type Turn } from './ai.ts'

export interface OpenAiSettings {
  key: string
  baseUrl: string
  model: string
}

// Of one response with all its events. Longer than any answer within the token limit.
const maxBytes = 4 * 1024 * 1024
// Longer than any completion may take. Each completion has a shorter time-out of its own.
const maxTimeoutMs = 10 * 60_000
const pingTimeoutMs = 5000

/** Create a port that calls the chat completions API with a JSON schema for the answer. It never repeats a call; that is up to the caller. */
export function openAi({ key, baseUrl, model }: OpenAiSettings): AiPort {
  const fetchBounded = createBoundedFetch({ timeoutMs: maxTimeoutMs, maxBytes })
  const client = new OpenAI({ apiKey: key, baseURL: baseUrl, maxRetries: 0, fetch: fetchBounded })
  return {
    model,
    async complete(completion) {
      const signal = AbortSignal.timeout(completion.timeoutMs)
      const options = { signal, timeout: completion.timeoutMs }
      try {
        const params = toParams(model, completion)
        return await (completion.onText
          ? completeStreamed(client, params, options, completion.onText)
          : completeWhole(client, params, options))
      } catch (error) {
        throw toFailure(error, signal)
      }
    },
    async ping() {
      const found = await client.models.retrieve(model, { signal: AbortSignal.timeout(pingTimeoutMs) }).catch((error: unknown) => {
        // A key that is restricted to completions gets 403 here, which proves that the provider answers.
        if (error instanceof APIError && error.status === 403) return { id: model }
        throw error
      })
      if (typeof found?.id !== 'string') throw new AiFailure('failed', 'The AI provider returned no model')
    },
  }
}

type Params = Omit<ChatCompletionCreateParamsBase, 'stream'>
interface RequestOptions {
  signal: AbortSignal
  timeout: number
}

function toParams(model: string, { name, instructions, turns, schema, maxTokens }: Completion): Params {
  return {
    model,
    messages: [{ role: 'system', content: instructions }, ...turns.map(toMessage)],
    response_format: { type: 'json_schema', json_schema: { name, strict: true, schema: toStrictSchema(schema) } },
    max_completion_tokens: maxTokens,
  }
}

// Strict mode does not support these keywords. Our own schema checks them afterwards.
const unsupportedKeywords = new Set(['$schema', 'minLength', 'maxLength', 'format', 'pattern'])

function toStrictSchema(schema: unknown): Record<string, unknown> {
  return removeUnsupported(schema, false) as Record<string, unknown>
}

function removeUnsupported(value: unknown, areNames: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => removeUnsupported(item, false))
  if (typeof value !== 'object' || value === null) return value
  const supported = Object.entries(value).filter(([key]) => areNames || !unsupportedKeywords.has(key))
  return Object.fromEntries(supported.map(([key, item]) => [key, removeUnsupported(item, key === 'properties' && !areNames)]))
}

function toMessage({ role, text, images = [] }: Turn) {
  if (role === 'assistant') return { role, content: text }
  if (images.length === 0) return { role, content: text }
  const parts: ChatCompletionContentPart[] = images.map((jpeg) => ({
    type: 'image_url',
    image_url: { url: `data:image/jpeg;base64,${Buffer.from(jpeg).toString('base64')}` },
  }))
  return { role, content: [{ type: 'text' as const, text }, ...parts] }
}

async function completeWhole(client: OpenAI, params: Params, options: RequestOptions): Promise<CompletionResult> {
  const answer = await client.chat.completions.create({ ...params, stream: false }, options)
  const text = answer.choices?.[0]?.message?.content
  if (typeof text !== 'string') throw new AiFailure('failed', 'The model returned no text')
  return { text, inputTokens: answer.usage?.prompt_tokens ?? 0, outputTokens: answer.usage?.completion_tokens ?? 0 }
}

async function completeStreamed(
  client: OpenAI,
  params: Params,
  options: RequestOptions,
  onText: (delta: string) => void,
): Promise<CompletionResult> {
  const events = await client.chat.completions.create({ ...params, stream: true, stream_options: { include_usage: true } }, options)
  const completed = { text: '', inputTokens: 0, outputTokens: 0 }
  for await (const { choices, usage } of events) {
    const delta = choices?.[0]?.delta?.content
    if (typeof delta === 'string' && delta !== '') {
      completed.text += delta
      onText(delta)
    }
    if (usage) Object.assign(completed, { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens })
  }
  if (completed.text === '') throw new AiFailure('failed', 'The model returned no text')
  return completed
}

function toFailure(error: unknown, signal: AbortSignal): AiFailure {
  if (error instanceof AiFailure) return error
  if (error instanceof AnswerTooLongError) return new AiFailure('failed', 'The answer is too long', error)
  if (signal.aborted || error instanceof APIConnectionTimeoutError || error instanceof APIUserAbortError)
    return new AiFailure('timeout', 'The model took too long', error)
  const status = error instanceof APIError ? (error.status as number | undefined) : undefined
  const isRefused = status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429
  return new AiFailure(isRefused ? 'refused' : 'failed', `The AI provider failed${status ? ` with ${status}` : ''}`, error)
}
