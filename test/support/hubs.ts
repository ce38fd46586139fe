import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { createLocalSettings } from '#local/settings.ts'
import { EscalationHub } from '#platform/cloudflare/hub.ts'
import { durableRealtime, type HubNamespace } from '#platform/cloudflare/realtime.ts'
import { openRedis } from '#platform/node/redis.ts'
import { createMemoryRealtime, type NodeRealtime } from '#platform/node/streams-in-memory.ts'
import { createRedisRealtime } from '#platform/node/streams-in-redis.ts'
import type { StreamSettings } from '#vendors/realtime/account-streams.ts'
import { createSignInCheck } from '#vendors/realtime/active-sign-ins.ts'
import type { LiveEvent, RealtimePort } from '#vendors/realtime/realtime.ts'
import { parseEvents } from './ai.ts'
import { sharedService } from './app.ts'
import { openTestDatabase } from './databases.ts'
import { startTestRedis } from './redis.ts'

export const heartbeatMs = 25_000

/** A hub as one isolate or process sees it. */
export interface TestHub extends RealtimePort {
  countStreams(accountId: string): Promise<number>
}

/** Create the Durable Objects of a namespace in this process, each with SQLite in memory. */
async function createHubNamespace(): Promise<HubNamespace & { countTables(id: unknown): number }> {
  const service = await sharedService()
  const localServer = { origin: service.localOrigin, port: Number(new URL(service.localOrigin).port) }
  const database = new URL(service.ownerUrl).pathname.slice(1)
  const env = createLocalSettings('cloudflare', { api: service.api, localServer, database, databasePort: 0 })
  const hubs = new Map<unknown, EscalationHub>()
  const databases = new Map<unknown, DatabaseSync>()
  const listTables = (sqlite: DatabaseSync) =>
    sqlite.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").all()
  const createHub = (id: unknown) => {
    const sqlite = new DatabaseSync(':memory:')
    databases.set(id, sqlite)
    const exec = (query: string, ...values: (string | number)[]) => {
      const rows = sqlite.prepare(query).all(...values)
      return { toArray: () => rows }
    }
    const deleteAll = async () => {
      for (const { name } of listTables(sqlite)) sqlite.exec(`drop table ${name}`)
    }
    return new EscalationHub({ storage: { sql: { exec }, deleteAll }, getWebSockets: () => [] } as never, {
      ...env,
      STREAM_HEARTBEAT_MS: `${heartbeatMs}`,
    })
  }
  return {
    idFromName: (name) => name,
    get(id) {
      const hub = hubs.get(id) ?? createHub(id)
      hubs.set(id, hub)
      return { fetch: (url, init) => hub.fetch(new Request(url, init)) }
    },
    countTables: (id) => listTables(databases.get(id) as DatabaseSync).length,
  }
}

export async function openDurableHub(): Promise<TestHub & { countTables(accountId: string): number }> {
  const namespace = await createHubNamespace()
  const countStreams = async (accountId: string) => {
    const response = await namespace.get(accountId).fetch('https://hub/')
    return ((await response.json()) as { subscribers: number }).subscribers
  }
  return { ...durableRealtime(namespace), countStreams, countTables: namespace.countTables }
}

async function createStreamSettings(): Promise<StreamSettings> {
  const { settings } = await sharedService()
  return { heartbeatMs, selectActiveSignIns: createSignInCheck(openTestDatabase(settings.DATABASE_URL)) }
}

function toTestHub({ countStreams, ...realtime }: NodeRealtime): TestHub & { close(): Promise<void> } {
  onTestFinished(() => realtime.close())
  return { ...realtime, countStreams: async (accountId) => countStreams(accountId) }
}

export const openMemoryHub = async () => toTestHub(createMemoryRealtime(await createStreamSettings()))

/** Open the hub of another process that shares this Redis. */
export async function openRedisHub(
  url: string,
  { timeoutMs = 10_000, blockMs = 5000 } = {},
): Promise<TestHub & { close(): Promise<void> }> {
  const redis = openRedis({ url, timeoutMs, log: () => {} })
  onTestFinished(() => redis.close())
  await redis.waitUntilReady()
  return toTestHub(createRedisRealtime(redis, await createStreamSettings(), blockMs))
}

/** The hubs of the service. */
export const hubKinds: { name: string; open(): Promise<TestHub> }[] = [
  { name: 'a Durable Object', open: openDurableHub },
  { name: 'one process', open: openMemoryHub },
  { name: 'Redis', open: async () => openRedisHub(await startTestRedis()) },
]

/** Create events whose data is `{ n }`, each with a key of its own. */
export function createEvents(count: number, first = 1): LiveEvent[] {
  return Array.from({ length: count }, (_, i) => ({
    key: crypto.randomUUID(),
    event: 'handoff_created',
    data: { n: first + i },
  }))
}

/** Publish events as the service does, 16 at once. */
export async function publishEvents(
  hub: RealtimePort,
  accountId: string,
  events: readonly LiveEvent[],
): Promise<void> {
  for (let n = 0; n < events.length; n += 16) await hub.publish(accountId, events.slice(n, n + 16))
}

export interface TestStream {
  text(): string
  events(): ReturnType<typeof parseEvents>
  /** The numbers of the events of `createEvents`. */
  numbers(): number[]
  lastId(): string
  isClosed(): boolean
  /** Read what is waiting. A stream that was opened with `isReading: false` reads nothing before. */
  read(): void
  disconnect(): void
}

interface ListenerOptions {
  userId?: string
  signInId?: string
  lastEventId?: string | null
  isReading?: boolean
}

/** Open a stream and read it in the background. */
export async function openStream(
  hub: RealtimePort,
  accountId: string,
  {
    userId = crypto.randomUUID(),
    signInId = crypto.randomUUID(),
    lastEventId = null,
    isReading = true,
  }: ListenerOptions = {},
): Promise<TestStream> {
  const abort = new AbortController()
  const body = await hub.subscribe(accountId, { userId, signInId, lastEventId, signal: abort.signal })
  let text = ''
  let closed = false
  const readAll = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of body) text += decoder.decode(chunk, { stream: true })
    closed = true
  }
  const read = () => void readAll().catch(() => {})
  if (isReading) read()
  const events = () => parseEvents(text)
  return {
    text: () => text,
    events,
    numbers: () => events().flatMap(({ event, data }) => (event === 'handoff_created' ? [data.n] : [])),
    lastId: () => events().at(-1)?.id ?? '',
    isClosed: () => closed,
    read,
    disconnect: () => abort.abort(),
  }
}
