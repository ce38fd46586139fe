import type { FastifyInstance } from 'fastify'
import { query, readCaller } from './caller.ts'

const text = { type: 'string' }
const nullableText = { type: 'string', nullable: true }
const notification = {
  type: 'object',
  properties: {
    id: text,
    user_id: text,
    event_key: text,
    title: text,
    body: nullableText,
    link: nullableText,
    escalation: { type: 'object', nullable: true, additionalProperties: true },
    is_read: { type: 'boolean' },
    read_at: nullableText,
    created_at: text,
  },
}
const columns = 'id, user_id, event_key, title, body, link, escalation, is_read, read_at, created_at'
const page = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 } },
}
const count = { type: 'object', properties: { count: { type: 'integer' } } }
const idParams = { type: 'object', properties: { id: text } }

/** Add the list of notifications, the number of unread ones, and the one that marks as read. */
export function addNotificationRoutes(app: FastifyInstance): void {
  const listSchema = { querystring: page, response: { 200: { type: 'array', items: notification } } }
  app.get<{ Querystring: { limit: number } }>(
    '/api/v1/notifications',
    { schema: listSchema },
    async (request) => {
      const { userId, accountId } = readCaller(request)
      const { rows } = await query(request, {
        name: 'list',
        text: `select ${columns} from notifications where account_id = $1 and user_id = $2 order by is_read, created_at desc, id desc limit $3`,
        values: [accountId, userId, request.query.limit + 1],
      })
      return rows.slice(0, request.query.limit)
    },
  )

  app.get('/api/v1/notifications/unread-count', { schema: { response: { 200: count } } }, async (request) => {
    const { userId, accountId } = readCaller(request)
    const { rows } = await query(request, {
      name: 'unread',
      text: 'select count(*)::int as count from notifications where account_id = $1 and user_id = $2 and not is_read',
      values: [accountId, userId],
    })
    return rows[0]
  })

  const readSchema = { params: idParams, response: { 200: notification } }
  app.patch<{ Params: { id: string } }>(
    '/api/v1/notifications/:id/read',
    { schema: readSchema },
    async (request, reply) => {
      const { userId, accountId } = readCaller(request)
      const { rows } = await query(request, {
        name: 'mark-read',
        text: `update notifications set is_read = true, read_at = coalesce(read_at, now())
              where account_id = $1 and user_id = $2 and id = $3 returning ${columns}`,
        values: [accountId, userId, request.params.id],
      })
      return rows[0] ?? reply.code(404).send({ detail: 'Not found' })
    },
  )
}
