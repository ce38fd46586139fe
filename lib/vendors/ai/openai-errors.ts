import { parseJson } from '#rules/text/json.ts'
import { readWaitMs } from '#vendors/net/refusal.ts'
import { limitWait, parseRetryAfterMs } from '#vendors/net/send-result.ts'
import type { AiFailureKind } from './ai.ts'

/** The parts of an error that we use. */
interface ErrorBody {
  message: string
  param?: unknown
  code?: unknown
}

const maxMessage = 4000

/**
 * Return an error in the shape of OpenAI, whatever shape the endpoint has: `{error: {…}}`, the same in a
 * list, `{object: 'error', …}`, a text in `error` or `detail`, or no JSON. Of an unknown shape the whole text
 * is the message.
 */
export function readErrorBody(text: string): { error: ErrorBody } {
  const parsed = parseJson(text)
  const first = toObject(Array.isArray(parsed) ? parsed[0] : parsed)
  const nested = toObject(first?.error)
  const fields = nested ?? first ?? {}
  const said = typeof fields.message === 'string' ? fields.message : text
  // llama.cpp has the numbers beside the message:
  // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-task.cpp
  const numbers = ['n_prompt_tokens', 'n_ctx'].flatMap((key) =>
    fields[key] ? [`${key} ${fields[key]}`] : [],
  )
  const filters = listFilters(fields)
  const message = [...filters, said.slice(0, maxMessage), ...numbers].join(' ')
  return {
    error: { message, param: fields.param ?? null, code: fields.code ?? null },
  }
}

/**
 * Return the error inside of an answer whose status says that there is none, as gateways and servers of models
 * send it: https://openrouter.ai/docs/api/reference/errors-and-debugging
 */
export function findError({ error, choices }: Record<string, unknown>): ErrorBody | undefined {
  const said = error || (Array.isArray(choices) && toObject(choices[0])?.error)
  return said ? readErrorBody(JSON.stringify({ error: said })).error : undefined
}

/**
 * Return what the content filter says, for `content_filter_result(s)` anywhere in a part of an answer:
 * https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter
 */
export function listFilters(part: unknown): string[] {
  const names = new Set<string>()
  const walk = (value: unknown, name: string, level: number) => {
    const object = toObject(value)
    if (!object || level > maxLevels) return
    if (object.filtered === true) names.add(name)
    for (const [key, each] of Object.entries(object)) walk(each, key, level + 1)
  }
  walk(part, '', 0)
  return names.size > 0 ? [`Content filter: ${[...names].join(', ')}.`] : []
}
const maxLevels = 6

function toObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

/** Return the status of an error. Inside of an answer it is the code. */
export function toStatus(status: unknown, code: unknown): number | undefined {
  const sent = Number(status ?? code)
  return sent >= 400 && sent < 600 ? sent : undefined
}

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

/** Google refuses a key with 400: https://ai.google.dev/gemini-api/docs/troubleshooting */
const aboutKey = /\bapi[ _-]?key\b.{0,40}\b(?:not valid|invalid|not found|expired|missing)\b/i

/** Return what an answer with an error means for the call. Only temporary failures may be retried. */
export function toFailureKind(
  status: number | undefined,
  { code, message }: { code?: unknown; message: string },
  retryAfterMs: number | undefined,
): AiFailureKind {
  const known = typeof code === 'string' && Object.hasOwn(kindsByCode, code) ? kindsByCode[code] : undefined
  if (known) return known
  if (status === undefined) return 'failed'
  if (status === 429 || ((status === 503 || status === 529) && retryAfterMs !== undefined)) return 'limited'
  if (unavailableStatuses.has(status)) return 'unavailable'
  if (status === 400 && aboutKey.test(message)) return 'unavailable'
  return status >= 400 && status < 500 && status !== 408 ? 'rejected' : 'failed'
}

/**
 * Return how long an answer asks to wait, in milliseconds from 0 to a day: by `retry-after-ms`, by
 * `retry-after`, or until its limit of tokens starts anew
 * (https://developers.openai.com/api/docs/guides/rate-limits). Return undefined if it does not ask.
 */
export function readRetryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const milliseconds = Number.parseFloat(headers?.get('retry-after-ms') ?? '')
  if (milliseconds >= 0) return limitWait(milliseconds)
  const asked = parseRetryAfterMs(headers?.get('retry-after'), now)
  if (asked !== undefined) return asked
  const reset = headers?.get('x-ratelimit-reset-tokens') ?? headers?.get('x-rate-limit-reset-tokens') ?? ''
  return /^\d+$/.test(reset) ? limitWait(Number(reset) * 1000) || undefined : readWaitMs(`wait ${reset}`)
}
