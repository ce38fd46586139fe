import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { MockStore } from './redis-store.ts'
import { createCommandReader, encodeReply } from './resp.ts'

export interface TcpRedisOptions {
  store: MockStore
  /** Any free port by default. */
  port?: number
  /** If set, clients must authenticate with it. */
  password?: string
}

export interface TcpRedis {
  url: string
  port: number
  countConnections(): number
  /** Close every connection and stop. The store keeps its data. */
  stop(): Promise<void>
}

interface Connection {
  isAuthenticated: boolean
  /** Aborted when the client disconnects. */
  signal: AbortSignal
}

// They change the meaning of the connection's next commands, which is not emulated.
const refusedCommands = /^(multi|exec|discard|watch|subscribe|psubscribe|ssubscribe|monitor|sync|psync|wait)$/

/**
 * Serve a store as Redis over TCP, on the loopback interface. Emulates the commands of our clients, without
 * RESP3 and transactions.
 */
export async function startTcpRedis({ store, port = 0, password }: TcpRedisOptions): Promise<TcpRedis> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    const controller = new AbortController()
    socket.on('close', () => {
      sockets.delete(socket)
      controller.abort()
    })
    serveConnection(socket, store, password, {
      isAuthenticated: password === undefined,
      signal: controller.signal,
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.address() as AddressInfo
  return {
    url: `redis://${password === undefined ? '' : `:${encodeURIComponent(password)}@`}127.0.0.1:${address.port}`,
    port: address.port,
    countConnections: () => sockets.size,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Answer the commands of one connection, each after the one before. */
function serveConnection(
  socket: Socket,
  store: MockStore,
  password: string | undefined,
  connection: Connection,
): void {
  const reader = createCommandReader()
  let previous: Promise<unknown> = Promise.resolve()
  const answer = async (commands: string[][]) => {
    let replies = ''
    for (const command of commands) {
      const reply = await runCommand(store, password, connection, command).catch((error: Error) => error)
      replies += encodeReply(reply)
    }
    if (socket.writable) socket.write(replies)
  }
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk) => {
    try {
      const commands = reader.read(chunk)
      previous = previous.then(() => answer(commands))
    } catch (error) {
      socket.end(encodeReply(error))
    }
  })
}

async function runCommand(
  store: MockStore,
  password: string | undefined,
  connection: Connection,
  command: string[],
): Promise<unknown> {
  const [name = '', ...args] = command
  const verb = name.toLowerCase()
  if (verb === 'auth') return authenticate(connection, password, args)
  if (!connection.isAuthenticated && verb !== 'hello') throw new Error('NOAUTH Authentication required.')
  switch (verb) {
    case 'hello':
      return greet(connection, password, args)
    case 'ping':
      return args[0] ?? 'PONG'
    case 'info':
      return '# Server\r\nredis_version:7.2.0\r\nredis_mode:standalone\r\n# Persistence\r\nloading:0\r\n'
    case 'client':
      if (!/^(setinfo|setname)$/i.test(args[0] ?? ''))
        throw new Error(`ERR CLIENT ${args[0]} is not emulated`)
      return 'OK'
    case 'select':
      if (args[0] !== '0') throw new Error('ERR DB index is out of range')
      return 'OK'
    case 'quit':
      return 'OK'
    case 'xread':
      return readStreams(store, connection.signal, args)
    case 'eval':
      refuseUnknownFlags(args[0] ?? '')
      return runInStore(store, command)
    case 'script':
      refuseUnknownFlags(args[1] ?? '')
      return runInStore(store, command)
    default:
      if (refusedCommands.test(verb)) throw new Error(`ERR ${name} is not emulated`)
      return runInStore(store, command)
  }
}

async function runInStore(store: MockStore, command: string[]): Promise<unknown> {
  const [reply] = await store.runCommands([command], false)
  return reply
}

/** Refuse the flags of scripts that Redis does not know, such as those of Upstash. */
function refuseUnknownFlags(script: string): void {
  const [, flags = ''] = /^#!lua flags=(\S+)/.exec(script) ?? []
  const unknown = flags
    .split(',')
    .find((flag) => !/^(no-writes|allow-oom|allow-stale|no-cluster|allow-cross-slot-keys|)$/.test(flag))
  if (unknown !== undefined) throw new Error(`ERR Unexpected flag in script shebang: ${unknown}`)
}

function authenticate(connection: Connection, password: string | undefined, args: string[]): string {
  if (password === undefined && args.length === 1)
    throw new Error(
      'ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?',
    )
  const [user, given] = args.length === 2 ? args : ['default', args[0]]
  if (user !== 'default' || (password !== undefined && given !== password))
    throw new Error('WRONGPASS invalid username-password pair or user is disabled.')
  connection.isAuthenticated = true
  return 'OK'
}

function greet(
  connection: Connection,
  password: string | undefined,
  [version = '2', ...options]: string[],
): unknown[] {
  if (version !== '2') throw new Error('NOPROTO unsupported protocol version')
  if (options[0]?.toLowerCase() === 'auth') authenticate(connection, password, options.slice(1, 3))
  if (!connection.isAuthenticated)
    throw new Error('NOAUTH HELLO must be called with the client already authenticated')
  return [
    'server',
    'redis',
    'version',
    '7.2.0',
    'proto',
    2,
    'id',
    1,
    'mode',
    'standalone',
    'role',
    'master',
    'modules',
    [],
  ]
}

/**
 * Run XREAD. With BLOCK, wait until one of the streams has a new entry, the time is over or the client
 * disconnects.
 */
async function readStreams(store: MockStore, signal: AbortSignal, args: string[]): Promise<unknown> {
  const at = args.findIndex((argument) => argument.toUpperCase() === 'BLOCK')
  const command = ['XREAD', ...(at < 0 ? args : args.toSpliced(at, 2))]
  if (command.includes('$')) throw new Error('ERR The id $ is not emulated')
  const waitMs = at < 0 ? 0 : Number(args[at + 1]) || 2 ** 31 - 1
  const deadline = performance.now() + waitMs
  for (;;) {
    const next = waitForEntry(store, signal, Math.max(0, deadline - performance.now()))
    const [reply] = await store.runCommands([command], false)
    if (reply !== null || performance.now() >= deadline || signal.aborted) {
      next.cancel()
      return reply
    }
    await next.done
  }
}

/**
 * Wait for an entry in any stream. Waiting starts at once, so that an entry during the read before it is not
 * missed.
 */
function waitForEntry(
  store: MockStore,
  signal: AbortSignal,
  ms: number,
): { done: Promise<void>; cancel: () => void } {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const cancel = () => {
    clearTimeout(timer)
    stopListening()
    signal.removeEventListener('abort', cancel)
    resolve()
  }
  const timer = setTimeout(cancel, ms)
  const stopListening = store.onStreamEntry(cancel)
  signal.addEventListener('abort', cancel)
  return { done, cancel }
}
