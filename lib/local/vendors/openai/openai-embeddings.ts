import * as z from 'zod'
import { estimateTokens } from './openai-answer.ts'
import { embeddingModelName } from './openai-models.ts'
import { modelNotFound } from './openai-request.ts'
import type { RequestError } from './wire-formats.ts'

// https://learn.microsoft.com/azure/foundry/reference/rest/embeddings-create-embedding
const maxTexts = 2048
const maxTokensEach = 8192
const maxTokensTogether = 300_000
const EmbeddingRequest = z.strictObject({
  model: z.string(),
  input: z.union([z.string().transform((text) => [text]), z.array(z.string()).min(1).max(maxTexts)]),
  encoding_format: z.literal('float'),
  user: z.string().optional(),
})

export interface LocalEmbeddings {
  model: string
  data: { object: 'embedding'; index: number; embedding: number[] }[]
  tokens: number
}

/**
 * Embed texts as the vendor does, or return its refusal. Texts with the same words and parts of words are
 * near each other.
 */
export function embed(body: unknown): LocalEmbeddings | RequestError {
  const parsed = EmbeddingRequest.safeParse(body)
  if (!parsed.success)
    return refuse(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  const { model, input } = parsed.data
  if (model !== embeddingModelName) return modelNotFound(model)
  const tokens = input.map(estimateTokens)
  const sum = tokens.reduce((total, count) => total + count, 0)
  if (tokens.includes(0)) return refuse("'input' cannot be an empty string.")
  if (Math.max(...tokens) > maxTokensEach || sum > maxTokensTogether) return refuse('Too many tokens.')
  const data = input.map((text, index) => ({
    object: 'embedding' as const,
    index,
    embedding: toVector(text),
  }))
  return { model, data, tokens: sum }
}

function refuse(message: string): RequestError {
  return { status: 400, message, param: 'input', code: null }
}

const dimensions = 256
/** Words of the same meaning, so that a test can find what no shared word finds. */
const sameMeaning: Record<string, string> = { tintenpatrone: 'cartridge', odposlech: 'wiretap' }

/**
 * Sum up a vector per word and per three letters. Each has a sign in every dimension, which a hash of it
 * decides.
 */
function toVector(text: string): number[] {
  const vector: number[] = Array.from({ length: dimensions }, () => 0)
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const meaning = sameMeaning[word] ?? word
    addSigns(vector, meaning, 2)
    for (let start = 0; start + 3 <= meaning.length; start++)
      addSigns(vector, meaning.slice(start, start + 3), 1 / meaning.length)
  }
  return vector.some((value) => value !== 0) ? vector : vector.map(() => 1)
}

function addSigns(vector: number[], part: string, weight: number): void {
  let state = 2166136261
  // https://datatracker.ietf.org/doc/html/draft-eastlake-fnv
  for (const unit of part) state = Math.imul(state ^ (unit.codePointAt(0) ?? 0), 16777619)
  for (let index = 0; index < vector.length; index++) {
    // https://www.jstatsoft.org/article/view/v008i14
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    vector[index] = (vector[index] ?? 0) + (state < 0 ? -weight : weight)
  }
}
