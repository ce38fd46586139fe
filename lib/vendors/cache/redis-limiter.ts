import { Ratelimit } from '@upstash/ratelimit'
import { createAvailability, firstCallFactor } from './availability.ts'
import type { Limiter, ParsedRate } from './limiter.ts'
import { createLocalCounter } from './local-counter.ts'
import { type RedisCommands, readRedisErrorCode } from './redis-commands.ts'

type RatelimitRedis = ConstructorParameters<typeof Ratelimit>[0]['redis']

// With the version of what a key contains: a release that stores something else uses other keys.
const prefix = 'limit:bucket1'
/** Logged at most once in this time. */
const refusalLogMs = 60_000
const maxBlockedKeys = 5000
/** A busy event loop fires timers this much too late. */
const lateMs = 50

/**
 * Create a limiter that counts calls in Redis, with `@upstash/ratelimit`. A window starts at the key's first
 * call. Windows of a key that is called in each of them follow each other without a gap. A key over its limit
 * is refused without a call to Redis. A call may take `timeoutMs`, and four times as long if it opens a
 * connection.
 */
export function createRedisLimiter(
  redis: RedisCommands,
  timeoutMs = 250,
  log: (line: Record<string, unknown>) => void = () => {},
): Limiter {
  /**
   * The time in milliseconds until which a key of Redis is over its limit. The library reads and writes it
   * too.
   */
  const blockedUntilByKey = new Map<string, number>()
  const checkedRedis = checkReplies(redis)
  const findRatelimit = createRatelimits(checkedRedis, timeoutMs, blockedUntilByKey)
  const findFirstRatelimit = createRatelimits(checkedRedis, timeoutMs * firstCallFactor, blockedUntilByKey)
  const countLocally = createLocalCounter()
  const availability = createAvailability()
  let loggedUntil = 0
  /** When a call was last counted in this process alone. */
  let countedAloneAt = Number.NEGATIVE_INFINITY
  /** Redis answered, so it is not away: only this key is counted elsewhere. */
  const handleRefusal = (redisKey: string, code: string) => {
    availability.recordSuccess()
    if (code === 'WRONGTYPE') void redis.delete(redisKey).catch(() => {})
    if (Date.now() < loggedUntil) return
    loggedUntil = Date.now() + refusalLogMs
    log({ at: new Date().toISOString(), level: 'error', redis: 'refused', code })
  }
  return {
    async count(key, rate, strict, calls = 1) {
      const identifier = `${rate.max}/${rate.windowMs}:${key}`
      const redisKey = `${prefix}:${identifier}`
      const countHere = (max: number) => countLocally(key, max, rate, Date.now(), calls)
      const countAlone = (max: number) => {
        countedAloneAt = Date.now()
        return countHere(max)
      }
      // Never open: whoever makes Redis late by a burst would open the limit of that burst.
      const countWhileAway = () => countAlone(strict ? Math.max(1, Math.floor(rate.max / 2)) : rate.max)
      forgetEndedBlock(blockedUntilByKey, redisKey)
      if (!availability.isAvailable() && !blockedUntilByKey.has(redisKey)) return countWhileAway()
      const [findLimiter, allowedMs] = availability.needsConnection()
        ? [findFirstRatelimit, timeoutMs * firstCallFactor]
        : [findRatelimit, timeoutMs]
      const startedAt = performance.now()
      let refusal: string | undefined
      const response = await findLimiter(rate)
        .limit(identifier, { rate: calls })
        .catch((error: unknown) => {
          refusal = readRefusal(error)
          return undefined
        })
      if (refusal !== undefined) {
        handleRefusal(redisKey, refusal)
        return countWhileAway()
      }
      if (response && response.reason !== 'timeout') {
        if (response.reason !== 'cacheBlock') availability.recordSuccess()
        // Counted here too, so that a call without an answer in time goes on from the right number.
        const here = response.success ? countHere(rate.max) : undefined
        // Redis does not know the calls that were counted here alone, so for one window both have to allow.
        if (here && Date.now() < countedAloneAt + rate.windowMs && here.remaining < response.remaining)
          return here
        // Redis deletes a key one window after its last allowed call, even if the clock of whoever wrote it
        // was wrong.
        const reset = Math.min(response.reset, Date.now() + rate.windowMs)
        if (!response.success) rememberBlocked(blockedUntilByKey, redisKey, reset)
        const resetSeconds = Math.max(1, Math.ceil((reset - Date.now()) / 1000))
        return { allowed: response.success, limit: rate.max, remaining: response.remaining, resetSeconds }
      }
      // A time-out that fires late says that this process was busy, for example with a burst of the caller,
      // not that Redis is away.
      if (performance.now() - startedAt > allowedMs + lateMs) return countAlone(rate.max)
      availability.recordFailure()
      return countWhileAway()
    },
    async ping() {
      // A write, because a full Redis and a replica answer PING.
      if ((await redis.set(`${prefix}:ready`, '1', 60)) !== 'OK') throw new Error('Redis did not store a key')
    },
  }
}

/**
 * Return a function that finds the library's limiter of a rate. There are as many as rates in the code, and
 * each is created once.
 */
function createRatelimits(redis: RatelimitRedis, timeoutMs: number, ephemeralCache: Map<string, number>) {
  const ratelimits = new Map<string, Ratelimit>()
  return ({ max, windowMs }: ParsedRate): Ratelimit => {
    const name = `${max}/${windowMs}`
    const existing = ratelimits.get(name)
    if (existing) return existing
    // A bucket that is refilled to the full once per window allows exactly `max` calls in a fresh window, and
    // `reset` is the time of the refill. The library's sliding window refuses again at the time that it
    // returns as `reset`.
    const limiter = Ratelimit.tokenBucket(max, `${windowMs} ms`, max)
    const ratelimit = new Ratelimit({ redis, limiter, prefix, timeout: timeoutMs, ephemeralCache })
    ratelimits.set(name, ratelimit)
    return ratelimit
  }
}

/** Return the code of an error with which Redis answered, or undefined if it did not answer. */
function readRefusal(error: unknown): string | undefined {
  const code = readRedisErrorCode(error)
  return code === undefined || notServing.has(code) ? undefined : code
}

/** Redis answers these while it starts, fails over or runs a script for too long. It serves nobody then. */
const notServing = new Set(['LOADING', 'MASTERDOWN', 'CLUSTERDOWN', 'BUSY'])

/**
 * Reject replies that are not three numbers: the library would take any text for a refusal that never ends.
 */
function checkReplies(redis: RedisCommands): RatelimitRedis {
  const check = (reply: unknown) => {
    if (Array.isArray(reply) && reply.length === 3 && reply.every(Number.isFinite)) return reply
    throw new TypeError('Redis returned an unexpected reply')
  }
  const checkedCommands: Pick<RedisCommands, 'evalsha' | 'eval'> = {
    evalsha: async (hash, keys, args) => check(await redis.evalsha(hash, keys, args)),
    eval: async (script, keys, args) => check(await redis.eval(script, keys, args)),
  }
  // The library's type also names commands that it uses for dynamic limits only.
  return checkedCommands as unknown as RatelimitRedis
}

/** The library refuses a key still in the millisecond in which its next window starts. */
function forgetEndedBlock(blockedUntilByKey: Map<string, number>, key: string): void {
  const until = blockedUntilByKey.get(key)
  if (until !== undefined && until <= Date.now()) blockedUntilByKey.delete(key)
}

function rememberBlocked(blockedUntilByKey: Map<string, number>, key: string, until: number): void {
  blockedUntilByKey.set(key, until)
  if (blockedUntilByKey.size <= maxBlockedKeys) return
  // The oldest tenth, so that an attacker with many keys does not cause a scan for each of them. A forgotten
  // key only costs a call to Redis.
  for (const oldest of [...blockedUntilByKey.keys()].slice(0, maxBlockedKeys / 10))
    blockedUntilByKey.delete(oldest)
}
