/** One thing said in a conversation with a model. */
export interface Turn {
  role: 'user' | 'assistant'
  text: string
  /** JPEGs, of a user's turn alone. */
  images?: readonly Uint8Array[]
}

export interface Completion {
  /** What kind of answer is asked for; also the name of its schema. */
  name: string
  instructions: string
  turns: readonly Turn[]
  /** JSON Schema of the answer, with every property required. */
  schema: Record<string, unknown>
  maxTokens: number
  timeoutMs: number
  /** Hears the answer's text grow; without it the answer comes whole. */
  onText?: ((delta: string) => void) | undefined
}

export interface Completed {
  text: string
  inputTokens: number
  outputTokens: number
}

export interface AiPort {
  /** Recorded with what was used. */
  readonly model: string
  /** One call of the model, never repeated. Throws AiFailure. */
  complete(completion: Completion): Promise<Completed>
}

/** `timeout`: it took too long; `refused`: asking once more would be answered the same; `failed`: anything else, garbage included. */
export type AiFailureKind = 'timeout' | 'refused' | 'failed'

export class AiFailure extends Error {
  readonly kind: AiFailureKind
  constructor(kind: AiFailureKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

export const callTimeoutMs = 120_000
