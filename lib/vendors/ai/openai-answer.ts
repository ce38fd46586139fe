import { listAnswerObjects } from '#rules/ai/answer-text.ts'
import type { TokenUsage } from '#rules/ai/prices.ts'
import { parseJson } from '#rules/text/json.ts'
import { optionalNumber } from '#vendors/net/wire.ts'
import { AiFailure, type Completion, type CompletionResult, type ToolCall } from './ai.ts'
import { listFilters } from './openai-errors.ts'
import { estimateUsage } from './token-estimate.ts'

/** Tokens as the API reports them. */
interface Usage {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  total_tokens?: unknown
  prompt_tokens_details?: { cached_tokens?: unknown; cache_write_tokens?: unknown } | null
  completion_tokens_details?: { reasoning_tokens?: unknown } | null
}
/** The part of an answer that was received. */
export interface Received {
  text: string
  calls: CallPieces[]
  /** Whether there were thoughts, which count against the ceiling. */
  hasReasoned: boolean
  refusal: string
  /** What a content filter says. */
  filters: string[]
  finishReason: unknown
  usage: Usage | undefined
  requestId: string | null
  /** Whether the provider has started to stream, so that the call costs tokens. */
  hasStarted: boolean
}

export function createReceived(): Received {
  return {
    text: '',
    calls: [],
    hasReasoned: false,
    refusal: '',
    filters: [],
    finishReason: null,
    usage: undefined,
    requestId: null,
    hasStarted: false,
  }
}

/** The first choice of an answer, or of a piece of a stream. Endpoints may send anything. */
interface Choice {
  message?: Message | null
  delta?: Message | null
  finish_reason?: unknown
}
type Message = { content?: unknown; refusal?: unknown; tool_calls?: unknown; function_call?: unknown }

/** What is read of an answer, or of a piece of a stream. */
interface Answer {
  choices?: unknown
  usage?: unknown
  prompt_filter_results?: unknown
}

const getChoice = ({ choices }: Answer): Choice | undefined =>
  (Array.isArray(choices) ? (choices[0] as Choice | null) : undefined) ?? undefined

/** Keep a whole answer. Return false for a piece of one. */
export function readWhole(data: Answer, received: Received): boolean {
  const choice = getChoice(data)
  if (!choice?.message) return false
  const { refusal } = choice.message
  Object.assign(received, {
    text: toText(choice.message.content),
    refusal: typeof refusal === 'string' ? refusal : '',
    filters: listFilters({ choice, prompts: data.prompt_filter_results }),
    finishReason: choice.finish_reason ?? null,
    usage: data.usage ?? undefined,
    hasReasoned: hasReasoning(choice.message),
  })
  addToolCalls(received, choice.message)
  return true
}

/** Add a piece of a stream, and pass its text on. */
export function addPiece(data: Answer, received: Received, onText: Completion['onText']): void {
  const choice = getChoice(data)
  const text = toText(choice?.delta?.content)
  received.hasStarted ||= Array.isArray(data.choices)
  received.hasReasoned ||= hasReasoning(choice?.delta)
  received.text += text
  if (text !== '') onText?.(text)
  addToolCalls(received, choice?.delta)
  if (typeof choice?.delta?.refusal === 'string') received.refusal += choice.delta.refusal
  received.filters.push(...listFilters(choice))
  received.finishReason = choice?.finish_reason ?? received.finishReason
  received.usage = (data.usage as Usage | null | undefined) ?? received.usage
}

/** Return whether a message, or a piece of one, has thoughts beside its text. */
export function hasReasoning(message: unknown): boolean {
  const { reasoning_content, reasoning, content } = (message ?? {}) as Record<string, unknown>
  const isThought = (part: { type?: unknown } | null) =>
    part?.type === 'thinking' || part?.type === 'reasoning'
  return Boolean(reasoning_content || reasoning || (Array.isArray(content) && content.some(isThought)))
}

/** A call of a tool, and how the endpoint marks its pieces. */
interface CallPieces extends ToolCall {
  id: unknown
  index: unknown
}

/** More calls than any turn may have. The others are dropped. */
const maxToolCalls = 16

/**
 * Add calls of tools, or the next pieces of them:
 * https://developers.openai.com/api/docs/guides/function-calling#streaming. Endpoints mark the call of a piece
 * by its id, its index, its name or nothing; they send a name or an id once or in each piece, and arguments as
 * a text or an object, or in the older `function_call`.
 */
export function addToolCalls({ calls }: Received, message: unknown): void {
  const { tool_calls, function_call } = (message ?? {}) as Message
  const pieces = Array.isArray(tool_calls) ? tool_calls : tool_calls ? [tool_calls] : []
  const isTogether = pieces.length > 1
  const known = [...calls]
  for (const piece of [...pieces, ...(function_call ? [{ function: function_call }] : [])]) {
    const { id = null, index = null, function: nested, ...flat } = (piece ?? {}) as Record<string, unknown>
    const called = (nested ?? flat) as { name?: unknown; arguments?: unknown }
    const name = typeof called.name === 'string' ? called.name : ''
    const sent = called.arguments ?? ''
    const text = typeof sent === 'string' ? sent : JSON.stringify(sent)
    // Pieces without any mark that come together are calls of their own.
    const from = isTogether && id === null && index === null ? known : calls
    const call = findCall(from, { id, index, name, text })
    if (!call) {
      if (calls.length < maxToolCalls) calls.push({ id, index, name, arguments: text })
      continue
    }
    if (!call.name.endsWith(name)) call.name = name.startsWith(call.name) ? name : call.name + name
    if (text !== call.arguments || !isWhole(text)) call.arguments += text
  }
}

/** Find the call that a piece goes on with. */
function findCall(
  calls: readonly CallPieces[],
  { id, index, name, text }: { id: unknown; index: unknown; name: string; text: string },
): CallPieces | undefined {
  const sameId = id !== null && id !== '' ? calls.findLast((call) => call.id === id) : undefined
  if (sameId) return sameId
  const last = index === null ? calls.at(-1) : calls.findLast((call) => call.index === index)
  if (!last) return undefined
  // Some endpoints give each call the same index. A new call begins with a name after whole arguments.
  const isNext = name !== '' && isWhole(last.arguments) && (id !== last.id || text !== last.arguments)
  return isNext || (name !== '' && index === null && id !== last.id && last.name !== '') ? undefined : last
}

const isWhole = (text: string) => text !== '' && parseJson(text) !== undefined

/**
 * Return the text of a content, which some endpoints send as parts. Parts with the model's thoughts are left
 * out.
 */
export function toText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part) => (part?.type === 'text' && typeof part.text === 'string' ? part.text : ''))
    .join('')
}

/** Words for the two reasons after which an answer is none, in small letters without signs. */
const cutReasons =
  /^(?:length|(?:model_?)?max_?(?:output_?|completion_?|new_?)?(?:tokens?|length)|model_length|token_limit(?:_reached)?|(?:model_)?context_(?:length|window)(?:_exceeded)?)$/
// https://ai.google.dev/api/generate-content#FinishReason
const refusedReasons =
  /filter|safety|recitation|blocklist|prohibited|spii|refus|guardrail|moderat|sensitive|policy|^blocked$/
const plainRefusal = /^(?:content_filter|refusal)$/
const brokenReasons = /^(?:error|abort(?:ed)?|cancel(?:led|ed)?|insufficient_system_resource)$/

/**
 * Return a complete answer. Throw when it is cut off, refused or empty. Any other word for its end, or none,
 * says nothing: the answer is judged by what it contains.
 */
export function toResult(received: Received, completion: Completion, isAtLimit = false): CompletionResult {
  const { text, calls, refusal, finishReason, requestId, hasStarted } = received
  const toolRequest =
    calls.length > 0
      ? { toolCalls: calls.map(({ name, arguments: sent }) => ({ name, arguments: sent })) }
      : undefined
  const usageOfCall = { usage: toUsage(received, completion), requestId }
  const reason = String(finishReason ?? '')
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
  const cut = { ...usageOfCall, text, ceiling: isAtLimit ? completion.maxTokens : undefined }
  if (refusal || refusedReasons.test(reason))
    throw new AiFailure('declined', 'The model declined to answer', {
      ...usageOfCall,
      sentence:
        refusal || received.filters.join(' ') || reason.replace(plainRefusal, '').replaceAll('_', ' '),
    })
  if (cutReasons.test(reason)) throw new AiFailure('truncated', 'The answer reached the token ceiling', cut)
  if (text === '' && !toolRequest && hasThoughtOnly(received))
    throw new AiFailure('truncated', 'The thoughts of the model reached the token ceiling', cut)
  if (text === '' && !toolRequest) throw new AiFailure('unusable', 'The model returned no text', usageOfCall)
  const isWholeAnswer = toolRequest !== undefined || listAnswerObjects(text).length > 0
  if (brokenReasons.test(reason) || (reason === '' && hasStarted && !isWholeAnswer))
    throw new AiFailure('unusable', 'The stream of the answer ended early', usageOfCall)
  return { text, ...toolRequest, ...usageOfCall }
}

function hasThoughtOnly({ hasReasoned, usage }: Received): boolean {
  return hasReasoned || toCount((usage as Usage | undefined)?.completion_tokens_details?.reasoning_tokens) > 0
}

export function toUsage({ usage, text }: Received, completion: Completion): TokenUsage {
  if (!usage) return estimateUsage(completion, text)
  const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } =
    usage
  const [input, completed] = [toCount(prompt_tokens), toCount(completion_tokens)]
  // Google counts thoughts in the total alone: https://ai.google.dev/gemini-api/docs/thinking#pricing
  const thoughts = Math.max(0, toCount(total_tokens) - input - completed)
  return {
    input,
    cached: toCount(prompt_tokens_details?.cached_tokens),
    cacheWrites: toCount(prompt_tokens_details?.cache_write_tokens),
    output: completed + thoughts,
    reasoning: toCount(completion_tokens_details?.reasoning_tokens) || thoughts,
    isEstimated: false,
  }
}

/**
 * Convert a reported count to a whole number of tokens for the ledger. Compatible endpoints may report any
 * value.
 */
function toCount(tokens: unknown): number {
  return Math.trunc(Math.min(100_000_000, Math.max(0, optionalNumber.parse(tokens) ?? 0)))
}
