import { Redis } from '@upstash/redis'
import type { RedisCommands } from '#vendors/cache/redis-commands.ts'

/**
 * Open a Redis over Upstash's REST API. Each command is one HTTP request, which is aborted after `timeoutMs`.
 */
export function openRestRedis(url: string, token: string, timeoutMs: number): RedisCommands {
  const redis = new Redis({
    url,
    token,
    // `retry: false` would send a request that failed a second time, so that a call might be counted twice.
    retry: { retries: 0 },
    enableTelemetry: false,
    signal: () => AbortSignal.timeout(timeoutMs),
    // Each request makes one small ASCII call, so pipelining, base64 responses and read-your-writes tokens
    // would only add work.
    enableAutoPipelining: false,
    responseEncoding: false,
    readYourWrites: false,
    automaticDeserialization: false,
  })
  return {
    evalsha: (hash, keys, args) => redis.evalsha(hash, keys, args),
    eval: (script, keys, args) => redis.eval(script, keys, args),
    get: (key) => redis.get(key),
    set: (key, text, seconds) => redis.set(key, text, { ex: seconds }),
    delete: (key) => redis.del(key),
  }
}
