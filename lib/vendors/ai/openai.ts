import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai'
import type { TokenUsage } from '#rules/ai/prices.ts'
import { AnswerTooLongError, createBoundedFetch, type Fetch } from '#vendors/net/bounded-fetch.ts'
import { readObjects } from '#vendors/net/read-objects.ts'
import { readSentence, readWaitMs } from '#vendors/net/refusal.ts'
import { AiFailure, type AiPort, type Completion } from './ai.ts'
import { allCapabilities, type Capabilities, listMissing, reduceCapabilities } from './capabilities.ts'
import { type EmbeddingsPort, readEmbeddings } from './embeddings.ts'
import { addPiece, createReceived, type Received, readWhole, toResult, toUsage } from './openai-answer.ts'
import { findError, readErrorBody, readRetryAfterMs, toFailureKind, toStatus } from './openai-errors.ts'
import { toParams } from './openai-request.ts'
import { estimateTextUsage, estimateUsage } from './token-estimate.ts'
import { limitCeiling, limitPrompt, noTokenLimits, readTokenLimits } from './token-limits.ts'

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

/**
 * Create a port that calls the chat completions and embeddings APIs of OpenAI, or of an endpoint that is
 * compatible with them. What the endpoint does not take is learned from its errors and left out from then on.
 * Otherwise it never retries a call; the caller may.
 */
export function openAi({ key, baseUrl, model }: OpenAiSettings): AiPort & EmbeddingsPort {
  const fetchBounded = createBoundedFetch('ai', { timeoutMs: maxTimeoutMs, maxBytes })
  // Without these the client takes them from the environment, where they may belong to another program.
  const own = {
    organization: null,
    project: null,
    adminAPIKey: null,
    webhookSecret: null,
    logLevel: 'off',
  } as const
  // https://learn.microsoft.com/azure/ai-foundry/openai/reference: an address with a deployment takes the key in a header of its own.
  const isDeployment = baseUrl.includes('/deployments/')
  const headers = { defaultHeaders: isDeployment ? { 'api-key': key } : {} }
  const client = new OpenAI({
    apiKey: key,
    baseURL: baseUrl,
    maxRetries: 0,
    fetch: withReadableErrors(fetchBounded),
    ...own,
    ...headers,
  })
  // OPENAI_CUSTOM_HEADERS of the environment cannot be switched off by an option.
  const { _options: options } = client as unknown as { _options: { defaultHeaders?: unknown } }
  options.defaultHeaders = headers.defaultHeaders
  const clean = async (failure: AiFailure) => {
    failure.sentence = await readSentence(failure.sentence ?? '', [key])
    return failure
  }
  let knownCapabilities = allCapabilities
  let knownLimits = noTokenLimits
  const receive = async (
    completion: Completion,
    capabilities: Capabilities,
    signal: AbortSignal,
    received: Received,
  ) => {
    const { onText, timeoutMs: timeout } = completion
    const isStreamed = onText !== undefined && capabilities.streaming !== 'none'
    const params = toParams(model, completion, capabilities, isStreamed)
    const response = await client.chat.completions
      .create({ ...params, stream: isStreamed }, { signal, timeout })
      .asResponse()
    const hasPieces = await receiveAnswer(response, received, onText)
    // The body of an aborted request may end without an error.
    if (signal.aborted) throw new APIUserAbortError()
    if (!hasPieces) onText?.(received.text)
    return isStreamed && !hasPieces ? { ...capabilities, streaming: 'none' as const } : capabilities
  }
  return {
    isConfigured: true,
    model,
    async complete(completion) {
      const signal = AbortSignal.timeout(completion.timeoutMs)
      const before = knownCapabilities
      let { tools = [] } = completion
      let limits = knownLimits
      const { input: prompt } = estimateUsage(completion, '')
      let maxTokens = limitCeiling({ ceiling: completion.maxTokens, prompt }, limits)
      for (let capabilities = before; ; ) {
        const received = createReceived()
        const sent = { ...completion, tools, maxTokens }
        try {
          const proven = await receive(sent, capabilities, signal, received)
          // What was left out without success says nothing about the endpoint.
          if (proven !== before) knownCapabilities = proven
          knownLimits = limits
          return toResult(received, sent, maxTokens < completion.maxTokens)
        } catch (error) {
          const isRefused = error instanceof APIError && !received.hasStarted && !signal.aborted
          const lesson = isRefused
            ? readTokenLimits(getMessage(error), { ceiling: maxTokens, prompt }, limits)
            : undefined
          if (lesson?.ceiling && lesson.ceiling < maxTokens) {
            limits = lesson.limits
            maxTokens = lesson.ceiling
            continue
          }
          if (lesson?.ceiling === null)
            throw await clean(
              new AiFailure('too_long', 'The prompt is longer than the model reads', {
                cause: error,
                promptTokens: limitPrompt(completion.maxTokens, lesson.limits) ?? Math.floor(prompt / 2),
                sentence: getMessage(error as APIError),
              }),
            )
          const reduced =
            isRefused &&
            reduceCapabilities(
              toStatus(error.status, error.code),
              `${error.param ?? ''} ${error.message}`,
              capabilities,
            )
          const ownTools = tools.filter(({ isOutside }) => !isOutside)
          // A schema of another service may be what is refused, in whatever words. That says nothing about
          // the endpoint.
          if (
            isRefused &&
            ownTools.length < tools.length &&
            (reduced || error.status === 400 || error.status === 422)
          )
            tools = ownTools
          else if (reduced) capabilities = reduced
          else throw await clean(toFailure(error, signal, received, () => toUsage(received, completion)))
        }
      }
    },
    async embed(texts, timeoutMs) {
      const signal = AbortSignal.timeout(timeoutMs)
      try {
        // The client asks for base64 by default, which some endpoints ignore.
        const request = client.embeddings.create(
          { model, input: [...texts], encoding_format: 'float' },
          { signal, timeout: timeoutMs },
        )
        const { data, request_id } = await request.withResponse()
        return readEmbeddings(data, request_id, texts)
      } catch (error) {
        throw await clean(toFailure(error, signal, createReceived(), () => estimateTextUsage(texts)))
      }
    },
    async ping() {
      const missing = listMissing(knownCapabilities)
      try {
        const details = await findModel(client, model, { signal: AbortSignal.timeout(pingTimeoutMs) })
        if (typeof details?.id !== 'string')
          throw new AiFailure('failed', 'The AI provider returned no model')
        return { isLimited: false, shutdownAt: toShutdownDate(details.shutdown_date), missing }
      } catch (error) {
        const status = error instanceof APIError ? error.status : undefined
        // A key that is restricted to completions gets 403 here, and a deployment has no models API. Like a
        // 429, it proves that the provider answers.
        if (status === 403 || status === 429 || (status === 404 && isDeployment))
          return { isLimited: status === 429, shutdownAt: null, missing }
        throw error
      }
    },
  }
}

/** Return the details of a model. Servers such as vLLM and llama.cpp only list what they have loaded. */
async function findModel(
  client: OpenAI,
  model: string,
  options: { signal: AbortSignal },
): Promise<OpenAI.Model> {
  try {
    return await client.models.retrieve(model, options)
  } catch (error) {
    if (!(error instanceof APIError) || error.status !== 404) throw error
    const { data } = await client.models.list(options).catch(() => ({ data: [] }))
    const found = data?.find(({ id }) => id === model)
    if (!found) throw error
    return found
  }
}

/**
 * Receive an answer, whole or in the pieces of a stream, whichever the endpoint sends. Return whether it came
 * in pieces.
 */
async function receiveAnswer(
  response: Response,
  received: Received,
  onText: Completion['onText'],
): Promise<boolean> {
  received.requestId = response.headers.get('x-request-id')
  let isReceived = false
  let last: object = {}
  for await (const object of readObjects('ai', response)) {
    const error = findError(object)
    if (error) throw new APIError(toStatus(undefined, error.code), error, error.message, response.headers)
    if (!isReceived) isReceived = readWhole(object, received)
    if (!isReceived) addPiece(object, received, onText)
    last = object
  }
  if (!isReceived && !received.hasStarted)
    throw new AiFailure('failed', 'The AI provider sent no completion', {
      requestId: received.requestId,
      sentence: JSON.stringify(last),
    })
  return received.hasStarted
}

/** Turn the error of a call into a failure, with the tokens that the call cost. */
function toFailure(
  error: unknown,
  signal: AbortSignal,
  received: Received,
  getUsage: () => TokenUsage,
): AiFailure {
  if (error instanceof AiFailure) return error
  const isTimeout =
    signal.aborted || error instanceof APIConnectionTimeoutError || error instanceof APIUserAbortError
  // A call that is cut off costs the tokens used until then. A call that was answered with an error costs
  // nothing.
  const usage = isTimeout || received.hasStarted ? { usage: getUsage() } : {}
  // The client wraps what its `fetch` throws.
  if ([error, (error as Error).cause].some((each) => each instanceof AnswerTooLongError))
    return new AiFailure('unusable', 'The answer is too long', { cause: error, ...usage })
  if (isTimeout) return new AiFailure('timeout', 'The model took too long', { cause: error, ...usage })
  if (!(error instanceof APIError) && !received.hasStarted)
    return new AiFailure('failed', 'The AI provider failed', { cause: error })
  const isSaid = error instanceof APIError && !(error instanceof APIConnectionError)
  const sentence = isSaid ? getMessage(error) : null
  // Without a text, only the provider has said something: the stream is its error.
  if (!(error instanceof APIError) || received.text !== '' || received.calls.length > 0)
    return new AiFailure('unusable', 'The stream of the answer ended early', {
      cause: error,
      requestId: received.requestId,
      sentence,
      ...usage,
    })
  const status = toStatus(error.status, error.code)
  const retryAfterMs = readRetryAfterMs(error.headers, Date.now()) ?? readWaitMs(error.message)
  const message = `The AI provider failed${status ? ` with ${status}` : ''}`
  return new AiFailure(toFailureKind(status, error, retryAfterMs), message, {
    cause: error,
    requestId: error.requestID ?? null,
    retryAfterMs,
    sentence,
    ...usage,
  })
}

/** The client puts the status before the message. */
const getMessage = ({ message }: APIError) => message.replace(/^\d{3} /, '')

/** Wrap a fetch so that the client finds the message of an error, in whatever shape it is. */
function withReadableErrors(send: Fetch): Fetch {
  return async (input, init) => {
    const response = await send(input, init)
    if (response.status < 400) return response
    const text = await response.text()
    const answer = new Response(JSON.stringify(readErrorBody(text)), response)
    const waitMs = readWaitMs(text)
    if (waitMs !== undefined && !answer.headers.has('retry-after'))
      answer.headers.set('retry-after-ms', String(waitMs))
    return answer
  }
}

function toShutdownDate(value: unknown): Date | null {
  const shutdownAt = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(shutdownAt.getTime()) ? null : shutdownAt
}
