import {
  type AccountStreams,
  createAccountStreams,
  type StreamSettings,
} from '#vendors/realtime/account-streams.ts'
import type { LiveEvent, RealtimePort } from '#vendors/realtime/realtime.ts'
import {
  maxStoredEvents,
  maxStoredKeys,
  parseEventId,
  type StoredIds,
  startAfter,
  startWithNewEvents,
} from '#vendors/realtime/stored-events.ts'
import type { StreamEvent, StreamStart } from '#vendors/realtime/subscriber.ts'

/** A hub in this process. */
export interface NodeRealtime extends RealtimePort {
  /** Count the open streams of an account in this process. */
  countStreams(accountId: string): number
  /** Count the open streams of this process. */
  countAllStreams(): number
  /**
   * End every stream, also those that are opened later. The clients reconnect to another process after a few
   * seconds.
   */
  close(): Promise<void>
}

interface Account extends StoredIds {
  streams: AccountStreams
  events: StreamEvent[]
  /** The keys of the newest events, also of some that are forgotten, oldest first. */
  keys: Set<string>
  publishedAt: number
}

const maxCharacters = 32_000_000
/** About what an event needs besides its JSON. */
const eventOverhead = 200
/** About what a key needs in its set. */
const keyOverhead = 100
/** The events of an account without streams are forgotten after this long. */
const maxIdleMs = 86_400_000

/**
 * Create a hub for one process. It stores the last 256 events of each account, at most `characterLimit` of
 * JSON in all: beyond that, the accounts whose last event is the oldest lose theirs. A restart forgets
 * everything.
 */
export function createMemoryRealtime(settings: StreamSettings, characterLimit = maxCharacters): NodeRealtime {
  // In the order of their last event.
  const accounts = new Map<string, Account>()
  const store = createEventStore(accounts, characterLimit)
  let isClosed = false
  const findAccount = (accountId: string): Account => {
    const existing = accounts.get(accountId)
    if (existing) return existing
    const streams = createAccountStreams(settings, () => {
      if (account.events.length === 0) accounts.delete(accountId)
    })
    // The ids of a new account start at the time, so that they are higher than those before a restart.
    const now = Date.now()
    const account: Account = {
      streams,
      events: [],
      keys: new Set(),
      firstId: now,
      newestId: now - 1,
      publishedAt: now,
    }
    accounts.set(accountId, account)
    return account
  }
  return {
    publish: async (accountId, events) => store.add(accountId, findAccount(accountId), events),
    async broadcast(accountId, events) {
      for (const event of events) accounts.get(accountId)?.streams.broadcast(event)
    },
    async subscribe(accountId, { lastEventId, signal, ...owner }) {
      const account = findAccount(accountId)
      const body = account.streams.open({ ...owner, accountId }, startOf(account, lastEventId), signal)
      if (isClosed) account.streams.close()
      return body
    },
    async forget(accountId) {
      const account = accounts.get(accountId)
      if (!account) return
      store.forget(account)
      await account.streams.checkSignIns()
    },
    async ping() {},
    countStreams: (accountId) => accounts.get(accountId)?.streams.count() ?? 0,
    countAllStreams: () => [...accounts.values()].reduce((sum, { streams }) => sum + streams.count(), 0),
    async close() {
      isClosed = true
      for (const { streams } of [...accounts.values()]) streams.close()
    },
  }
}

interface EventStore {
  /** Store the events of an account, send them to its streams, and forget what is too old or too much. */
  add(accountId: string, account: Account, events: readonly LiveEvent[]): void
  /** Forget the events of an account. */
  forget(account: Account): void
}

function createEventStore(accounts: Map<string, Account>, characterLimit: number): EventStore {
  let characters = 0
  const forgetEvents = (account: Account, kept: number) => {
    const forgotten = account.events.splice(0, Math.max(0, account.events.length - kept))
    for (const { data } of forgotten) characters -= data.length + eventOverhead
  }
  const forgetKeys = ({ keys }: Account, kept: number) => {
    for (const key of keys) {
      if (keys.size <= kept) return
      keys.delete(key)
      characters -= keyOverhead
    }
  }
  const forgetAll = (account: Account) => {
    forgetEvents(account, 0)
    forgetKeys(account, 0)
  }
  const forgetIdleAccounts = () => {
    const idleSince = Date.now() - maxIdleMs
    for (const [accountId, account] of accounts) {
      if (characters <= characterLimit && account.publishedAt > idleSince) return
      forgetAll(account)
      if (account.streams.count() === 0) accounts.delete(accountId)
    }
  }
  const storeEvent = (account: Account, { key, event, data }: LiveEvent) => {
    if (account.keys.has(key)) return
    const storedEvent = { id: ++account.newestId, event, data: JSON.stringify(data) }
    account.keys.add(key)
    account.events.push(storedEvent)
    characters += storedEvent.data.length + eventOverhead + keyOverhead
    forgetEvents(account, maxStoredEvents)
    forgetKeys(account, maxStoredKeys)
    account.streams.send(storedEvent)
  }
  return {
    add(accountId, account, events) {
      for (const event of events) storeEvent(account, event)
      account.publishedAt = Date.now()
      accounts.delete(accountId)
      accounts.set(accountId, account)
      forgetIdleAccounts()
    },
    forget: forgetAll,
  }
}

function startOf({ events, ...ids }: Account, lastEventId: string | null): StreamStart {
  const received = parseEventId(lastEventId)
  if (received === undefined) return startWithNewEvents(ids.newestId)
  const after = received <= ids.newestId ? received : 0
  const missed = events.filter(({ id }) => id > after)
  return startAfter(after, missed, ids)
}
