import OpenAI, { APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'
import type { ChatCompletionContentPart, ChatCompletionCreateParamsBase } from 'openai/resources/chat/completions'
import type { CompletionUsage } from 'openai/resources/completions'
import type { TokenUsage } from '#rules/ai/prices.ts'
import { AnswerTooLongError, createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import { AiFailure, type AiPort, type Completion, type CompletionResult, type Turn } from './ai.ts'
import { parseRetryAfterMs } from './retry-after.ts'
import { toStrictSchema } from './strict-schema.ts'
import { estimateUsage } from './token-estimate.ts'

export interface OpenAiSettings {
  key: string
  baseUrl: string
  model: string
}

// Maximum size of one response with all its events. It is larger than any answer within the token ceiling.
const maxBytes = 4 * 1024 * 1024
// Longer than any completion may take. Each completion has a shorter time-out of its own.
const maxTimeoutMs = 10 * 60_000
const pingTimeoutMs = 5000

/** Create a port that calls the chat completions API with a JSON schema for the answer. It never retries a call; the caller may. */
export function openAi({ key, baseUrl, model }: OpenAiSettings): AiPort {
  const fetchBounded = createBoundedFetch('ai', { timeoutMs: maxTimeoutMs, maxBytes })
  // Without null the client takes these from the environment, where they may belong to another program.
  const account = { organization: null, project: null }
  const client = new OpenAI({ apiKey: key, baseURL: baseUrl, maxRetries: 0, fetch: fetchBounded, ...account })
  // Models that do not reason reject the parameter. After that, this process does not send it again.
  let sendsEffort = true
  return {
    isConfigured: true,
    model,
    async complete(completion) {
      const signal = AbortSignal.timeout(completion.timeoutMs)
      const received: Received = { text: '', refusal: '', finishReason: null, usage: undefined, requestId: null, hasStarted: false }
      const receive = () => {
        const params = toParams(model, completion, sendsEffort)
        const options = { signal, timeout: completion.timeoutMs }
        return completion.onText
          ? receiveStream(client, params, options, completion.onText, received)
          : receiveWhole(client, params, options, received)
      }
      try {
        await receive().catch((error: unknown) => {
          if (!sendsEffort || !rejectsEffort(error)) throw error
          sendsEffort = false
          return receive()
        })
        return toResult(received, completion)
      } catch (error) {
        throw toFailure(error, signal, received, completion)
      }
    },
    async ping() {
      try {
        const details = await client.models.retrieve(model, { signal: AbortSignal.timeout(pingTimeoutMs) })
        if (typeof details?.id !== 'string') throw new AiFailure('failed', 'The AI provider returned no model')
        return { isLimited: false, shutdownAt: toShutdownDate(details.shutdown_date) }
      } catch (error) {
        const status = error instanceof APIError ? error.status : undefined
        // A key that is restricted to completions gets 403 here. Like a 429, it proves that the provider answers.
        if (status === 403 || status === 429) return { isLimited: status === 429, shutdownAt: null }
        throw error
      }
    },
  }
}

function toShutdownDate(value: unknown): Date | null {
  const shutdownAt = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(shutdownAt.getTime()) ? null : shutdownAt
}

type Params = Omit<ChatCompletionCreateParamsBase, 'stream'>
interface RequestOptions {
  signal: AbortSignal
  timeout: number
}
/** The part of an answer that was received. */
interface Received {
  text: string
  refusal: string
  finishReason: string | null
  usage: CompletionUsage | undefined
  requestId: string | null
  /** Whether the provider has started to stream, so that the call costs tokens. */
  hasStarted: boolean
}

function toParams(model: string, { name, instructions, turns, schema, maxTokens, effort }: Completion, sendsEffort: boolean): Params {
  return {
    model,
    messages: [{ role: 'system', content: instructions }, ...turns.map(toMessage)],
    response_format: { type: 'json_schema', json_schema: { name, strict: true, schema: toStrictSchema(schema) } },
    max_completion_tokens: maxTokens,
    ...(sendsEffort ? { reasoning_effort: effort } : {}),
  }
}

/** Return whether the provider rejects `reasoning_effort`, or its value. Vendors differ in code and wording, but name the parameter. */
function rejectsEffort(error: unknown): boolean {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return false
  return error.param === 'reasoning_effort' || error.message.includes('reasoning_effort')
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

async function receiveWhole(client: OpenAI, params: Params, options: RequestOptions, received: Received): Promise<void> {
  const { data, request_id } = await client.chat.completions.create({ ...params, stream: false }, options).withResponse()
  const choice = data.choices?.[0]
  Object.assign(received, {
    text: choice?.message?.content ?? '',
    refusal: choice?.message?.refusal ?? '',
    finishReason: choice?.finish_reason ?? null,
    usage: data.usage,
    requestId: request_id,
  })
}

async function receiveStream(
  client: OpenAI,
  params: Params,
  options: RequestOptions,
  onText: (delta: string) => void,
  received: Received,
): Promise<void> {
  const streamParams = { ...params, stream: true, stream_options: { include_usage: true } } as const
  const { data, request_id } = await client.chat.completions.create(streamParams, options).withResponse()
  Object.assign(received, { requestId: request_id, hasStarted: true })
  for await (const { choices, usage } of data) {
    const choice = choices?.[0]
    const delta = choice?.delta?.content
    if (typeof delta === 'string' && delta !== '') {
      received.text += delta
      onText(delta)
    }
    received.refusal += choice?.delta?.refusal ?? ''
    received.finishReason = choice?.finish_reason ?? received.finishReason
    received.usage = usage ?? received.usage
  }
  // The client ends an aborted stream without an error.
  if (options.signal.aborted) throw new APIUserAbortError()
}

/** Return a complete answer. Throw when it is cut off, refused or empty: a part of an answer is never used. */
function toResult(received: Received, completion: Completion): CompletionResult {
  const { text, refusal, finishReason, requestId, hasStarted } = received
  const spent = { usage: toUsage(received, completion), requestId }
  if (refusal || finishReason === 'content_filter') throw new AiFailure('declined', 'The model declined to answer', spent)
  if (finishReason === 'length') throw new AiFailure('truncated', 'The answer reached the token ceiling', spent)
  if (finishReason === null && hasStarted) throw new AiFailure('failed', 'The stream of the answer ended early', spent)
  if (finishReason !== null && finishReason !== 'stop') throw new AiFailure('failed', 'The model returned no answer', spent)
  if (text === '') throw new AiFailure('failed', 'The model returned no text', spent)
  return { text, ...spent }
}

function toUsage({ usage, text }: Received, completion: Completion): TokenUsage {
  if (!usage) return estimateUsage(completion, text)
  const { prompt_tokens, completion_tokens, prompt_tokens_details, completion_tokens_details } = usage
  return {
    input: toCount(prompt_tokens),
    cached: toCount(prompt_tokens_details?.cached_tokens),
    cacheWrites: toCount(prompt_tokens_details?.cache_write_tokens),
    output: toCount(completion_tokens),
    reasoning: toCount(completion_tokens_details?.reasoning_tokens),
    isEstimated: false,
  }
}

/** Convert a reported count to a whole number of tokens for the ledger. Compatible endpoints may report any value. */
function toCount(tokens: unknown): number {
  return typeof tokens === 'number' && tokens > 0 ? Math.min(Math.trunc(tokens), 100_000_000) : 0
}

function toFailure(error: unknown, signal: AbortSignal, received: Received, completion: Completion): AiFailure {
  if (error instanceof AiFailure) return error
  const isTimeout = signal.aborted || error instanceof APIConnectionTimeoutError || error instanceof APIUserAbortError
  // A call that is cut off costs the tokens used until then. A call that was answered with an error costs nothing.
  const usage = isTimeout || received.hasStarted ? { usage: toUsage(received, completion) } : {}
  if (error instanceof AnswerTooLongError) return new AiFailure('failed', 'The answer is too long', { cause: error, ...usage })
  if (isTimeout) return new AiFailure('timeout', 'The model took too long', { cause: error, ...usage })
  if (!(error instanceof APIError)) return new AiFailure('failed', 'The AI provider failed', { cause: error, ...usage })
  const status = error.status as number | undefined
  const requestId = error.requestID ?? received.requestId
  const retryAfterMs = parseRetryAfterMs(error.headers, Date.now())
  const message = `The AI provider failed${status ? ` with ${status}` : ''}`
  return new AiFailure(toFailureKind(status, error.code, retryAfterMs), message, { cause: error, requestId, retryAfterMs, ...usage })
}

/** Only temporary failures may be retried. A used-up quota of the provider is not temporary, although its status is 429. */
function toFailureKind(status: number | undefined, code: unknown, retryAfterMs: number | undefined): AiFailure['kind'] {
  if (code === 'insufficient_quota') return 'rejected'
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) return 'limited'
  return status !== undefined && status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'failed'
}
