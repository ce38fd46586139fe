import { createRequire } from 'node:module'
import { Redis } from 'ioredis'
import RedisMock from 'ioredis-mock'
import { createLua, type Lua } from './lua.ts'

export interface Store {
  /** Runs the commands in order with nobody else's between them; an item is its reply, or the Error it failed with. */
  runAll(commands: string[][], atomic: boolean): Promise<unknown[]>
  close(): Promise<void>
}

type Command = (args: string[]) => Promise<unknown>

const requireBesideMock = createRequire(createRequire(import.meta.url).resolve('ioredis-mock'))
const known = requireBesideMock('@ioredis/commands/built/commands.json') as Record<string, { arity: number }>

/** A real Redis, reached with ioredis. */
export function realStore(url: string): Store {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 })
  // Without a listener ioredis prints every reconnection.
  redis.on('error', () => undefined)
  return {
    async runAll(commands, atomic) {
      const chain = atomic ? redis.multi() : redis.pipeline()
      for (const [name = '', ...args] of commands) chain.call(name, ...args)
      const replies = (await chain.exec()) ?? []
      return replies.map(([error, reply]) => error ?? reply)
    },
    close: async () => redis.disconnect(),
  }
}

/** ioredis-mock, whose data is apart for each name, with its own Lua runner and the rules that the mock leaves out. */
export function mockStore(name: string): Store {
  const mock = new RedisMock({ host: name })
  const plain: Command = (args) => execute(mock, args)
  const lua = createLua(plain)
  const any: Command = (args) => (isScript(args) ? runScript(lua, args) : plain(args))
  let tail: Promise<unknown> = Promise.resolve()
  const runEach = async (commands: string[][]) => {
    const replies: unknown[] = []
    for (const args of commands) replies.push(await any(args).catch((error: Error) => error))
    return replies
  }
  return {
    runAll(commands) {
      const turn = tail.then(() => runEach(commands))
      tail = turn
      return turn
    },
    async close() {
      await tail
      await mock.flushall()
      mock.disconnect()
    },
  }
}

/** The first command that Redis would not even queue, as its error; undefined when all are well formed. */
export function malformed(commands: string[][]): string | undefined {
  for (const [name = '', ...args] of commands) {
    const command = known[name.toLowerCase()]
    if (!command) return `ERR unknown command '${name}'`
    const { arity } = command
    const count = args.length + 1
    if (arity > 0 ? count !== arity : count < -arity) return `ERR wrong number of arguments for '${name.toLowerCase()}' command`
  }
  return undefined
}

async function execute(mock: Redis, [name = '', ...args]: string[]): Promise<unknown> {
  const command = name.toLowerCase()
  const wrong = malformed([[name, ...args]])
  if (wrong) throw new Error(wrong)
  if (/^p?expire(at)?$/.test(command) && args.length > 2) return expireWhen(mock, command, args)
  const method = (mock as unknown as Record<string, (...args: string[]) => Promise<unknown>>)[command]
  if (!method) throw new Error(`ERR unknown command '${name}'`)
  try {
    return plainReply(await method(...args))
  } catch (error) {
    throw new Error(redisError(error instanceof Error ? error.message : String(error)))
  }
}

/** EXPIRE with NX, XX, GT or LT, which the mock reads as a plain EXPIRE. */
async function expireWhen(mock: Redis, command: string, [key = '', at = '', ...flags]: string[]): Promise<unknown> {
  const left = await mock.pttl(key)
  const asked = Number(at) * (command.startsWith('p') ? 1 : 1000) - (command.endsWith('at') ? Date.now() : 0)
  const current = left === -1 ? Number.POSITIVE_INFINITY : left
  for (const flag of flags.map((flag) => flag.toUpperCase())) {
    if (!['NX', 'XX', 'GT', 'LT'].includes(flag)) throw new Error(`ERR Unsupported option ${flag}`)
    const held = { NX: left === -1, XX: left >= 0, GT: asked > current, LT: asked < current }[flag]
    if (!held) return 0
  }
  return execute(mock, [command, key, at])
}

function plainReply(reply: unknown): unknown {
  if (reply === undefined || reply === null) return null
  if (Number.isNaN(reply)) throw new Error('ERR value is not an integer or out of range')
  if (typeof reply === 'boolean') return reply ? 1 : 0
  if (Buffer.isBuffer(reply)) return reply.toString()
  if (Array.isArray(reply)) return reply.map(plainReply)
  // HGETALL comes back as an object.
  return typeof reply === 'object' ? Object.entries(reply).flat() : reply
}

function redisError(message: string): string {
  if (/does not contain a|wrong kind of value/.test(message)) return 'WRONGTYPE Operation against a key holding the wrong kind of value'
  return /^[A-Z]{3,} /.test(message) ? message : `ERR ${message}`
}

const isScript = ([name = '']: string[]): boolean => /^(eval|evalsha|script|eval_ro|evalsha_ro)$/i.test(name)

async function runScript(lua: Lua, [name = '', ...args]: string[]): Promise<unknown> {
  if (/^script$/i.test(name)) return manageScripts(lua, args)
  const [script = '', count = '', ...rest] = args
  const keys = Number(count)
  if (!Number.isInteger(keys) || count === '') throw new Error('ERR value is not an integer or out of range')
  if (keys < 0) throw new Error("ERR Number of keys can't be negative")
  if (keys > rest.length) throw new Error("ERR Number of keys can't be greater than number of args")
  const sha = /^evalsha/i.test(name) ? script.toLowerCase() : lua.load(script)
  if (!lua.has(sha)) throw new Error('NOSCRIPT No matching script. Please use EVAL.')
  return lua.run(sha, rest.slice(0, keys), rest.slice(keys))
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
