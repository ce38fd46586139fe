import * as z from 'zod'
import type { TokenUsage } from '#rules/ai/prices.ts'
import { pause } from '#rules/budget.ts'
import type { Redaction } from '#rules/masking/levels.ts'
import { redact } from '#rules/masking/redaction.ts'
import { optionalNumber, part } from '#vendors/net/wire.ts'
import { AiFailure, type CompletionResult, noUsage } from './ai.ts'
import { type LedgerContext, meterCall } from './ledger.ts'
import { estimateTextUsage } from './token-estimate.ts'

/** A text as a point of length 1: texts that mean the same are near each other. */
export type Embedding = readonly number[]

export interface EmbeddingResult extends Pick<CompletionResult, 'usage' | 'requestId'> {
  /** One per text, in the order of the texts. */
  embeddings: Embedding[]
}

export interface EmbeddingsPort {
  /** Whether the setting names a model. Without one no method may be called. */
  readonly isConfigured: boolean
  /** Embeddings of different models cannot be compared. */
  readonly model: string
  /** Embed texts in one call. None is empty. Throw AiFailure. */
  embed(texts: readonly string[], timeoutMs: number): Promise<EmbeddingResult>
}

/**
 * The start of a text that is embedded.
 * https://learn.microsoft.com/azure/foundry/reference/rest/embeddings-create-embedding allows 8,192 tokens.
 */
export const maxEmbeddedCharacters = 2000
/** The largest answer, of 32 embeddings with 4,096 numbers of 22 characters, has 3 MB. */
export const maxTextsPerCall = 32
const maxDimensions = 4096

const Answer = z.looseObject({
  data: z.array(
    z.looseObject({ index: optionalNumber, embedding: z.array(z.number()).min(8).max(maxDimensions) }),
  ),
  usage: part(z.object({ prompt_tokens: optionalNumber })),
})

/** Read the answer of the provider. Throw when it does not have one usable embedding per text. */
export function readEmbeddings(
  answer: unknown,
  requestId: string | null,
  texts: readonly string[],
): EmbeddingResult {
  const parsed = Answer.safeParse(answer)
  const items = (parsed.data?.data ?? [])
    .map(({ index, embedding }, place) => ({ index: index ?? place, embedding }))
    .toSorted((a, b) => a.index - b.index)
  const embeddings = items.map(({ embedding }) => normalise(embedding))
  const isComplete = items.length === texts.length && items.every(({ index }, place) => index === place)
  const isEven = embeddings.every(({ length }) => length > 0 && length === embeddings[0]?.length)
  const reportedTokens = parsed.data?.usage?.prompt_tokens ?? null
  const usage: TokenUsage =
    reportedTokens === null || reportedTokens < 0
      ? estimateTextUsage(texts)
      : { ...noUsage, input: Math.trunc(Math.min(reportedTokens, 1e8)) }
  if (!isComplete || !isEven)
    throw new AiFailure('unusable', 'The AI provider sent no usable embeddings', { requestId, usage })
  return { embeddings, usage, requestId }
}

/**
 * Return a vector of length 1, or an empty one if there is none. Six digits are as exact as the comparison
 * needs, and short to send.
 */
function normalise(vector: readonly number[]): Embedding {
  const length = Math.hypot(...vector)
  return length > 0 && Number.isFinite(length)
    ? vector.map((value) => Number((value / length).toFixed(6)))
    : []
}

export interface EmbedContext extends Omit<LedgerContext, 'ai'> {
  embeddings: EmbeddingsPort
  config: LedgerContext['config'] & { AI_REDACTION: Redaction }
}

/**
 * Embed the starts of texts, redacted like a prompt, and record the call in the ledger. Throw AiFailure, or
 * 429 `ai_budget_exhausted`.
 */
export async function embedTexts(
  context: EmbedContext,
  texts: readonly string[],
  timeoutMs: number,
): Promise<Embedding[]> {
  const { embeddings: port, config, db } = context
  const redactedTexts: string[] = []
  for (const text of texts) {
    redactedTexts.push(redact(text, config.AI_REDACTION).slice(0, maxEmbeddedCharacters).toWellFormed())
    await pause()
  }
  const call = {
    name: 'embedding',
    version: 1,
    expected: estimateTextUsage(redactedTexts),
    send: () => port.embed(redactedTexts, timeoutMs),
  }
  return meterCall({ db, config, ai: port }, call, ({ embeddings }) => embeddings)
}
