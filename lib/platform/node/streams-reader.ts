import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { readRedisErrorCode } from '#vendors/cache/redis-commands.ts'
import type { RedisConnection } from './redis.ts'
import {
  parseRangeReply,
  parseReadReply,
  readEntryId,
  type StoredEvent,
  toEvents,
} from './streams-entries.ts'

/** Reads the new events of several streams of Redis, on a connection of its own. */
export interface StreamReader {
  /**
   * Read the events of a stream after `position`. A stream that is read already continues, from `position` if
   * that is earlier.
   */
  watch(key: string, position: number): void
  unwatch(key: string): void
  /** Return the id up to which a stream was read, or undefined if it is not watched. */
  findPosition(key: string): number | undefined
  /** Return whether the last reads have failed. */
  isFailing(): boolean
  close(): void
}

/**
 * Fewer than a client's queue holds, so that a client that keeps reading receives all events after an outage.
 */
const readAtOnce = 16
/**
 * The pause between two XREADs per stream. It bounds what XREADs of many streams cost when events are
 * frequent.
 */
const pauseMsPerStream = 0.01
const wakeTtlMs = 60_000
const maxRetryMs = 1000
const failuresBeforeCheck = 3

/**
 * Create a reader. One blocking XREAD waits for all streams. When another stream is added, an entry in a
 * stream of the reader's own ends that XREAD, which otherwise takes up to `blockMs`. After a failure the
 * reader continues where it stopped.
 */
export function createStreamReader(
  redis: RedisConnection,
  blockMs: number,
  onEvents: (key: string, events: StoredEvent[]) => void,
): StreamReader {
  const positions = new Map<string, number>()
  const wakeKey = `live:wake:${crypto.randomUUID()}`
  let connection: ReturnType<RedisConnection['openBlocking']> | undefined
  let wakeId = '0-0'
  let isWoken = false
  let failures = 0
  let isRunning = false
  let isClosed = false
  const readOnce = async (call: RedisConnection['call']) => {
    isWoken = false
    const readPositions = new Map(positions)
    const keys = [wakeKey, ...readPositions.keys()]
    const ids = [wakeId, ...[...readPositions.values()].map((position) => `${position}-0`)]
    const reply = await call((client) =>
      client.xread('COUNT', readAtOnce, 'BLOCK', blockMs, 'STREAMS', ...keys, ...ids),
    )
    for (const [key, entries] of parseReadReply(reply)) {
      const last = entries.at(-1)
      if (last && key === wakeKey) wakeId = last[0]
      // A stream that was left or moved back meanwhile is not at the position that was read.
      else if (last && positions.get(key) === readPositions.get(key)) {
        positions.set(key, readEntryId(last))
        onEvents(key, toEvents(entries))
      }
    }
  }
  /**
   * Delete what is no stream or has other entries. One XREAD reads all keys, so a broken one would stop the
   * streams of every account.
   */
  const deleteBrokenKeys = async () => {
    for (const key of positions.keys()) {
      const read = redis
        .call((client) => client.xrevrange(key, '+', '-', 'COUNT', readAtOnce))
        .then(parseRangeReply)
      const isBroken = await read.then(
        () => false,
        (error: unknown) => readRedisErrorCode(error) === 'WRONGTYPE' || error instanceof z.ZodError,
      )
      if (!isBroken) continue
      redis.log({
        at: new Date().toISOString(),
        level: 'error',
        redis: 'deleted',
        key,
        reason: 'it is no stream of events',
      })
      await redis.call((client) => client.del(key)).catch(() => {})
    }
  }
  const run = async () => {
    isRunning = true
    connection ??= redis.openBlocking(blockMs)
    while (!isClosed && positions.size > 0) {
      try {
        await connection.waitUntilReady()
        await readOnce(connection.call)
        failures = 0
        await sleep(positions.size * pauseMsPerStream)
      } catch {
        failures++
        if (failures === failuresBeforeCheck) await deleteBrokenKeys()
        await sleep(Math.min(maxRetryMs, 25 * 2 ** failures))
      }
    }
    isRunning = false
    failures = 0
  }
  const wake = () => {
    if (isWoken) return
    isWoken = true
    const added = redis.call((client) => client.xadd(wakeKey, 'MAXLEN', 1, '*', 'wake', '1'))
    const expires = redis.call((client) => client.pexpire(wakeKey, wakeTtlMs))
    // Without the entry, the change takes effect when the current XREAD ends.
    Promise.all([added, expires]).catch(() => {})
  }
  return {
    watch(key, position) {
      if ((positions.get(key) ?? Number.POSITIVE_INFINITY) <= position || isClosed) return
      positions.set(key, position)
      if (isRunning) wake()
      else void run()
    },
    unwatch: (key) => void positions.delete(key),
    findPosition: (key) => positions.get(key),
    isFailing: () => failures > 2,
    close() {
      isClosed = true
      connection?.close()
    },
  }
}
