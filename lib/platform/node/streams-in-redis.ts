import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AccountStreams,
  createAccountStreams,
  type StreamSettings,
} from '#vendors/realtime/account-streams.ts'
import type { LiveEvent, TransientEvent } from '#vendors/realtime/realtime.ts'
import {
  maxStoredEvents,
  maxStoredKeys,
  parseEventId,
  startAfter,
  startWithNewEvents,
} from '#vendors/realtime/stored-events.ts'
import type { StreamStart } from '#vendors/realtime/subscriber.ts'
import type { RedisConnection } from './redis.ts'
import { parseRangeReply } from './streams-entries.ts'
import type { NodeRealtime } from './streams-in-memory.ts'
import { createStreamReader } from './streams-reader.ts'
import {
  broadcastKeyOf,
  broadcastTtlMs,
  eventKeysOf,
  eventTtlMs,
  publishScript,
  streamKeyOf,
} from './streams-script.ts'

const retryMs = 100

/**
 * Create a hub that shares the events of an account with other processes, through one stream of Redis per
 * account. This process reads only the accounts that have open streams here. The limit of streams per person
 * applies to each process. A dead connection is noticed after `blockMs`.
 */
export function createRedisRealtime(
  redis: RedisConnection,
  settings: StreamSettings,
  blockMs = 5000,
): NodeRealtime {
  /** By the key of the account's stream. */
  const accounts = new Map<string, AccountStreams>()
  /** The same streams, by the key of the account's transient events. */
  const broadcasts = new Map<string, AccountStreams>()
  const reader = createStreamReader(redis, blockMs, (key, events) => {
    for (const event of events) accounts.get(key)?.send(event, event.firstId)
    for (const { data } of events) broadcasts.get(key)?.broadcast(JSON.parse(data) as TransientEvent)
  })
  let isClosed = false
  /** Watch a stream from its newest event on, once Redis answers, before a sweep has published more. */
  const watchFromNewest = async (key: string) => {
    while (!isClosed && (accounts.get(key)?.count() ?? 0) > 0) {
      await redis.waitUntilReady()
      const newestId = await readNewestId(redis, key).catch(() => undefined)
      if (newestId !== undefined && accounts.has(key)) return reader.watch(key, newestId)
      await sleep(retryMs)
    }
  }
  const findStreams = (accountId: string, broadcastsAfter: number): AccountStreams => {
    const [key, broadcastKey] = [streamKeyOf(accountId), broadcastKeyOf(accountId)]
    const existing = accounts.get(key)
    if (existing) return existing
    const streams = createAccountStreams(settings, () => {
      accounts.delete(key)
      broadcasts.delete(broadcastKey)
      reader.unwatch(key)
      reader.unwatch(broadcastKey)
    })
    accounts.set(key, streams)
    broadcasts.set(broadcastKey, streams)
    reader.watch(broadcastKey, broadcastsAfter)
    return streams
  }
  return {
    publish: (accountId, events) => publishEvents(redis, accountId, events),
    broadcast: (accountId, events) => broadcastEvents(redis, accountId, events),
    async subscribe(accountId, { lastEventId, signal, ...owner }) {
      const key = streamKeyOf(accountId)
      // Clients that lost their streams with Redis may be back before it.
      await redis.waitUntilReady()
      const [{ start, readUpTo }, broadcastsAfter] = await Promise.all([
        readStart(redis, key, lastEventId),
        // Known while the account has streams. If the last one closes meanwhile, the events of the last
        // minute are sent again.
        accounts.has(key) ? 0 : readNewestId(redis, broadcastKeyOf(accountId)),
      ]).catch(() => [startWithoutStore(lastEventId, reader.findPosition(key)), 0] as const)
      const streams = findStreams(accountId, broadcastsAfter)
      const body = streams.open({ ...owner, accountId }, start, signal)
      // If the reader has come further meanwhile, it goes back. The other streams ignore what they have.
      if (streams.count() > 0 && readUpTo !== null) reader.watch(key, readUpTo)
      else void watchFromNewest(key)
      if (isClosed) streams.close()
      return body
    },
    async forget(accountId) {
      const key = streamKeyOf(accountId)
      await redis.call((client) => client.del(key, eventKeysOf(accountId), broadcastKeyOf(accountId)))
      await accounts.get(key)?.checkSignIns()
    },
    async ping() {
      await redis.call((client) => client.ping())
      if (reader.isFailing()) throw new Error('The streams of Redis cannot be read')
    },
    countStreams: (accountId) => accounts.get(streamKeyOf(accountId))?.count() ?? 0,
    countAllStreams: () => [...accounts.values()].reduce((sum, streams) => sum + streams.count(), 0),
    async close() {
      isClosed = true
      for (const streams of [...accounts.values()]) streams.close()
      reader.close()
    },
  }
}

/**
 * Return the start of a stream that opens while Redis does not answer: EventSource gives up at any status but
 * 200. A client that says what it has received gets the rest when Redis is back. A new one starts with what
 * this process has not read yet, or else there.
 */
function startWithoutStore(
  lastEventId: string | null,
  readId: number | undefined,
): { start: StreamStart; readUpTo: number | null } {
  const receivedId = parseEventId(lastEventId) ?? readId
  const isUnknown = receivedId === undefined
  return {
    start: { missed: [], after: receivedId ?? 0, isUnknown, lostCount: 0 },
    readUpTo: receivedId ?? null,
  }
}

async function publishEvents(
  redis: RedisConnection,
  accountId: string,
  events: readonly LiveEvent[],
): Promise<void> {
  if (events.length === 0) return
  const args = events.flatMap(({ key, event, data }) => [key, event, JSON.stringify(data)])
  const keys = [streamKeyOf(accountId), eventKeysOf(accountId)]
  await redis.eval(publishScript, keys, [Date.now(), maxStoredEvents, maxStoredKeys, eventTtlMs, ...args])
}

/** Add transient events to a stream of their own, which expires soon. No client ever reads it again. */
async function broadcastEvents(
  redis: RedisConnection,
  accountId: string,
  events: readonly TransientEvent[],
): Promise<void> {
  if (events.length === 0) return
  const args = events.flatMap((event) => [crypto.randomUUID(), event.event, JSON.stringify(event)])
  const key = broadcastKeyOf(accountId)
  await redis.eval(
    publishScript,
    [key, `${key}:keys`],
    [Date.now(), maxStoredEvents, 0, broadcastTtlMs, ...args],
  )
}

/** Return the id of the newest entry of a stream, or 0 if there is none. */
async function readNewestId(redis: RedisConnection, key: string): Promise<number> {
  const [newest] = parseRangeReply(await redis.call((client) => client.xrevrange(key, '+', '-', 'COUNT', 1)))
  return newest?.id ?? 0
}

/**
 * Read the stored events that a client has missed. `readUpTo` is the id after which its stream needs every
 * event.
 */
async function readStart(
  redis: RedisConnection,
  key: string,
  lastEventId: string | null,
): Promise<{ start: StreamStart; readUpTo: number | null }> {
  const receivedId = parseEventId(lastEventId)
  const [newestEntries, entries] = await Promise.all([
    redis.call((client) => client.xrevrange(key, '+', '-', 'COUNT', 1)),
    receivedId === undefined ? [] : redis.call((client) => client.xrange(key, `${receivedId + 1}-0`, '+')),
  ])
  const [newest = { id: 0, firstId: 1 }] = parseRangeReply(newestEntries)
  if (receivedId === undefined) return { start: startWithNewEvents(newest.id), readUpTo: newest.id }
  const isUnknown = receivedId > newest.id
  const missed = parseRangeReply(
    isUnknown ? await redis.call((client) => client.xrange(key, '-', '+')) : entries,
  )
  const start = startAfter(isUnknown ? 0 : receivedId, missed, {
    firstId: newest.firstId,
    newestId: newest.id,
  })
  return { start, readUpTo: missed.at(-1)?.id ?? newest.id }
}
