import { expect, onTestFinished } from 'vitest'
import type { Mode } from '#local/vendors/faults.ts'
import { openRestRedis } from '#platform/cloudflare/redis.ts'
import { openRedis } from '#platform/node/redis.ts'
import { secrets, startTestServer } from '#test/local/test-server.ts'
import type { Limiter } from '#vendors/cache/limiter.ts'
import type { RedisCommands } from '#vendors/cache/redis-commands.ts'
import { createRedisLimiter } from '#vendors/cache/redis-limiter.ts'
import { type RedisFault, startRedisProxy, startTestRedis } from './redis.ts'

/** A Redis, and clients of it that share nothing else, like the isolates or processes of the service. */
export interface TestRedis {
  /** Open a client with this time-out, which is long by default because the machine may be busy. */
  openClient(timeoutMs?: number): Promise<RedisCommands>
  /** Count what the clients have sent. */
  countCalls(): number
  setFault(fault: string): void
  /** Stop the fault, and wait until the clients can reach Redis again. */
  clearFault(): Promise<void>
}

export const longTimeoutMs = 10_000

async function startRestRedis(): Promise<TestRedis> {
  let calls = 0
  const { origin, faults } = await startTestServer({
    rawHandler: ({ url }) => {
      if (url?.startsWith('/redis')) calls++
      return false
    },
  })
  return {
    openClient: async (timeoutMs = longTimeoutMs) =>
      openRestRedis(`${origin}/redis`, secrets.redisToken, timeoutMs),
    countCalls: () => calls,
    setFault: (mode) => void faults.set({ service: 'redis', mode: mode as Mode }),
    clearFault: async () => faults.clear(),
  }
}

async function startTcpTestRedis(): Promise<TestRedis> {
  const proxy = await startRedisProxy(await startTestRedis())
  const clients: ReturnType<typeof openRedis>[] = []
  onTestFinished(() => {
    for (const client of clients) client.close()
  })
  return {
    async openClient(timeoutMs = longTimeoutMs) {
      const client = openRedis({ url: proxy.url, timeoutMs, log: () => {} })
      clients.push(client)
      await client.waitUntilReady()
      return client
    },
    countCalls: () => proxy.countPackets(),
    setFault: (fault) => proxy.setFault(fault as RedisFault),
    async clearFault() {
      proxy.setFault(undefined)
      await expect
        .poll(() => clients.map(({ client }) => client.status), { timeout: 60_000 })
        .toEqual(clients.map(() => 'ready'))
    },
  }
}

/** The two ways to reach Redis, and how each can fail. */
export const redisKinds = [
  {
    name: 'Redis over REST',
    start: startRestRedis,
    /** Whether the keys expire by the clock of the test. */
    hasClock: true,
    faults: ['down', 'hang', 'error', 'garbage', 'slow', 'rate_limit', 'client_error', 'redirect'],
  },
  {
    name: 'Redis over TCP',
    start: startTcpTestRedis,
    hasClock: !process.env.REDIS_URL,
    faults: ['down', 'hang', 'error', 'garbage', 'slow'],
  },
] as const

/** Open a limiter as another isolate or process would. */
export async function openLimiter(redis: TestRedis, timeoutMs = longTimeoutMs): Promise<Limiter> {
  return createRedisLimiter(await redis.openClient(timeoutMs), timeoutMs)
}
