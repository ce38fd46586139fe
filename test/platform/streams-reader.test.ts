// @module-tag mechanism
import { expect, it, onTestFinished } from 'vitest'
import { openRedis, type RedisConnection } from '#platform/node/redis.ts'
import { createStreamReader } from '#platform/node/streams-reader.ts'
import { startTestRedis } from '#test/support/redis.ts'

/** Start a reader whose first reply is held back until the test releases it. */
async function startReader() {
  const redis = openRedis({ url: await startTestRedis(), timeoutMs: 10_000, log: () => {} })
  onTestFinished(() => redis.close())
  await redis.waitUntilReady()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let replies = 0
  const openBlocking: RedisConnection['openBlocking'] = (blockMs) => {
    const connection = redis.openBlocking(blockMs)
    const call: typeof connection.call = async (send) => {
      const reply = await connection.call(send)
      replies++
      await released
      return reply
    }
    return { ...connection, call }
  }
  const ids: number[] = []
  const reader = createStreamReader({ ...redis, openBlocking }, 5000, (_, events) =>
    ids.push(...events.map(({ id }) => id)),
  )
  onTestFinished(() => reader.close())
  const key = `live:{${crypto.randomUUID()}}`
  for (let id = 1; id <= 6; id++)
    await redis.client.xadd(key, `${id}-0`, 'first', '1', 'event', 'handoff_created', 'data', '{}')
  return { reader, key, ids, release, countReplies: () => replies }
}

const pollOptions = { timeout: 30_000, interval: 5 }

it('a stream that is moved back while a reply is on its way is read again from there', async () => {
  const { reader, key, ids, release, countReplies } = await startReader()
  reader.watch(key, 5)
  await expect.poll(countReplies, pollOptions).toBe(1)
  reader.watch(key, 2)
  release()
  await expect.poll(() => ids, pollOptions).toEqual([3, 4, 5, 6])
})

it('a stream that is left and watched again while a reply is on its way continues from its new position', async () => {
  const { reader, key, ids, release, countReplies } = await startReader()
  reader.watch(key, 1)
  await expect.poll(countReplies, pollOptions).toBe(1)
  reader.unwatch(key)
  reader.watch(key, 4)
  release()
  await expect.poll(() => ids, pollOptions).toEqual([5, 6])
})

it('a later position does not move a stream forward', async () => {
  const { reader, key, ids, release } = await startReader()
  reader.watch(key, 3)
  reader.watch(key, 5)
  release()
  await expect.poll(() => ids, pollOptions).toEqual([4, 5, 6])
})
