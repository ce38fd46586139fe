import { Redis } from '@upstash/redis'

/** Calls per window; `/ip` counts per client address instead of per user. */
export type Rate = `${number}/${'minute' | 'hour'}${'' | '/ip'}`
/** A rate, or the name of a shared one. */
export type Limit = Rate | NamedLimit | 'none'
type NamedLimit = 'read' | 'write' | 'ai' | 'public'

export interface Verdict {
  allowed: boolean
  limit: number
  remaining: number
  /** Seconds until the oldest counted call falls out of the window, rounded up. */
  resetSeconds: number
}

export interface Limiter {
  /** Counts one call. `strict` routes fall to a tighter in-isolate count when Redis does not answer; the rest are let through. */
  take(key: string, rate: ParsedRate, strict: boolean): Promise<Verdict>
  /** Throws when Redis does not answer as it should. */
  ping(): Promise<void>
}

export interface ParsedRate {
  max: number
  windowMs: number
  /** `minute` or `hour`, as the refusal names it. */
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

export function parseRate(limit: Limit): ParsedRate {
  const rate = limit in namedLimits ? namedLimits[limit as NamedLimit] : (limit as Rate)
  const [max = '', unit = '', ip] = rate.split('/')
  return { max: Number(max), windowMs: millis[unit as keyof typeof millis], unit, perAddress: ip === 'ip' }
}

// A log of the calls of one window: exact at every moment, where counters of two windows are off by one at their border.
const script = `
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

/** Exact sliding windows in Redis, with a memory of who is over and what to do when Redis is away. */
export function createLimiter(url: string, token: string, timeoutMs = 250, now: () => number = Date.now): Limiter {
  // One small call at a time: what the client does for many, large or readable ones costs more than the call.
  const plain = { enableAutoPipelining: false, responseEncoding: false, readYourWrites: false } as const
  const redis = new Redis({ url, token, retry: false, enableTelemetry: false, signal: () => AbortSignal.timeout(timeoutMs), ...plain })
  const window = redis.createScript<[number, number, string]>(script)
  const blocked = new Map<string, number>()
  const local = localWindows()
  let awayUntil = 0

  const fallback = (key: string, rate: ParsedRate, strict: boolean): Verdict =>
    strict ? local(key, Math.max(1, Math.floor(rate.max / 2)), rate, now()) : open(rate)

  return {
    async take(key, rate, strict) {
      const at = now()
      const until = blocked.get(key)
      if (until && until > at) return { allowed: false, limit: rate.max, remaining: 0, resetSeconds: Math.ceil((until - at) / 1000) }
      if (awayUntil > at) return fallback(key, rate, strict)
      try {
        const args = [String(at), String(rate.windowMs), String(rate.max), `${at}-${crypto.randomUUID()}`]
        const [allowed, count, oldest] = await window.exec([`limit:${key}`], args)
        const freeAt = Number(oldest) + rate.windowMs
        if (!allowed) remember(blocked, key, freeAt, at)
        const resetSeconds = Math.max(1, Math.ceil((freeAt - at) / 1000))
        return { allowed: allowed === 1, limit: rate.max, remaining: Math.max(0, rate.max - count), resetSeconds }
      } catch {
        // One caller finds out; the others of the next seconds do not wait for the same answer.
        awayUntil = now() + 5000
        return fallback(key, rate, strict)
      }
    },
    async ping() {
      if ((await redis.ping()) !== 'PONG') throw new Error('Redis did not say PONG')
    },
  }
}

function open(rate: ParsedRate): Verdict {
  return { allowed: true, limit: rate.max, remaining: rate.max - 1, resetSeconds: Math.ceil(rate.windowMs / 1000) }
}

function remember(blocked: Map<string, number>, key: string, until: number, at: number): void {
  if (blocked.size >= 5000) for (const [old, end] of blocked) if (end <= at || blocked.size >= 5000) blocked.delete(old)
  blocked.set(key, until)
}

function localWindows() {
  const calls = new Map<string, number[]>()
  return (key: string, max: number, rate: ParsedRate, at: number): Verdict => {
    if (calls.size > 5000) calls.clear()
    const recent = (calls.get(key) ?? []).filter((time) => time > at - rate.windowMs)
    const allowed = recent.length < max
    if (allowed) recent.push(at)
    calls.set(key, recent)
    const resetSeconds = Math.ceil(((recent[0] ?? at) + rate.windowMs - at) / 1000)
    return { allowed, limit: max, remaining: max - recent.length, resetSeconds }
  }
}
