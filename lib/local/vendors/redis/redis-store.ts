import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { Redis } from 'ioredis'
import RedisMock from 'ioredis-mock'
import { createLua, type Lua } from './lua.ts'
import { createStreamCommands } from './redis-streams.ts'

export interface RedisStore {
  /**
   * Run commands in order, without other commands in between if `atomic`. Return each command's reply or its
   * Error.
   */
  runCommands(commands: string[][], atomic: boolean): Promise<unknown[]>
  close(): Promise<void>
}

export interface MockStore extends RedisStore {
  /** Call the listener after each entry that is added to a stream. Return a function that removes it. */
  onStreamEntry(listener: () => void): () => void
}

type FindStreamCommand = ReturnType<typeof createStreamCommands>
type Command = (args: string[]) => Promise<unknown>

const requireBesideMock = createRequire(createRequire(import.meta.url).resolve('ioredis-mock'))
const commandTable = requireBesideMock('@ioredis/commands/built/commands.json') as Record<
  string,
  { arity: number }
>

/** Create a store in a real Redis, with ioredis. */
export function createServerStore(url: string): RedisStore {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 })
  // Without a listener ioredis prints every connection error.
  redis.on('error', () => undefined)
  const acceptScript = createScriptFilter()
  return {
    async runCommands(commands, atomic) {
      const chain = atomic ? redis.multi() : redis.pipeline()
      for (const [name = '', ...args] of commands.map(acceptScript)) chain.call(name, ...args)
      const replies = (await chain.exec()) ?? []
      return replies.map(([error, reply]) => error ?? reply)
    },
    close: async () => redis.disconnect(),
  }
}

/**
 * Return a function that makes EVAL and EVALSHA run scripts with Upstash's flags, which Redis refuses,
 * without their first line.
 */
function createScriptFilter() {
  const acceptedHashes = new Map<string, string>()
  const hash = (script: string) => createHash('sha1').update(script).digest('hex')
  return ([name = '', script = '', ...rest]: string[]): string[] => {
    if (/^evalsha$/i.test(name)) return [name, acceptedHashes.get(script) ?? script, ...rest]
    if (!/^eval$/i.test(name) || !script.startsWith('#!lua '))
      return script === '' ? [name, ...rest] : [name, script, ...rest]
    const accepted = script.slice(script.indexOf('\n') + 1)
    acceptedHashes.set(hash(script), hash(accepted))
    return [name, accepted, ...rest]
  }
}

/**
 * Create a store in ioredis-mock, with separate data for each name. It adds a faster Lua runner and the rules
 * that the mock lacks.
 */
export function createMockStore(name: string): MockStore {
  const mock = new RedisMock({ host: name })
  const streamListeners = new Set<() => void>()
  const findStreamCommand = createStreamCommands({
    get: (key) => mock.get(key),
    set: (key, text) => mock.set(key, text),
  })
  const executeCommand: Command = async (args) => {
    const reply = await execute(mock, findStreamCommand, args)
    if (/^xadd$/i.test(args[0] ?? '')) for (const listener of [...streamListeners]) listener()
    return reply
  }
  const lua = createLua(executeCommand)
  const executeAny: Command = (args) => (isScript(args) ? runScript(lua, args) : executeCommand(args))
  let previous: Promise<unknown> = Promise.resolve()
  const runEach = async (commands: string[][]) => {
    const replies: unknown[] = []
    for (const args of commands) replies.push(await executeAny(args).catch((error: Error) => error))
    return replies
  }
  return {
    runCommands(commands) {
      const replies = previous.then(() => runEach(commands))
      previous = replies
      return replies
    },
    onStreamEntry(listener) {
      streamListeners.add(listener)
      return () => streamListeners.delete(listener)
    },
    async close() {
      await previous
      await mock.flushall()
      mock.disconnect()
    },
  }
}

/**
 * Return the error of the first command that Redis would refuse to queue, or undefined if all are well
 * formed.
 */
export function findMalformedCommand(commands: string[][]): string | undefined {
  for (const [name = '', ...args] of commands) {
    const command = commandTable[name.toLowerCase()]
    if (!command) return `ERR unknown command '${name}'`
    const { arity } = command
    const count = args.length + 1
    if (arity > 0 ? count !== arity : count < -arity)
      return `ERR wrong number of arguments for '${name.toLowerCase()}' command`
  }
  return undefined
}

async function execute(
  mock: Redis,
  findStreamCommand: FindStreamCommand,
  [name = '', ...args]: string[],
): Promise<unknown> {
  const command = name.toLowerCase()
  const error = findMalformedCommand([[name, ...args]])
  if (error) throw new Error(error)
  if (/^p?expire(at)?$/.test(command) && args.length > 2)
    return (await doesExpiryApply(mock, command, args))
      ? execute(mock, findStreamCommand, [name, ...args.slice(0, 2)])
      : 0
  const streamCommand = findStreamCommand(command)
  const method = (mock as unknown as Record<string, (...args: string[]) => Promise<unknown>>)[command]
  if (!method) throw new Error(`ERR unknown command '${name}'`)
  try {
    if (streamCommand) return await streamCommand(args)
    return toRedisReply(await method(...(command === 'set' ? upperCaseOptions(args) : args)))
  } catch (error) {
    throw new Error(toRedisError(error instanceof Error ? error.message : String(error)))
  }
}

/** The mock ignores options of SET in lower case, and would store a value for ever. */
function upperCaseOptions([key = '', value = '', ...options]: string[]): string[] {
  return [key, value, ...options.map((option) => option.toUpperCase())]
}

/** Check the flags NX, XX, GT and LT of EXPIRE, which the mock ignores. */
async function doesExpiryApply(
  mock: Redis,
  command: string,
  [key = '', time = '', ...flags]: string[],
): Promise<boolean> {
  const ttlMs = await mock.pttl(key)
  const newTtlMs =
    Number(time) * (command.startsWith('p') ? 1 : 1000) - (command.endsWith('at') ? Date.now() : 0)
  const currentTtlMs = ttlMs === -1 ? Number.POSITIVE_INFINITY : ttlMs
  for (const flag of flags.map((flag) => flag.toUpperCase())) {
    if (!['NX', 'XX', 'GT', 'LT'].includes(flag)) throw new Error(`ERR Unsupported option ${flag}`)
    const applies = {
      NX: ttlMs === -1,
      XX: ttlMs >= 0,
      GT: newTtlMs > currentTtlMs,
      LT: newTtlMs < currentTtlMs,
    }[flag]
    if (!applies) return false
  }
  return true
}

function toRedisReply(reply: unknown): unknown {
  if (reply === undefined || reply === null) return null
  if (Number.isNaN(reply)) throw new Error('ERR value is not an integer or out of range')
  if (typeof reply === 'boolean') return reply ? 1 : 0
  if (Buffer.isBuffer(reply)) return reply.toString()
  if (Array.isArray(reply)) return reply.map(toRedisReply)
  // The mock returns HGETALL as an object, Redis as a flat list.
  return typeof reply === 'object' ? Object.entries(reply).flat() : reply
}

function toRedisError(message: string): string {
  if (/does not contain a|wrong kind of value/.test(message))
    return 'WRONGTYPE Operation against a key holding the wrong kind of value'
  return /^[A-Z]{3,} /.test(message) ? message : `ERR ${message}`
}

const isScript = ([name = '']: string[]): boolean => /^(eval|evalsha|script|eval_ro|evalsha_ro)$/i.test(name)

async function runScript(lua: Lua, [name = '', ...args]: string[]): Promise<unknown> {
  if (/^script$/i.test(name)) return manageScripts(lua, args)
  const [script = '', count = '', ...rest] = args
  const keyCount = Number(count)
  if (!Number.isInteger(keyCount) || count === '')
    throw new Error('ERR value is not an integer or out of range')
  if (keyCount < 0) throw new Error("ERR Number of keys can't be negative")
  if (keyCount > rest.length) throw new Error("ERR Number of keys can't be greater than number of args")
  const sha = /^evalsha/i.test(name) ? script.toLowerCase() : lua.load(script)
  if (!lua.has(sha)) throw new Error('NOSCRIPT No matching script. Please use EVAL.')
  return lua.run(sha, rest.slice(0, keyCount), rest.slice(keyCount))
}

function manageScripts(lua: Lua, [verb = '', ...args]: string[]): unknown {
  switch (verb.toUpperCase()) {
    case 'LOAD':
      return lua.load(args[0] ?? '')
    case 'EXISTS':
      return args.map((sha) => (lua.has(sha.toLowerCase()) ? 1 : 0))
    case 'FLUSH':
      lua.flush()
      return 'OK'
    default:
      throw new Error(`ERR unknown subcommand '${verb}'. Try SCRIPT HELP.`)
  }
}
