import { modelName } from '#local/model/model.ts'

/**
 * A model that the emulator offers. All models answer by the same rules and differ only in these properties.
 */
export interface LocalModel {
  id: string
  /** Whether it takes `reasoning_effort`, and spends tokens on reasoning. */
  reasons: boolean
  /** Days until it is switched off; null if nothing is announced. */
  daysLeft: number | null
}

/** A model that does not know `reasoning_effort`, like many models behind compatible endpoints. */
export const plainModelName = 'local-plain-1'
/** A model that will be switched off soon. */
export const retiringModelName = 'local-rules-0'
/** The model behind the embeddings API. */
export const embeddingModelName = 'local-embedding-1'

export const localModels: readonly LocalModel[] = [
  { id: modelName, reasons: true, daysLeft: null },
  { id: plainModelName, reasons: false, daysLeft: null },
  { id: retiringModelName, reasons: true, daysLeft: 30 },
]

/**
 * Tokens that a model spends on reasoning before its answer. They count against the ceiling of the answer.
 * Without an effort in the request, real models take `medium`.
 */
export const localReasoningTokens: Record<string, number> = {
  none: 0,
  low: 256,
  medium: 1280,
  high: 6000,
  xhigh: 20_000,
  max: 40_000,
}
