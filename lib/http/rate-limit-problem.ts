import { Problem } from '#problem.ts'
import type { LimitResult, ParsedRate } from '#vendors/cache/limiter.ts'

/** 429 with the time until a call would be allowed. */
export function createRateLimitProblem(rate: ParsedRate, result: LimitResult): Problem {
  const headers = { 'retry-after': String(result.resetSeconds) }
  return new Problem('rate_limited', `Rate limit exceeded: ${rate.max} per ${rate.unit}`, { headers })
}
