import { Problem } from '#problem.ts'
import type { Limiter, LimitResult, ParsedRate } from '#vendors/cache/limiter.ts'

/**
 * The limits of at most this many calls an hour count valid requests only, so that typing errors do not use
 * them up.
 */
const maxScarceCalls = 10
/** How many invalid requests those operations accept an hour. */
const maxInvalidCalls = 60

/** A call, and the rate that it was counted against. */
export interface CountedCall {
  rate: ParsedRate
  result: LimitResult
}

/**
 * Count a call against `rate`. Where `rate` allows few calls, count an invalid request against a laxer one
 * instead.
 */
export async function countCall(
  limiter: Limiter,
  key: string,
  rate: ParsedRate,
  { isValid, isStrict }: { isValid: boolean; isStrict: boolean },
): Promise<CountedCall> {
  if (isValid || rate.max > maxScarceCalls || rate.unit !== 'hour')
    return { rate, result: await limiter.count(key, rate, isStrict) }
  const invalidRate = { ...rate, max: maxInvalidCalls }
  return { rate: invalidRate, result: await limiter.count(`${key}:invalid`, invalidRate, isStrict) }
}

/**
 * Throw 429 if too many calls of this key have failed. Return how to ask again, and how to count a failure: it
 * throws its error, or 429 when calls at the same time have used up the limit.
 */
export async function watchFailures(limiter: Limiter, key: string, rate: ParsedRate) {
  const failureKey = `${key}:failed`
  const requireRoom = async () => {
    const { remaining, ...result } = await limiter.count(failureKey, rate, true, 0)
    if (remaining === 0) throw createRateLimitProblem(rate, { remaining, ...result })
  }
  await requireRoom()
  return {
    requireRoom,
    async countFailure(error: unknown, status: number): Promise<never> {
      if (status >= 500) throw error
      const result = await limiter.count(failureKey, rate, true)
      throw result.allowed ? error : createRateLimitProblem(rate, result)
    },
  }
}

/** 429 with the time until a call would be allowed. */
export function createRateLimitProblem(rate: ParsedRate, result: LimitResult): Problem {
  const headers = { 'retry-after': String(result.resetSeconds) }
  return new Problem('rate_limited', `Rate limit exceeded: ${rate.max} per ${rate.unit}`, { headers })
}
