import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { DB } from '#db/schema.ts'
import type { ReadDb } from '#db/scope.ts'

const authorName = sql<string | null>`case when t.author_id = app.service_user() then 'Support Flow' else u.full_name end`
const isPinned = sql<boolean>`
  exists (select from tree_pins p where p.account_id = app.account_id() and p.user_id = app.user_id() and p.tree_id = t.id)`

/** The lineage of a fork, as JSON; null for a flow that is not a fork. */
const forkInfo = sql<{ parent_id: string; root_id: string; depth: number; reason: string | null; parent_name: string | null } | null>`
  case when t.parent_tree_id is null then null else jsonb_build_object(
    'parent_id', t.parent_tree_id, 'root_id', t.root_tree_id, 'depth', t.fork_depth, 'reason', t.fork_reason,
    'parent_name', (select f.name from trees f where f.account_id = t.parent_account_id and f.id = t.parent_tree_id)) end`

/** Select flows `t` with the names of their authors and categories. `source` yields rows of `trees`. */
export function selectTreeRows(db: ReadDb, source: RawBuilder<Selectable<DB['trees']>> = sql`trees`) {
  return db
    .selectFrom(source.as('t'))
    .leftJoin('users as u', (join) => join.onRef('u.account_id', '=', 't.account_id').onRef('u.id', '=', 't.author_id'))
    .leftJoin('categories as c', (join) => join.onRef('c.account_id', '=', 't.account_id').onRef('c.id', '=', 't.category_id'))
    .select(['t.id', 't.account_id', 't.team_id', 't.author_id', authorName.as('author_name'), 't.tree_type', 't.status', 't.visibility'])
    .select([sql<boolean>`t.visibility = 'public'`.as('is_public'), 't.name', 't.description', 't.category_id', 'c.name as category'])
    .select(['t.tags', 't.version', 't.usage_count', 't.parent_tree_id', 't.root_tree_id', 't.fork_depth', 't.fork_reason'])
    .select(['t.import_metadata', isPinned.as('is_pinned'), 't.created_at', 't.updated_at', 't.published_at'])
}

/** Select flows as a list shows them. */
export function selectTreeItems(db: ReadDb, source?: RawBuilder<Selectable<DB['trees']>>) {
  return selectTreeRows(db, source).select(forkInfo.as('fork_info'))
}
