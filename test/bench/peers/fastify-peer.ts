// A peer for the bench: a service as one would write it with Fastify and pg. It does the same work on the same rows, without row level
// security, roles and rate limits. Run with DATABASE_URL, JWT_SECRET and PORT.
import fastify from 'fastify'
import { jwtVerify } from 'jose'
import pg from 'pg'

interface Caller {
  userId: string
  accountId: string
}

const { DATABASE_URL, JWT_SECRET = '', PORT } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
const secret = new TextEncoder().encode(JWT_SECRET)
const app = fastify()

app.decorateRequest('caller')
app.addHook('onRequest', async (request, reply) => {
  const token = request.headers.authorization?.slice('Bearer '.length)
  const verified = token ? await jwtVerify(token, secret, { algorithms: ['HS256'] }).catch(() => null) : null
  if (!verified) return reply.code(401).send({ detail: 'Not authenticated' })
  const { sub, acc } = verified.payload
  request.setDecorator('caller', { userId: String(sub), accountId: String(acc) } satisfies Caller)
})

const timestamp = { type: 'string', nullable: true }
const notification = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    user_id: { type: 'string' },
    event_key: { type: 'string' },
    title: { type: 'string' },
    body: { type: 'string', nullable: true },
    link: { type: 'string', nullable: true },
    is_read: { type: 'boolean' },
    read_at: timestamp,
    created_at: timestamp,
  },
}
const columns = 'id, user_id, event_key, title, body, link, is_read, read_at, created_at'
const toCaller = (request: { getDecorator<T>(name: string): T }) => request.getDecorator<Caller>('caller')

app.get<{ Querystring: { limit: number } }>(
  '/api/v1/notifications',
  {
    schema: {
      querystring: { type: 'object', properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 } } },
      response: { 200: { type: 'array', items: notification } },
    },
  },
  async (request) => {
    const { userId, accountId } = toCaller(request)
    const { rows } = await pool.query({
      name: 'list',
      text: `select ${columns} from notifications where account_id = $1 and user_id = $2 order by is_read, created_at desc, id desc limit $3`,
      values: [accountId, userId, request.query.limit + 1],
    })
    return rows.slice(0, request.query.limit)
  },
)

app.get(
  '/api/v1/notifications/unread-count',
  { schema: { response: { 200: { type: 'object', properties: { count: { type: 'integer' } } } } } },
  async (request) => {
    const { userId, accountId } = toCaller(request)
    const { rows } = await pool.query({
      name: 'unread',
      text: 'select count(*)::int as count from notifications where account_id = $1 and user_id = $2 and not is_read',
      values: [accountId, userId],
    })
    return rows[0]
  },
)

app.patch<{ Params: { id: string } }>(
  '/api/v1/notifications/:id/read',
  { schema: { params: { type: 'object', properties: { id: { type: 'string' } } }, response: { 200: notification } } },
  async (request, reply) => {
    const { userId, accountId } = toCaller(request)
    const { rows } = await pool.query({
      name: 'mark-read',
      text: `update notifications set is_read = true, read_at = coalesce(read_at, now())
              where account_id = $1 and user_id = $2 and id = $3 returning ${columns}`,
      values: [accountId, userId, request.params.id],
    })
    return rows[0] ?? reply.code(404).send({ detail: 'Not found' })
  },
)

await app.listen({ port: Number(PORT), host: '127.0.0.1' })
