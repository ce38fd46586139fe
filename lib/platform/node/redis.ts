import { createHash } from 'node:crypto'
import { Redis, type RedisOptions } from 'ioredis'
import type { RedisCommands } from '#vendors/cache/redis-commands.ts'

export interface RedisConnectionOptions {
  /** `redis://` or `rediss://` (TLS), with the user and the password if Redis has any. */
  url: string
  /** Time-out of a command in milliseconds, also while connecting. */
  timeoutMs?: number
  /** Receives one line when the connection is lost and one when it is back. */
  log(line: Record<string, unknown>): void
  /** Called when the connection is back after it was lost. */
  onReturn?: (() => void) | undefined
}

/** A connection that is opened again by itself. While it is lost, every command rejects at once. */
interface Connection {
  client: Redis
  /** Send a command. If nothing at all is received until its time-out, the connection is replaced. */
  call<T>(send: (client: Redis) => Promise<T>): Promise<T>
  /**
   * Wait until the connection is open, at most 2 s. Never rejects, because the service also starts without
   * Redis.
   */
  waitUntilReady(): Promise<void>
  close(): void
}

export interface RedisConnection extends Connection, RedisCommands {
  /**
   * Open another connection to the same Redis, for commands that wait up to `blockMs`. The caller closes it.
   */
  openBlocking(blockMs: number): Connection
  log: RedisConnectionOptions['log']
}

const connectTimeoutMs = 2000
const maxReconnectMs = 3000

/**
 * Open a connection to any Redis over TCP. Commands of the same moment are sent together. Nothing is queued
 * while Redis is away, and nothing is sent twice. Redis Cluster is not supported.
 */
export function openRedis({ url, timeoutMs = 250, log, onReturn }: RedisConnectionOptions): RedisConnection {
  const client = createClient(url, { enableAutoPipelining: true, commandTimeout: timeoutMs })
  logConnection(client, log, onReturn)
  const connection = createConnection(client)
  return {
    ...connection,
    ...createCommands(connection),
    log,
    openBlocking(blockMs) {
      const blocking = createClient(url, { commandTimeout: blockMs + timeoutMs })
      // Without a listener ioredis prints every error. The main connection logs that Redis is away.
      blocking.on('error', () => undefined)
      return createConnection(blocking)
    },
  }
}

function createConnection(client: Redis): Connection {
  // One wait for all callers, because each is a listener of the client.
  let readiness: Promise<void> | undefined
  return {
    client,
    call: (send) => replaceSilentConnection(client, send),
    async waitUntilReady() {
      if (client.status === 'ready') return
      readiness ??= waitUntilReady(client).finally(() => {
        readiness = undefined
      })
      await readiness
    },
    close: () => client.disconnect(),
  }
}

function createClient(url: string, options: RedisOptions): Redis {
  // The client's own error would quote the address with its password.
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url))
    throw new TypeError('The address of Redis must be a redis:// or rediss:// URL')
  return new Redis(url, {
    connectTimeout: connectTimeoutMs,
    // A command that waited for Redis to come back would be counted after its caller has gone.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    keepAlive: 30_000,
    // At random, so that processes that lost Redis together return one by one.
    retryStrategy: (attempt) =>
      Math.min(maxReconnectMs, 50 * 2 ** Math.min(attempt, 6)) * (0.5 + Math.random() / 2),
    // After a failover the former primary answers READONLY, and its address leads to the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    ...options,
  })
}

/**
 * Log each loss and each return of the connection once, with a code only: an error's text and its command may
 * contain the password.
 */
function logConnection(client: Redis, log: RedisConnectionOptions['log'], onReturn?: () => void): void {
  let isLost = false
  const logLoss = (reason: string) => {
    if (!isLost) log({ at: new Date().toISOString(), level: 'error', redis: 'lost', reason })
    isLost = true
  }
  client.on('error', (error: Error & { code?: string }) =>
    logLoss(error.code ?? /\b[A-Z]{3,}\b/.exec(error.message)?.[0] ?? error.name),
  )
  client.on('reconnecting', () => logLoss('closed'))
  client.on('ready', () => {
    if (!isLost) return
    isLost = false
    log({ at: new Date().toISOString(), level: 'info', redis: 'connected' })
    onReturn?.()
  })
}

function waitUntilReady(client: Redis): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      client.off('ready', end)
      resolve()
    }
    const timer = setTimeout(end, connectTimeoutMs)
    client.on('ready', end)
  })
}

function createCommands({ call }: Connection): RedisCommands {
  const acceptedHashes = new Map<string, string>()
  const toArguments = (keys: string[], args: unknown[]) => [...keys, ...args.map(String)]
  return {
    evalsha(hash, keys, args) {
      const accepted = acceptedHashes.get(hash)
      if (!accepted) return Promise.reject(new Error('NOSCRIPT This process has not sent the script yet'))
      return call((client) => client.evalsha(accepted, keys.length, ...toArguments(keys, args)))
    },
    eval(script, keys, args) {
      const accepted = removeShebang(script)
      acceptedHashes.set(hashScript(script), hashScript(accepted))
      return call((client) => client.eval(accepted, keys.length, ...toArguments(keys, args)))
    },
    get: (key) => call((client) => client.get(key)),
    set: (key, text, seconds) => call((client) => client.set(key, text, 'EX', seconds)),
    delete: (key) => call((client) => client.del(key)),
  }
}

/**
 * Remove the first line of a script that was written for Upstash. It has a flag that only Upstash knows, and
 * Redis refuses a script with an unknown flag.
 * https://redis.io/docs/latest/develop/programmability/lua-api/#script_flags
 */
function removeShebang(script: string): string {
  return script.replace(/^#!lua [^\n]*\n/, '')
}

const hashScript = (script: string) => createHash('sha1').update(script).digest('hex')

/**
 * Send a command. If it takes too long and nothing at all was received meanwhile, open a new connection: TCP
 * would notice a dead one only after minutes, while the commands that wait on it add up. In ioredis 5.11 the
 * option `socketTimeout` may close the next connection instead.
 * https://github.com/redis/ioredis/issues/2147
 */
async function replaceSilentConnection<T>(client: Redis, send: (client: Redis) => Promise<T>): Promise<T> {
  const { stream } = client
  const bytesBefore = stream?.bytesRead
  try {
    return await send(client)
  } catch (error) {
    const isTimeout = error instanceof Error && error.message === 'Command timed out'
    if (isTimeout && stream?.bytesRead === bytesBefore) stream?.destroy()
    throw error
  }
}
