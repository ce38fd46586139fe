import type { IncomingMessage, ServerResponse } from 'node:http'
import { Hono } from 'hono'
import { readText, sendJson } from '#local/vendors/node-http.ts'
import { createMockStore, createServerStore, findMalformedCommand } from './redis-store.ts'

export interface RedisOptions {
  token: string
  /** URL of a real Redis. Without it, ioredis-mock is used. */
  redisUrl?: string | undefined
  /** Separates the ioredis-mock data of several emulators in one process. Ignored with `redisUrl`. */
  name: string
  /** The path under which the routes are mounted. Commands in the path begin after it. */
  prefix?: string
}

export interface RedisRoutes {
  app: Hono
  /**
   * Handle a request with one command in its body, without the routes, which is faster. Return whether it
   * did.
   */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  close(): Promise<void>
}

type CommandResult = { result: unknown } | { error: string }

/**
 * Create Upstash's REST API of Redis: one command in the body or in the path, `/pipeline` and `/multi-exec`.
 */
export function createRedisRoutes({ token, redisUrl, name, prefix = '/redis' }: RedisOptions): RedisRoutes {
  const store = redisUrl ? createServerStore(redisUrl) : createMockStore(name)
  const app = new Hono()
  const runCommand = async (
    command: string[] | undefined,
    encoding: string | undefined,
  ): Promise<[CommandResult, 200 | 400]> => {
    if (!command) return [{ error: 'ERR failed to parse command' }, 400]
    const [reply] = await store.runCommands([command], false)
    const result = toResult(reply, encoding)
    return [result, 'error' in result ? 400 : 200]
  }

  app.use('*', async (c, next) => {
    const sentToken = readBearer(c.req.header('authorization')) ?? c.req.query('_token')
    if (sentToken !== token) return c.json({ error: 'Unauthorized' }, 401)
    await next()
    for (const [header, value] of Object.entries(syncHeaders)) c.header(header, value)
  })

  app.post('/pipeline', async (c) => {
    const commands = parseCommands(await c.req.text())
    if (!commands) return c.json({ error: 'ERR failed to parse pipeline request' }, 400)
    const replies = await store.runCommands(commands, false)
    return c.json(replies.map((reply) => toResult(reply, c.req.header('upstash-encoding'))))
  })

  app.post('/multi-exec', async (c) => {
    const commands = parseCommands(await c.req.text())
    if (!commands) return c.json({ error: 'ERR failed to parse transaction request' }, 400)
    const error = findMalformedCommand(commands)
    if (error)
      return c.json({ error: `EXECABORT Transaction discarded because of previous errors. ${error}` }, 400)
    const replies = await store.runCommands(commands, true)
    return c.json(replies.map((reply) => toResult(reply, c.req.header('upstash-encoding'))))
  })

  app.all('*', async (c) => {
    const url = new URL(c.req.url)
    const pathCommand = parsePathCommand(url, prefix)
    const body = c.req.method === 'POST' || c.req.method === 'PUT' ? await c.req.text() : ''
    const command =
      pathCommand.length > 0 ? [...pathCommand, ...(body ? [body] : [])] : parseSingleCommand(body)
    return c.json(...(await runCommand(command, c.req.header('upstash-encoding'))))
  })

  const handleDirectly = async (request: IncomingMessage, response: ServerResponse) => {
    const [result, status] = await runCommand(
      parseSingleCommand(await readText(request)),
      request.headers['upstash-encoding'] as string | undefined,
    )
    sendJson(response, status, result, syncHeaders)
  }
  return {
    app,
    handle(request, response) {
      if (
        request.method !== 'POST' ||
        request.url !== prefix ||
        readBearer(request.headers.authorization) !== token
      )
        return false
      void handleDirectly(request, response).catch(() => response.destroy())
      return true
    },
    close: () => store.close(),
  }
}

const syncHeaders = { 'upstash-sync-token': 'local' }
const readBearer = (header: string | undefined) => header?.replace(/^Bearer /i, '')

/** Parse a command in the path: `/set/key/value?EX=10` is SET key value EX 10. */
function parsePathCommand(url: URL, prefix: string): string[] {
  const parts = url.pathname.slice(prefix.length).split('/').slice(1)
  if (parts.length === 0 || parts[0] === '') return []
  const options = [...url.searchParams]
    .filter(([key]) => key !== '_token')
    .flatMap(([key, value]) => (value ? [key, value] : [key]))
  return [...parts.map(decodeURIComponent), ...options]
}

function parseSingleCommand(body: string): string[] | undefined {
  return parseJson(body, toCommand)
}

function parseCommands(body: string): string[][] | undefined {
  return parseJson(body, (value) => {
    if (!Array.isArray(value) || value.length === 0) return undefined
    const commands = value.map(toCommand)
    return commands.every((command) => command !== undefined) ? commands : undefined
  })
}

function parseJson<T>(body: string, read: (value: unknown) => T | undefined): T | undefined {
  try {
    return read(JSON.parse(body))
  } catch {
    return undefined
  }
}

function toCommand(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  return value.map((argument) =>
    typeof argument === 'string' ? argument : argument === null ? '' : JSON.stringify(argument),
  )
}

function toResult(reply: unknown, encoding: string | undefined): CommandResult {
  if (reply instanceof Error) return { error: reply.message }
  return { result: encoding === 'base64' ? encodeBase64(reply) : reply }
}

function encodeBase64(reply: unknown): unknown {
  if (typeof reply === 'string') return reply === 'OK' ? reply : Buffer.from(reply).toString('base64')
  return Array.isArray(reply) ? reply.map(encodeBase64) : reply
}
