import { Redis } from '@upstash/redis'

/** Calls per window. With `/ip` they are counted per client address instead of per user. */
export type Rate = `${number}/${'minute' | 'hour'}${'' | '/ip'}`
/** A rate, or the name of a rate that operations share. */
export type Limit = Rate | NamedLimit | 'none'
type NamedLimit = 'read' | 'write' | 'ai' | 'public'

export interface LimitResult {
  allowed: boolean
  limit: number
  remaining: number
  /** Seconds until the oldest counted call leaves the window, rounded up. */
  resetSeconds: number
}

export interface Limiter {
  /** Count one call. When Redis does not answer, a `strict` call is counted in this isolate against half the limit; any other is allowed. */
  count(key: string, rate: ParsedRate, strict: boolean): Promise<LimitResult>
  /** Throw when Redis does not answer. */
  ping(): Promise<void>
}

export interface ParsedRate {
  max: number
  windowMs: number
  /** `minute` or `hour`, for the error message. */
  unit: string
  perAddress: boolean
}

const namedLimits: Record<NamedLimit, Rate> = {
  read: '240/minute',
  write: '120/minute',
  ai: '20/minute',
  public: '120/minute/ip',
}
const millis = { minute: 60_000, hour: 3_600_000 }

/** Parse a rate or the name of one. */
export function parseRate(limit: Limit): ParsedRate {
  const rate = limit in namedLimits ? namedLimits[limit as NamedLimit] : (limit as Rate)
  const [max = '', unit = '', ip] = rate.split('/')
  return { max: Number(max), windowMs: millis[unit as keyof typeof millis], unit, perAddress: ip === 'ip' }
}

// Keeps the time of every allowed call in the window, so the limit is exact. Fixed windows would allow bursts at their boundaries.
const slidingWindowScript = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, ARGV[1] - ARGV[2])
local n = redis.call('ZCARD', KEYS[1])
local allowed = 0
if n < tonumber(ARGV[3]) then
  redis.call('ZADD', KEYS[1], ARGV[1], ARGV[4])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  allowed = 1
  n = n + 1
end
return {allowed, n, redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]}`

/** Create a limiter that counts calls in exact sliding windows in Redis. A blocked key is refused without another call to Redis. */
export function createLimiter(url: string, token: string, timeoutMs = 250, now: () => number = Date.now): Limiter {
  // Each request makes one small ASCII call, so pipelining, base64 responses and read-your-writes tokens would only add work.
  const clientOptions = { enableAutoPipelining: false, responseEncoding: false, readYourWrites: false } as const
  const redis = new Redis({
    url,
    token,
    retry: false,
    enableTelemetry: false,
    signal: () => AbortSignal.timeout(timeoutMs),
    ...clientOptions,
  })
  const window = redis.createScript<[number, number, string]>(slidingWindowScript)
  /** The time in milliseconds until which a key stays blocked. */
  const blockedUntilByKey = new Map<string, number>()
  const countLocally = createLocalCounter()
  let unreachableUntil = 0

  const fallback = (key: string, rate: ParsedRate, strict: boolean): LimitResult =>
    strict ? countLocally(key, Math.max(1, Math.floor(rate.max / 2)), rate, now()) : createAllowedResult(rate)

  return {
    async count(key, rate, strict) {
      const at = now()
      const blockedUntil = blockedUntilByKey.get(key)
      if (blockedUntil && blockedUntil > at)
        return { allowed: false, limit: rate.max, remaining: 0, resetSeconds: Math.ceil((blockedUntil - at) / 1000) }
      if (unreachableUntil > at) return fallback(key, rate, strict)
      try {
        const args = [String(at), String(rate.windowMs), String(rate.max), `${at}-${crypto.randomUUID()}`]
        const [allowed, count, oldest] = await window.exec([`limit:${key}`], args)
        const freeAt = Number(oldest) + rate.windowMs
        if (!allowed) rememberBlocked(blockedUntilByKey, key, freeAt, at)
        const resetSeconds = Math.max(1, Math.ceil((freeAt - at) / 1000))
        return { allowed: allowed === 1, limit: rate.max, remaining: Math.max(0, rate.max - count), resetSeconds }
      } catch {
        // For 5 s the other callers use the fallback without waiting for the same time-out.
        unreachableUntil = now() + 5000
        return fallback(key, rate, strict)
      }
    },
    async ping() {
      if ((await redis.ping()) !== 'PONG') throw new Error('Redis did not answer PONG')
    },
  }
}

function createAllowedResult(rate: ParsedRate): LimitResult {
  return { allowed: true, limit: rate.max, remaining: rate.max - 1, resetSeconds: Math.ceil(rate.windowMs / 1000) }
}

function rememberBlocked(blockedUntilByKey: Map<string, number>, key: string, until: number, at: number): void {
  if (blockedUntilByKey.size >= 5000)
    for (const [blockedKey, end] of blockedUntilByKey) if (end <= at || blockedUntilByKey.size >= 5000) blockedUntilByKey.delete(blockedKey)
  blockedUntilByKey.set(key, until)
}

/** Create a fallback that counts calls in exact sliding windows in this isolate. */
function createLocalCounter() {
  const calls = new Map<string, number[]>()
  return (key: string, max: number, rate: ParsedRate, at: number): LimitResult => {
    if (calls.size > 5000) calls.clear()
    const recent = (calls.get(key) ?? []).filter((time) => time > at - rate.windowMs)
    const allowed = recent.length < max
    if (allowed) recent.push(at)
    calls.set(key, recent)
    const resetSeconds = Math.ceil(((recent[0] ?? at) + rate.windowMs - at) / 1000)
    return { allowed, limit: max, remaining: max - recent.length, resetSeconds }
  }
}
