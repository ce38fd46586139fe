/**
 * The commands of Redis that the limiter and the cache use. Every call rejects when Redis does not answer in
 * time.
 */
export interface RedisCommands {
  /** Run the script with this SHA-1. Reject with `NOSCRIPT` if Redis does not know it. */
  evalsha(hash: string, keys: string[], args: unknown[]): Promise<unknown>
  eval(script: string, keys: string[], args: unknown[]): Promise<unknown>
  get(key: string): Promise<unknown>
  /** Store a text for some seconds. */
  set(key: string, text: string, seconds: number): Promise<unknown>
  delete(key: string): Promise<unknown>
}

/**
 * Return the code with which an error of Redis starts, never its text:
 * https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors
 */
export function readRedisErrorCode(error: unknown): string | undefined {
  return error instanceof Error ? /(?:^|: )([A-Z]{3,20})\b/.exec(error.message)?.[1] : undefined
}
