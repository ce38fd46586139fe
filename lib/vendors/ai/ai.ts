import type { TokenUsage } from '#rules/ai/prices.ts'
import type { PingResult } from '#vendors/net/ping-result.ts'
import type { Circuit } from './circuit.ts'

/** One message of a conversation with the model. */
export interface Turn {
  role: 'user' | 'assistant'
  text: string
  /** JPEGs; only a user's turn has some. */
  images?: readonly Uint8Array[]
}

/**
 * How long the model reasons before it answers. Every current reasoning model of the vendor supports these
 * levels.
 */
export type ReasoningEffort = 'low' | 'medium'

/** A function that the model may ask for instead of answering. */
export interface Tool {
  name: string
  description: string
  /** JSON Schema of its arguments, with every property required. */
  parameters: Record<string, unknown>
  /**
   * Whether the schema is another service's, so that properties may be optional and an endpoint may refuse
   * it.
   */
  isOutside?: true
}

/** A function that the model asks for. `arguments` should be JSON, but the model may write anything. */
export interface ToolCall {
  name: string
  arguments: string
}

export interface Completion {
  /** The prompt's name, also used as the name of the schema. */
  name: string
  /** The prompt's version. */
  version: number
  instructions: string
  turns: readonly Turn[]
  /** JSON Schema of the answer, with every property required. */
  schema: Record<string, unknown>
  /** Ceiling of the answer together with the reasoning before it. */
  maxTokens: number
  effort: ReasoningEffort
  timeoutMs: number
  /** An endpoint that takes no tools gets none. */
  tools?: readonly Tool[]
  /** Receive the answer's text as it streams. Without it the answer is not streamed. */
  onText?: ((delta: string) => void) | undefined
}

export const noUsage: TokenUsage = {
  input: 0,
  cached: 0,
  cacheWrites: 0,
  output: 0,
  reasoning: 0,
  isEstimated: false,
}

export interface CompletionResult {
  /** May be empty if the model asks for tools. */
  text: string
  toolCalls?: readonly ToolCall[]
  usage: TokenUsage
  /** The provider's id of the request, for its support. */
  requestId: string | null
}

export interface ModelStatus extends PingResult {
  /** When the provider switches the model off; null if it has announced nothing. */
  shutdownAt: Date | null
  /** Parameters that the endpoint has refused, and no request has any more. */
  missing?: readonly string[]
}

export interface AiPort {
  /** Whether there is a provider. Without one no method may be called. */
  readonly isConfigured: boolean
  /** Stored with the token usage. */
  readonly model: string
  /** The provider that takes over when this one fails, and whether it does. */
  readonly fallback?: { readonly ai: AiPort; readonly circuit: Circuit } | null
  /** Call the model once. Throw AiFailure. */
  complete(completion: Completion): Promise<CompletionResult>
  /**
   * Ask for the model's status. Throw when the provider does not answer, refuses the key or does not know the
   * model. Costs no tokens.
   */
  ping(): Promise<ModelStatus>
}

/**
 * `timeout`: no answer in time. `rejected`: a repeat of the request would be rejected again. `unavailable`:
 * the provider does not know the model any more, or does not accept the key or the account. `limited`: the
 * provider asks to wait. `truncated`: the answer reached the token ceiling. `declined`: the model refused to
 * answer, or a content filter removed the answer. `unusable`: the answer ended early, or is not what was
 * asked for. `too_long`: the prompt has no room for an
 * answer. `failed`: anything else.
 */
export type AiFailureKind =
  | 'timeout'
  | 'rejected'
  | 'unavailable'
  | 'limited'
  | 'truncated'
  | 'declined'
  | 'unusable'
  | 'too_long'
  | 'failed'

interface AiFailureOptions {
  cause?: unknown
  /** The tokens that the call cost. */
  usage?: TokenUsage
  requestId?: string | null
  /** How long the provider asks to wait, in milliseconds. */
  retryAfterMs?: number | undefined
  /** Of `truncated`: what was received, and the largest ceiling that the model takes, if it was reached. */
  text?: string | undefined
  ceiling?: number | undefined
  /** Of `too_long`: what the prompt may have, in tokens as we estimate them. */
  promptTokens?: number | undefined
  /** What the model or its provider says of it. */
  sentence?: string | null
}

export class AiFailure extends Error {
  readonly kind: AiFailureKind
  readonly usage: TokenUsage
  readonly requestId: string | null
  readonly retryAfterMs: number | undefined
  readonly text: string | undefined
  readonly ceiling: number | undefined
  readonly promptTokens: number | undefined
  /** As it arrives; the adapter cleans it before it throws the failure. */
  sentence: string | null
  constructor(
    kind: AiFailureKind,
    message: string,
    {
      cause,
      usage = noUsage,
      requestId = null,
      retryAfterMs,
      text,
      ceiling,
      promptTokens,
      sentence = null,
    }: AiFailureOptions = {},
  ) {
    super(message, { cause })
    this.kind = kind
    this.usage = usage
    this.requestId = requestId
    this.retryAfterMs = retryAfterMs
    this.text = text
    this.ceiling = ceiling
    this.promptTokens = promptTokens
    this.sentence = sentence
  }
}

export const callTimeoutMs = 120_000
