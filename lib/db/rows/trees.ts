import { sql } from 'kysely'

/** The columns of a flow, of `trees t` with `treeJoins`. */
export const treeColumns = sql`
  t.id, t.account_id, t.team_id, t.author_id,
  case when t.author_id = app.service_user() then 'Support Flow' else u.full_name end as author_name,
  t.tree_type, t.status, t.visibility, t.visibility = 'public' as is_public, t.name, t.description, t.category_id, c.name as category, t.tags,
  t.version, t.usage_count, t.parent_tree_id, t.root_tree_id, t.fork_depth, t.fork_reason, t.import_metadata,
  exists (select from tree_pins p where p.account_id = app.account_id() and p.user_id = app.user_id() and p.tree_id = t.id) as is_pinned,
  t.created_at, t.updated_at, t.published_at`
export const treeJoins = sql`
  left join users u on u.account_id = t.account_id and u.id = t.author_id
  left join categories c on c.account_id = t.account_id and c.id = t.category_id`
/** The lineage of a fork, as JSON; null for a flow that is not a fork. */
export const forkInfo = sql`
  case when t.parent_tree_id is null then null else jsonb_build_object(
    'parent_id', t.parent_tree_id, 'root_id', t.root_tree_id, 'depth', t.fork_depth, 'reason', t.fork_reason,
    'parent_name', (select f.name from trees f where f.account_id = t.parent_account_id and f.id = t.parent_tree_id)) end as fork_info`
