/** Calls per window. With `/ip` they are counted per client address instead of per user. */
export type Rate = `${number}/${'minute' | 'hour'}${'' | '/ip'}`
/** A rate, or the name of a rate that operations share. */
export type Limit = Rate | NamedLimit | 'none'
type NamedLimit = 'read' | 'write' | 'ai' | 'public'

export interface LimitResult {
  allowed: boolean
  limit: number
  remaining: number
  /** Seconds until a refused call would be allowed, rounded up. */
  resetSeconds: number
}

export interface Limiter {
  /**
   * Count `calls` calls, one by default. A call that Redis does not answer is counted in this process: a
   * `strict` one against half the limit, any other against the whole. What a process remembers makes a limit
   * smaller, never larger.
   */
  count(key: string, rate: ParsedRate, strict: boolean, calls?: number): Promise<LimitResult>
  /** Throw when the store of the counts does not answer. */
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
