import type { IncomingMessage, ServerResponse } from 'node:http'
import { Hono } from 'hono'
import { send, textOf } from './node-http.ts'
import { malformed, mockStore, realStore } from './redis-store.ts'

export interface RedisOptions {
  token: string
  /** A real Redis; without it, ioredis-mock. */
  redisUrl?: string | undefined
  /** Keeps the data of several stand-ins in one process apart. */
  name: string
  /** Where the routes are mounted; path-style commands begin after it. */
  prefix?: string
}

export interface RedisRoutes {
  app: Hono
  /** Takes a request of one command in its body, without a detour over the routes. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  close(): Promise<void>
}

type Item = { result: unknown } | { error: string }

/** Upstash's REST dialect of Redis: one command, `/pipeline`, `/multi-exec`, and commands in the path. */
export function redisRoutes({ token, redisUrl, name, prefix = '/redis' }: RedisOptions): RedisRoutes {
  const store = redisUrl ? realStore(redisUrl) : mockStore(name)
  const app = new Hono()
  const one = async (command: string[] | undefined, encoding: string | undefined): Promise<[Item, 200 | 400]> => {
    if (!command) return [{ error: 'ERR failed to parse command' }, 400]
    const [reply] = await store.runAll([command], false)
    const answer = item(reply, encoding)
    return [answer, 'error' in answer ? 400 : 200]
  }

  app.use('*', async (c, next) => {
    const given = bearerOf(c.req.header('authorization')) ?? c.req.query('_token')
    if (given !== token) return c.json({ error: 'Unauthorized' }, 401)
    await next()
    for (const [header, value] of Object.entries(sync)) c.header(header, value)
  })

  app.post('/pipeline', async (c) => {
    const commands = commandList(await c.req.text())
    if (!commands) return c.json({ error: 'ERR failed to parse pipeline request' }, 400)
    const replies = await store.runAll(commands, false)
    return c.json(replies.map((reply) => item(reply, c.req.header('upstash-encoding'))))
  })

  app.post('/multi-exec', async (c) => {
    const commands = commandList(await c.req.text())
    if (!commands) return c.json({ error: 'ERR failed to parse transaction request' }, 400)
    const wrong = malformed(commands)
    if (wrong) return c.json({ error: `EXECABORT Transaction discarded because of previous errors. ${wrong}` }, 400)
    const replies = await store.runAll(commands, true)
    return c.json(replies.map((reply) => item(reply, c.req.header('upstash-encoding'))))
  })

  app.all('*', async (c) => {
    const url = new URL(c.req.url)
    const inPath = pathCommand(url, prefix)
    const body = c.req.method === 'POST' || c.req.method === 'PUT' ? await c.req.text() : ''
    const command = inPath.length > 0 ? [...inPath, ...(body ? [body] : [])] : oneCommand(body)
    return c.json(...(await one(command, c.req.header('upstash-encoding'))))
  })

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const [result, status] = await one(oneCommand(await textOf(request)), request.headers['upstash-encoding'] as string | undefined)
    send(response, status, result, sync)
  }
  return {
    app,
    handle(request, response) {
      if (request.method !== 'POST' || request.url !== prefix || bearerOf(request.headers.authorization) !== token) return false
      void answer(request, response).catch(() => response.destroy())
      return true
    },
    close: () => store.close(),
  }
}

const sync = { 'upstash-sync-token': 'local' }
const bearerOf = (header: string | undefined) => header?.replace(/^Bearer /i, '')

/** `/set/key/value?EX=10` is SET key value EX 10. */
function pathCommand(url: URL, prefix: string): string[] {
  const parts = url.pathname.slice(prefix.length).split('/').slice(1)
  if (parts.length === 0 || parts[0] === '') return []
  const options = [...url.searchParams].filter(([key]) => key !== '_token').flatMap(([key, value]) => (value ? [key, value] : [key]))
  return [...parts.map(decodeURIComponent), ...options]
}

function oneCommand(body: string): string[] | undefined {
  return parsed(body, (value) => command(value))
}

function commandList(body: string): string[][] | undefined {
  return parsed(body, (value) => {
    if (!Array.isArray(value) || value.length === 0) return undefined
    const commands = value.map(command)
    return commands.every((item) => item !== undefined) ? commands : undefined
  })
}

function parsed<T>(body: string, read: (value: unknown) => T | undefined): T | undefined {
  try {
    return read(JSON.parse(body))
  } catch {
    return undefined
  }
}

function command(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined
  return value.map((argument) => (typeof argument === 'string' ? argument : argument === null ? '' : JSON.stringify(argument)))
}

function item(reply: unknown, encoding: string | undefined): Item {
  if (reply instanceof Error) return { error: reply.message }
  return { result: encoding === 'base64' ? encode(reply) : reply }
}

function encode(reply: unknown): unknown {
  if (typeof reply === 'string') return reply === 'OK' ? reply : Buffer.from(reply).toString('base64')
  return Array.isArray(reply) ? reply.map(encode) : reply
}
