// What a service that many accounts share must not leave out: a limit per person, a sign-in check and row
// level security per request, and a queue to which what is stored is handed over, so that an e-mail does not
// wait for a sweep.
import { Client } from '@upstash/qstash'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Redis } from 'ioredis'
import pg from 'pg'
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import { readCaller } from './caller.ts'

const { REDIS_URL, RUNTIME_URL, QSTASH_URL = '', QSTASH_TOKEN } = process.env
const queue = QSTASH_TOKEN
  ? new Client({ baseUrl: QSTASH_URL, token: QSTASH_TOKEN, enableTelemetry: false })
  : null
const pool = new pg.Pool({ connectionString: RUNTIME_URL, max: 10, idleTimeoutMillis: 0 })
// The benchmark never reaches the limit.
const limit = { points: 1_000_000, duration: 60 }
const limiter = REDIS_URL
  ? new RateLimiterRedis({ storeClient: new Redis(REDIS_URL), ...limit })
  : new RateLimiterMemory(limit)

/** Limit the requests to an operation, by what `readKey` returns. */
export function addLimit(app: FastifyInstance, readKey: (request: FastifyRequest) => string): void {
  app.addHook('onRequest', async (request, reply) => {
    const result = await limiter
      .consume(`${request.routeOptions.url}:${readKey(request)}`)
      .catch((error: unknown) => {
        if (error instanceof RateLimiterRes) return error
        throw error
      })
    reply.headers({
      'ratelimit-limit': limit.points,
      'ratelimit-remaining': result.remainingPoints,
      'ratelimit-reset': Math.ceil(result.msBeforeNext / 1000),
    })
    if (result.consumedPoints > limit.points) return reply.code(429).send({ detail: 'Too many requests' })
  })
}

/**
 * Run each request in a transaction that sees the rows of the caller's account only, and check that the
 * caller may still sign in.
 */
export function addTenantTransaction(app: FastifyInstance): void {
  app.addHook('preHandler', async (request, reply) => {
    const { userId, accountId } = readCaller(request)
    const client = await pool.connect()
    request.setDecorator('client', client)
    await client.query('begin')
    await client.query(`select set_config('peer.account_id', $1, true)`, [accountId])
    const { rows } = await client.query('select role from users where id = $1 and is_active', [userId])
    if (!rows[0]) return reply.code(401).send({ detail: 'Not authenticated' })
  })
  app.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply) => {
    const client = request.getDecorator<pg.PoolClient | undefined>('client')
    if (!client) return
    await client.query(reply.statusCode < 400 ? 'commit' : 'rollback')
    client.release()
  })
}

/**
 * Hand jobs over to the queue once the answer was sent, which is after the commit. Without a queue, do
 * nothing.
 */
export function publishJobs(
  reply: FastifyReply,
  jobs: readonly { path: string; body: Record<string, string> }[],
): void {
  if (!queue) return
  const messages = jobs.map(({ path, body }) => ({ url: `https://peer.example${path}`, body, retries: 0 }))
  reply.raw.once(
    'finish',
    () => void queue.batchJSON(messages).catch((error: unknown) => reply.log.error(error)),
  )
}
