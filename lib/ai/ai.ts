/** One message of a conversation with the model. */
export interface Turn {
  role: 'user' | 'assistant'
  text: string
  /** JPEGs; only a user's turn has some. */
  images?: readonly Uint8Array[]
}

export interface Completion {
  /** The prompt's name, also used as the name of the schema. */
  name: string
  instructions: string
  turns: readonly Turn[]
  /** JSON Schema of the answer, with every property required. */
  schema: Record<string, unknown>
  maxTokens: number
  timeoutMs: number
  /** Receive the answer's text as it streams. Without it the answer is not streamed. */
  onText?: ((delta: string) => void) | undefined
}

export interface CompletionResult {
  text: string
  inputTokens: number
  outputTokens: number
}

export interface AiPort {
  /** Stored with the token usage. */
  readonly model: string
  /** Call the model once. Throw AiFailure. */
  complete(completion: Completion): Promise<CompletionResult>
  /** Throw when the provider does not answer, refuses the key or does not know the model. Costs no tokens. */
  ping(): Promise<void>
}

/** `timeout`: no answer in time. `refused`: a repeat would get the same answer. `failed`: anything else, also an unusable answer. */
export type AiFailureKind = 'timeout' | 'refused' | 'failed'

export class AiFailure extends Error {
  readonly kind: AiFailureKind
  constructor(kind: AiFailureKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

export const callTimeoutMs = 120_000
