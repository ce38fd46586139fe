import type { TokenUsage } from '#rules/ai/prices.ts'
import { type Completion, noUsage } from './ai.ts'

// A token is about four bytes of UTF-8: four letters of English, or a bit more than one Chinese character.
const bytesPerToken = 4
const tokensPerImage = 1000

export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / bytesPerToken)
}

/**
 * Estimate the tokens of a call that was cut off before the provider reported them. `answer` is the text
 * received until then.
 */
export function estimateUsage(
  { instructions, turns, schema, tools = [] }: Completion,
  answer: string,
): TokenUsage {
  const images = turns.reduce((sum, turn) => sum + (turn.images?.length ?? 0), 0)
  const text = [
    instructions,
    JSON.stringify(schema),
    ...tools.map((tool) => JSON.stringify(tool)),
    ...turns.map((turn) => turn.text),
  ].join('\n')
  return {
    ...noUsage,
    input: estimateTokens(text) + images * tokensPerImage,
    output: estimateTokens(answer),
    isEstimated: true,
  }
}

/** Estimate the tokens of texts that are sent without a question. */
export function estimateTextUsage(texts: readonly string[]): TokenUsage {
  return { ...noUsage, input: texts.reduce((sum, text) => sum + estimateTokens(text), 0), isEstimated: true }
}
