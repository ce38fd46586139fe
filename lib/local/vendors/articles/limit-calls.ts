import type { MiddlewareHandler } from 'hono'
import type { Clock } from '#local/clock.ts'

/** Refuse calls beyond `calls` in each window with 429 and the seconds until the next one. */
export function limitCalls(clock: Clock, calls: number, windowSeconds: number): MiddlewareHandler {
  let window = 0
  let count = 0
  return async (c, next) => {
    const seconds = clock.now() / 1000
    const current = Math.floor(seconds / windowSeconds)
    if (current !== window) [window, count] = [current, 0]
    if (++count <= calls) return next()
    const wait = Math.ceil((current + 1) * windowSeconds - seconds)
    return c.json({ error: 'Too many requests' }, 429, { 'retry-after': String(Math.max(1, wait)) })
  }
}
