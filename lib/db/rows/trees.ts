import { type RawBuilder, type Selectable, sql } from 'kysely'
import { personOf } from '#db/expressions.ts'
import type { DB } from '#db/schema.ts'
import type { ReadDb } from '#db/scope.ts'
import type { FlowReviewState } from '#rules/flows/review.ts'
import { type CopiedColumn, copiedColumns } from '#rules/flows/rfflow.ts'

/** The columns of `trees` that a save writes. */
export const writtenColumns = [...copiedColumns, 'status', 'visibility'] as const
export type WrittenColumn = (typeof writtenColumns)[number]

const giveReason = <Column extends string>(reason: string, columns: readonly Column[]) =>
  Object.fromEntries(columns.map((column) => [column, reason])) as Record<Column, string>

/** The columns that a copy of a flow does not have, with the reason. */
export const uncopiedColumns: Readonly<Record<Exclude<keyof DB['trees'], CopiedColumn>, string>> = {
  status: 'a copy is a draft',
  visibility: 'a copy is for its team until somebody shares it',
  ...giveReason('a copy has its own', ['id', 'account_id', 'team_id', 'author_id', 'category_id', 'version']),
  ...giveReason('a copy has its own', ['created_at', 'updated_at', 'published_at', 'deleted_at']),
  ...giveReason('a copy has its own', ['fork_depth', 'fork_reason', 'import_metadata']),
  ...giveReason('a copy has its own', [
    'parent_account_id',
    'parent_tree_id',
    'root_account_id',
    'root_tree_id',
  ]),
  ...giveReason('a copy starts without it', ['usage_count', 'is_gallery_featured', 'is_gallery_hidden']),
  ...giveReason('a copy starts without it', ['gallery_sort_order', 'dismissed_findings']),
  ...giveReason('a copy is reviewed for itself', ['owner_id', 'review_months', 'is_evergreen']),
  ...giveReason('a copy is reviewed for itself', ['reviewed_at', 'reviewed_by', 'review_notices']),
  ...giveReason('derived from other columns', ['search', 'words', 'tag_keys']),
  ...giveReason('derived from other columns', ['review_due_on', 'review_notice_at']),
}

const authorName = sql<
  string | null
>`case when t.author_id = app.service_user() then 'Support Flow' else u.full_name end`
const isPinned = sql<boolean>`
  exists (select from tree_pins p where p.account_id = app.account_id() and p.user_id = app.user_id() and p.tree_id = t.id)`

/** Who reviews a flow and when, as JSON; null for a flow of another account. */
export const review = sql<FlowReviewState | null>`
  case when t.account_id = app.account_id() then jsonb_build_object(
    'owner', ${personOf('t.account_id', 't.owner_id')}, 'months', t.review_months, 'is_evergreen', t.is_evergreen,
    'due_on', t.review_due_on, 'is_overdue', coalesce(t.review_due_on <= (select app.local_today()), false),
    'reviewed_at', app.iso(t.reviewed_at), 'reviewed_by', ${personOf('t.account_id', 't.reviewed_by')}) end`

/** The lineage of a fork, as JSON; null for a flow that is not a fork. */
const forkInfo = sql<{
  parent_id: string
  root_id: string
  depth: number
  reason: string | null
  parent_name: string | null
} | null>`
  case when t.parent_tree_id is null then null else jsonb_build_object(
    'parent_id', t.parent_tree_id, 'root_id', t.root_tree_id, 'depth', t.fork_depth, 'reason', t.fork_reason,
    'parent_name', (select f.name from trees f where f.account_id = t.parent_account_id and f.id = t.parent_tree_id)) end`

/** Select flows `t` with the names of their authors and categories. `source` yields rows of `trees`. */
export function selectTreeRows(db: ReadDb, source: RawBuilder<Selectable<DB['trees']>> = sql`trees`) {
  return db
    .selectFrom(source.as('t'))
    .leftJoin('users as u', (join) =>
      join.onRef('u.account_id', '=', 't.account_id').onRef('u.id', '=', 't.author_id'),
    )
    .leftJoin('categories as c', (join) =>
      join.onRef('c.account_id', '=', 't.account_id').onRef('c.id', '=', 't.category_id'),
    )
    .select(writtenColumns.map((column) => `t.${column}` as const))
    .select(['t.id', 't.account_id', 't.team_id', 't.author_id', authorName.as('author_name')])
    .select([sql<boolean>`t.visibility = 'public'`.as('is_public'), 't.category_id', 'c.name as category'])
    .select([
      't.version',
      't.usage_count',
      't.parent_tree_id',
      't.root_tree_id',
      't.fork_depth',
      't.fork_reason',
    ])
    .select(review.as('review'))
    .select(['t.import_metadata', isPinned.as('is_pinned'), 't.created_at', 't.updated_at', 't.published_at'])
}

/** Select flows as a list shows them. */
export function selectTreeItems(db: ReadDb, source?: RawBuilder<Selectable<DB['trees']>>) {
  return selectTreeRows(db, source).select(forkInfo.as('fork_info'))
}

/** Select flows that are not deleted, with the content of their current versions `v`. */
export function selectTreesWithContent(db: ReadDb) {
  return selectTreeRows(db)
    .innerJoin('tree_versions as v', (join) =>
      join
        .onRef('v.account_id', '=', 't.account_id')
        .onRef('v.tree_id', '=', 't.id')
        .onRef('v.version', '=', 't.version'),
    )
    .select(['v.tree_structure', 'v.intake_form'])
    .where('t.deleted_at', 'is', null)
}
