import type { Limiter } from '#vendors/cache/limiter.ts'
import { createLocalCounter } from '#vendors/cache/local-counter.ts'

/** Create a limiter that counts calls in exact sliding windows in this process, with at most about 40 MB. */
export function createMemoryLimiter(): Limiter {
  const count = createLocalCounter(100_000, 2_000_000)
  return {
    count: async (key, rate, _strict, calls) => count(key, rate.max, rate, Date.now(), calls),
    async ping() {},
  }
}
