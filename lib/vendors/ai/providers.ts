import { Problem } from '#problem.ts'
import { AiFailure, type AiFailureKind, type AiPort, type Completion } from './ai.ts'
import type { Circuit } from './circuit.ts'

export interface Provider {
  ai: AiPort
  /** Only of a provider that another one can replace. */
  circuit?: Circuit
}

/**
 * Return which provider a question asks, and which one takes over. While the first one is left alone, it only
 * takes over.
 */
export function orderProviders(ai: AiPort): { provider: Provider; next: Provider | undefined } {
  if (!ai.fallback) return { provider: { ai }, next: undefined }
  const first = { ai, circuit: ai.fallback.circuit }
  const second = { ai: ai.fallback.ai }
  return first.circuit.isOpen() ? { provider: second, next: first } : { provider: first, next: second }
}

/**
 * Failures of a provider. The others are of the request or the answer, and another provider is not asked for
 * the same.
 */
const providerFailures: ReadonlySet<AiFailureKind> = new Set(['timeout', 'failed', 'unavailable', 'limited'])
const isProviderFailure = (error: unknown): error is AiFailure =>
  error instanceof AiFailure && providerFailures.has(error.kind)

// A call with less time says more about the prompt than about the provider.
const minTimeoutMs = 30_000

/** Leave a provider alone for a while after a failure of its own. */
export function reportFailure({ circuit }: Provider, error: unknown, { timeoutMs }: Completion): void {
  if (!isProviderFailure(error) || (error.kind === 'timeout' && timeoutMs < minTimeoutMs)) return
  circuit?.open(error.retryAfterMs)
}

// A caller waits for the answer. Longer waits are passed on to the caller in `retry-after`.
const maxWaitMs = 20_000
const defaultWaitMs = 1000

interface Situation {
  remainingMs: number
  attemptsLeft: number
  hasNext: boolean
}
type Plan = { step: 'switch' } | { step: 'repeat'; waitMs: number; ceilingFactor: number }

/**
 * Decide what follows a failed call: the same once more, or the next provider. Return undefined if neither
 * helps, or no time is left.
 */
export function planNext(
  error: unknown,
  { remainingMs, attemptsLeft, hasNext }: Situation,
): Plan | undefined {
  if (error instanceof Problem || remainingMs <= 0) return undefined
  const kind = error instanceof AiFailure ? error.kind : 'unusable'
  const waitMs = error instanceof AiFailure && kind === 'limited' ? error.retryAfterMs || defaultWaitMs : 0
  const mayRepeat = attemptsLeft > 0 && waitMs <= maxWaitMs && waitMs < remainingMs
  const repeat: Plan | undefined = mayRepeat
    ? { step: 'repeat', waitMs, ceilingFactor: kind === 'truncated' ? 2 : 1 }
    : undefined
  const change: Plan | undefined = hasNext ? { step: 'switch' } : undefined
  switch (kind) {
    case 'rejected':
    case 'declined':
      return undefined
    case 'unavailable':
      return change
    case 'timeout':
    case 'failed':
      return change ?? repeat
    case 'limited':
      return repeat ?? change
    // A model that takes no higher ceiling would cut the answer again.
    case 'truncated':
      return error instanceof AiFailure && error.ceiling !== undefined ? change : repeat
    case 'too_long':
      return change
    case 'unusable':
      return repeat
  }
}
