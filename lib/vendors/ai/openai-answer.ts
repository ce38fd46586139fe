import type { TokenUsage } from '#rules/ai/prices.ts'
import { AiFailure, type Completion, type CompletionResult, type ToolCall } from './ai.ts'
import { estimateUsage } from './token-estimate.ts'

/** Tokens as the API reports them. */
interface Usage {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  prompt_tokens_details?: { cached_tokens?: unknown; cache_write_tokens?: unknown } | null
  completion_tokens_details?: { reasoning_tokens?: unknown } | null
}
/** The part of an answer that was received. */
export interface Received {
  text: string
  /** The calls of tools, by their place. */
  calls: Map<unknown, ToolCall>
  refusal: string
  finishReason: string | null
  usage: Usage | undefined
  requestId: string | null
  /** Whether the provider has started to stream, so that the call costs tokens. */
  hasStarted: boolean
}

export function createReceived(): Received {
  return {
    text: '',
    calls: new Map(),
    refusal: '',
    finishReason: null,
    usage: undefined,
    requestId: null,
    hasStarted: false,
  }
}

/** The first choice of an answer, or of a piece of a stream. Endpoints may send anything. */
interface Choice {
  message?: { content?: unknown; refusal?: string | null; tool_calls?: unknown } | null
  finish_reason?: string | null
}

/** Keep a whole answer. Throw when it is none, such as the page of a proxy. */
export function readWhole(
  data: { choices?: readonly Choice[]; usage?: Usage | null },
  requestId: string | null,
  received: Received,
): void {
  if (!Array.isArray(data.choices))
    throw new AiFailure('failed', 'The AI provider sent no completion', { requestId })
  const choice: Choice | undefined = data.choices[0]
  Object.assign(received, {
    text: toText(choice?.message?.content),
    refusal: choice?.message?.refusal ?? '',
    finishReason: choice?.finish_reason ?? null,
    usage: data.usage ?? undefined,
    requestId,
  })
  addToolCalls(received, choice?.message?.tool_calls)
}

/** More calls than any turn may have. The others are dropped. */
const maxToolCalls = 16

/**
 * Add calls of tools, or the next pieces of them:
 * https://developers.openai.com/api/docs/guides/function-calling#streaming.
 */
export function addToolCalls({ calls }: Received, pieces: unknown): void {
  if (!Array.isArray(pieces)) return
  for (const [place, piece] of pieces.entries()) {
    const { index = place, function: called } = (piece ?? {}) as {
      index?: unknown
      function?: { name?: unknown; arguments?: unknown } | null
    }
    const call = calls.get(index) ?? { name: '', arguments: '' }
    if (typeof called?.name === 'string') call.name += called.name
    if (typeof called?.arguments === 'string') call.arguments += called.arguments
    if (calls.has(index) || calls.size < maxToolCalls) calls.set(index, call)
  }
}

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

/** Our name of a reason to finish, by its spelling in small letters. Unknown ones are no answer. */
const finishReasons: Record<string, 'stop' | 'length' | 'content_filter'> = {
  stop: 'stop',
  end_turn: 'stop',
  eos: 'stop',
  length: 'length',
  max_tokens: 'length',
  // https://ai.google.dev/api/generate-content#FinishReason
  content_filter: 'content_filter',
  safety: 'content_filter',
  recitation: 'content_filter',
  blocklist: 'content_filter',
  prohibited_content: 'content_filter',
  spii: 'content_filter',
}

/**
 * Return a complete answer. Throw when it is cut off, refused or empty: a part of an answer is never used.
 */
export function toResult(received: Received, completion: Completion): CompletionResult {
  const { text, calls, refusal, finishReason, requestId, hasStarted } = received
  const toolRequest = calls.size > 0 ? { toolCalls: [...calls.values()] } : undefined
  const usageOfCall = { usage: toUsage(received, completion), requestId }
  const reason = finishReason === null ? null : finishReasons[String(finishReason).toLowerCase()]
  if (refusal || reason === 'content_filter')
    throw new AiFailure('declined', 'The model declined to answer', usageOfCall)
  if (reason === 'length')
    throw new AiFailure('truncated', 'The answer reached the token ceiling', usageOfCall)
  if (reason === null && hasStarted)
    throw new AiFailure('unusable', 'The stream of the answer ended early', usageOfCall)
  if (reason === undefined && !toolRequest)
    throw new AiFailure('unusable', 'The model returned no answer', usageOfCall)
  if (text === '' && !toolRequest) throw new AiFailure('unusable', 'The model returned no text', usageOfCall)
  return { text, ...toolRequest, ...usageOfCall }
}

export function toUsage({ usage, text }: Received, completion: Completion): TokenUsage {
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

/**
 * Convert a reported count to a whole number of tokens for the ledger. Compatible endpoints may report any
 * value.
 */
function toCount(tokens: unknown): number {
  return typeof tokens === 'number' && tokens > 0 ? Math.min(Math.trunc(tokens), 100_000_000) : 0
}
