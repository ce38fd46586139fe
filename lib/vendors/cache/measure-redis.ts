import { isTraced, runInSpan } from '#trace.ts'
import { type RedisCommands, readRedisErrorCode } from './redis-commands.ts'

/**
 * Return the commands, each recorded as a span of the work that runs now. A span is named by its command and
 * contains no key and no value:
 * https://opentelemetry.io/docs/specs/semconv/database/redis/
 */
export function measureRedis<R extends RedisCommands>(redis: R): R {
  const { evalsha, eval: evaluate, get, set, delete: remove } = redis
  const commands: RedisCommands = {
    evalsha: (...args) => measure('EVALSHA', () => evalsha(...args)),
    eval: (...args) => measure('EVAL', () => evaluate(...args)),
    get: (...args) => measure('GET', () => get(...args)),
    set: (...args) => measure('SET', () => set(...args)),
    delete: (...args) => measure('DEL', () => remove(...args)),
  }
  return { ...redis, ...commands }
}

type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown }

async function measure(command: string, call: () => Promise<unknown>): Promise<unknown> {
  if (!isTraced()) return call()
  const outcome = await runInSpan(command, 'client', async (span): Promise<Outcome> => {
    Object.assign(span.attributes, { 'db.system.name': 'redis', 'db.operation.name': command })
    try {
      return { ok: true, value: await call() }
    } catch (error) {
      const code = readRedisErrorCode(error)
      if (code) span.attributes['db.response.status_code'] = code
      // The caller then sends the script itself, so nothing has failed.
      span.failed = code !== 'NOSCRIPT'
      if (span.failed)
        span.attributes['error.type'] = code ?? (error instanceof Error ? error.name : typeof error)
      return { ok: false, error }
    }
  })
  if (outcome.ok) return outcome.value
  throw outcome.error
}
