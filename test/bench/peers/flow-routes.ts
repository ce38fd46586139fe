import type { FastifyInstance } from 'fastify'
import { toWordPatterns } from '#db/like.ts'
import { query, readCaller } from './caller.ts'

const text = { type: 'string' }
const nullableText = { type: 'string', nullable: true }
const integer = { type: 'integer' }
const flow = {
  type: 'object',
  properties: {
    ...Object.fromEntries(
      ['id', 'account_id', 'author_id', 'tree_type', 'status', 'visibility'].map((name) => [name, text]),
    ),
    ...Object.fromEntries(
      ['team_id', 'author_name', 'category_id', 'category', 'parent_tree_id'].map((name) => [
        name,
        nullableText,
      ]),
    ),
    ...Object.fromEntries(
      ['root_tree_id', 'fork_reason', 'published_at'].map((name) => [name, nullableText]),
    ),
    ...Object.fromEntries(['name', 'description', 'created_at', 'updated_at'].map((name) => [name, text])),
    ...Object.fromEntries(['version', 'usage_count', 'fork_depth'].map((name) => [name, integer])),
    ...Object.fromEntries(['is_public', 'is_pinned'].map((name) => [name, { type: 'boolean' }])),
    tags: { type: 'array', items: text },
    import_metadata: {},
    fork_info: {},
  },
}
const listSchema = {
  querystring: {
    type: 'object',
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
      search: { type: 'string', minLength: 1, maxLength: 200 },
    },
  },
  response: { 200: { type: 'array', items: flow } },
}

/**
 * Return the statement that lists flows. With `words`, `$4` and the following are patterns that a flow must
 * match.
 */
function listFlows(words: number): string {
  const matches = Array.from({ length: words }, (_, n) => `and t.search like $${n + 4}`).join(' ')
  const branch = (condition: string) =>
    `(select t.* from trees t where ${condition} and t.deleted_at is null ${matches} order by t.usage_count desc, t.id desc limit $3)`
  return `
    select t.id, t.account_id, t.team_id, t.author_id, case when t.author_id = app.service_user() then 'Support Flow' else u.full_name end as author_name,
           t.tree_type, t.status, t.visibility, t.visibility = 'public' as is_public, t.name, t.description, t.category_id, c.name as category,
           t.tags, t.version, t.usage_count, t.parent_tree_id, t.root_tree_id, t.fork_depth, t.fork_reason, t.import_metadata,
           exists (select from tree_pins p where p.account_id = $1 and p.user_id = $2 and p.tree_id = t.id) as is_pinned,
           t.created_at, t.updated_at, t.published_at,
           case when t.parent_tree_id is not null then json_build_object('parent_id', t.parent_tree_id, 'root_id', t.root_tree_id,
             'depth', t.fork_depth, 'reason', t.fork_reason,
             'parent_name', (select f.name from trees f where f.account_id = t.parent_account_id and f.id = t.parent_tree_id)) end as fork_info
      from (${branch(`t.account_id = $1 and (t.visibility in ('account', 'public') or t.author_id = $2 or (t.visibility = 'team'
              and exists (select from users me where me.id = $2 and (me.role = 'admin' or me.team_id = t.team_id))))`)}
            union all ${branch(`t.account_id = app.platform_account() and t.status = 'published'`)}) t
      left join users u on u.account_id = t.account_id and u.id = t.author_id
      left join categories c on c.account_id = t.account_id and c.id = t.category_id
     order by t.usage_count desc, t.id desc limit $3`
}

/** Add the list of flows, which also searches their texts. */
export function addFlowRoutes(app: FastifyInstance): void {
  app.get<{ Querystring: { limit: number; search?: string } }>(
    '/api/v1/trees',
    { schema: listSchema },
    async (request) => {
      const { userId, accountId } = readCaller(request)
      const { limit, search = '' } = request.query
      const words = toWordPatterns(search)
      const values = [accountId, userId, limit + 1, ...words]
      const { rows } = await query(request, {
        name: `flows-${words.length}`,
        text: listFlows(words.length),
        values,
      })
      return rows.slice(0, limit)
    },
  )
}
