import type { AiFailureKind } from './ai.ts'

/** What a code says by itself, whatever the status is. */
const kindsByCode: Record<string, AiFailureKind> = {
  // A used-up quota is not temporary, although its status is 429:
  // https://developers.openai.com/api/docs/guides/error-codes
  insufficient_quota: 'unavailable',
  model_not_found: 'unavailable',
  // https://console.groq.com/docs/errors. The model did not write JSON, in JSON mode.
  model_decommissioned: 'unavailable',
  json_validate_failed: 'unusable',
  // The filter has refused the prompt:
  // https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter
  content_filter: 'declined',
  content_policy_violation: 'declined',
}

/** Statuses of a key, an account or a model that is not accepted. */
const unavailableStatuses = new Set([401, 402, 403, 404, 410])

/** Return what an answer with an error means for the call. Only temporary failures may be retried. */
export function toFailureKind(
  status: number | undefined,
  code: unknown,
  retryAfterMs: number | undefined,
): AiFailureKind {
  const known = typeof code === 'string' && Object.hasOwn(kindsByCode, code) ? kindsByCode[code] : undefined
  if (known) return known
  if (status === undefined) return 'failed'
  if (status === 429 || ((status === 503 || status === 529) && retryAfterMs !== undefined)) return 'limited'
  if (unavailableStatuses.has(status)) return 'unavailable'
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'failed'
}
