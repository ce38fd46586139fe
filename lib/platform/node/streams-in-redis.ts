import { type AccountStreams, createAccountStreams, type StreamSettings } from '../../realtime/account-streams.ts'
import type { LiveEvent } from '../../realtime/realtime.ts'
import { maxStoredEvents, parseEventId, startAfter, startWithNewEvents } from '../../realtime/stored-events.ts'
import type { StreamStart } from '../../realtime/subscriber.ts'
import type { RedisConnection } from './redis.ts'
import { parseRangeReply, type StoredEvent } from './streams-entries.ts'
import type { NodeRealtime } from './streams-in-memory.ts'
import { createStreamReader, type StreamReader } from './streams-reader.ts'
import { eventKeysOf, eventTtlMs, publishScript, streamKeyOf } from './streams-script.ts'

interface Account {
  streams: AccountStreams
  /** The events that arrive while a new stream reads the stored ones. One list per such stream. */
  arrivals: Set<StoredEvent[]>
}

/**
 * Create a hub that shares the events of an account with other processes, through one stream of Redis per account. This process reads only
 * the accounts that have open streams here. The limit of streams per person applies to each process. A dead connection is noticed after
 * `blockMs`.
 */
export function createRedisRealtime(redis: RedisConnection, settings: StreamSettings, blockMs = 5000): NodeRealtime {
  const accounts = new Map<string, Account>()
  const reader = createStreamReader(redis, blockMs, (key, events) => deliver(accounts.get(key), events))
  let isClosed = false
  const forgetIfUnused = (key: string) => {
    const account = accounts.get(key)
    if (!account || account.streams.count() > 0 || account.arrivals.size > 0) return
    accounts.delete(key)
    reader.unwatch(key)
  }
  const findAccount = (key: string): Account => {
    const existing = accounts.get(key)
    if (existing) return existing
    const account: Account = { streams: createAccountStreams(settings, () => forgetIfUnused(key)), arrivals: new Set() }
    accounts.set(key, account)
    return account
  }
  return {
    publish: (accountId, events) => publishEvents(redis, accountId, events),
    async subscribe(accountId, { lastEventId, signal, ...owner }) {
      const key = streamKeyOf(accountId)
      // Clients that lost their streams with Redis may be back before it.
      await redis.waitUntilReady()
      const account = findAccount(key)
      const arrived: StoredEvent[] = []
      account.arrivals.add(arrived)
      try {
        const start = await readStart(redis, reader, key, lastEventId, arrived)
        const body = account.streams.open({ ...owner, accountId }, start, signal)
        if (isClosed) account.streams.close()
        return body
      } finally {
        account.arrivals.delete(arrived)
        forgetIfUnused(key)
      }
    },
    async ping() {
      await redis.ping()
      if (reader.isFailing()) throw new Error('The streams of Redis cannot be read')
    },
    countStreams: (accountId) => accounts.get(streamKeyOf(accountId))?.streams.count() ?? 0,
    async close() {
      isClosed = true
      for (const { streams } of [...accounts.values()]) streams.close()
      reader.close()
    },
  }
}

function deliver(account: Account | undefined, events: readonly StoredEvent[]): void {
  for (const event of events) {
    account?.streams.send(event, event.firstId)
    for (const arrived of account?.arrivals ?? []) arrived.push(event)
  }
}

async function publishEvents(redis: RedisConnection, accountId: string, events: readonly LiveEvent[]): Promise<void> {
  if (events.length === 0) return
  const args = events.flatMap(({ key, event, data }) => [key, event, JSON.stringify(data)])
  const keys = [streamKeyOf(accountId), eventKeysOf(accountId)]
  await redis.eval(publishScript, keys, [Date.now(), maxStoredEvents, eventTtlMs, ...args])
}

/**
 * Read the stored events that a client has missed, and let the reader continue after them. `arrived` receives the events that the reader
 * delivers meanwhile to the streams that are open already.
 */
async function readStart(
  redis: RedisConnection,
  reader: StreamReader,
  key: string,
  lastEventId: string | null,
  arrived: readonly StoredEvent[],
): Promise<StreamStart> {
  const received = parseEventId(lastEventId)
  const [newestEntries, entries] = await Promise.all([
    redis.call((client) => client.xrevrange(key, '+', '-', 'COUNT', 1)),
    received === undefined ? [] : redis.call((client) => client.xrange(key, `${received + 1}-0`, '+')),
  ])
  const [newest = { id: 0, firstId: 1 }] = parseRangeReply(newestEntries)
  const isUnknown = received !== undefined && received > newest.id
  const stored = parseRangeReply(isUnknown ? await redis.call((client) => client.xrange(key, '-', '+')) : entries)
  const storedId = Math.max(newest.id, stored.at(-1)?.id ?? 0)
  reader.watch(key, storedId)
  const missed = [...stored, ...arrived.filter(({ id }) => id > storedId)]
  if (received === undefined) return { ...startWithNewEvents(newest.id), missed }
  return startAfter(isUnknown ? 0 : received, missed, { firstId: newest.firstId, newestId: newest.id })
}
