import { type Compilable, type RawBuilder, type Selectable, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { accountId, jsonb, mayChange, nowText } from '#db/expressions.ts'
import { toWordPatterns } from '#db/like.ts'
import { nameOrder, newestFirst, type Order, type PageQuery, readCursor } from '#db/page.ts'
import { ignoreMissingRow, requireRow } from '#db/required-row.ts'
import {
  selectTreeItems,
  selectTreesWithContent,
  type WrittenColumn,
  writtenColumns,
} from '#db/rows/trees.ts'
import type { DB } from '#db/schema.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { writeStatement } from '#db/statement.ts'
import { uuidv7 } from '#db/uuid.ts'
import type { StoredReplay } from '#rules/flows/replay.ts'
import type { LibraryEntry } from '#rules/flows/step-library.ts'
import type { FlowNode, IntakeField, StepList } from '#rules/flows/structure.ts'
import { callEmitWebhook, EmittedWebhooks, enqueueWebhooks } from '#work/webhooks.ts'
import type { Tree, TreeListItem, TreeQuery } from './schemas.ts'

export interface TreeRow extends Tree {
  tree_structure: FlowNode | StepList | null
  intake_form: IntakeField[]
  /** Whether the caller may change it. */
  may_change: boolean
  dismissed_findings: string[]
}

const isEditable = sql<boolean>`t.account_id = ${accountId} and ${mayChange('t.author_id', 't.team_id')}`

function selectTreeWithContent(db: ReadDb, id: string) {
  return selectTreesWithContent(db)
    .select([isEditable.as('may_change'), 't.dismissed_findings'])
    .where('t.id', '=', id)
}

export function selectTree(db: ReadDb, id: string): Promise<TreeRow | undefined> {
  return selectTreeWithContent(db, id).executeTakeFirst()
}

const lastId = { field: 'id', kind: 'uuid', isDescending: true } as const
/** The orders of `app.list_trees`. */
export const treeOrders: Record<TreeQuery['sort_by'], Order> = {
  usage_count: [{ field: 'usage_count', kind: 'integer', isDescending: true }, lastId],
  updated_at: [{ field: 'updated_at', kind: 'time', isDescending: true }, lastId],
  created_at: newestFirst,
  name: nameOrder(),
  name_desc: [{ field: 'name', kind: 'name', isDescending: true }, lastId],
  version: [{ field: 'version', kind: 'integer', isDescending: true }, lastId],
}

export function selectTrees(
  db: ReadDb,
  { sort_by, skip, limit, after, search, ...filters }: TreeQuery & PageQuery,
): Promise<TreeListItem[]> {
  const [p_after = null, p_after_id = null] =
    after === undefined ? [] : readCursor(treeOrders[sort_by], after).map(String)
  const words = search && toWordPatterns(search)
  // `offset 0` forces a lookup by id per row. A pooled connection may otherwise reuse a plan from a small
  // account, which scans all rows.
  const page = sql<Selectable<DB['trees']>>`(
    select trees.*, p.place from ${callFunction('app.list_trees', {
      p_filters: jsonb({ ...filters, words }),
      p_sort: sort_by,
      p_skip: skip,
      p_limit: limit + 1,
      p_after,
      p_after_id,
    })} p
     cross join lateral (select * from trees where trees.id = p.id offset 0) trees)`
  return selectTreeItems(db, page).orderBy(sql`t.place`).execute()
}

/** The values that a save writes: the columns of the flow and the content of its new version. */
export interface TreeContent extends Pick<Tree, WrittenColumn> {
  /**
   * A name selects or creates a category of the account. Undefined keeps the current category, and means none
   * for a new flow.
   */
  category?: { id: string | null } | { name: string } | undefined
  tree_structure: FlowNode | StepList | null
  intake_form: readonly IntakeField[]
  restored_from?: number | undefined
  replay?: StoredReplay | null | undefined
  /** The flow's entries in the step library; they replace the current ones. */
  library: readonly LibraryEntry[]
}

/** The origin of a new flow. */
export interface Origin {
  parent?: { account_id: string; id: string; reason: string | null }
  /** Set if the owner is not the caller. */
  owner?: { user_id: string; team_id: string | null }
  import_metadata?: Record<string, unknown>
}

const columnList = sql.join(writtenColumns.map((column) => sql.ref(column)))
const writtenValues = sql.join(writtenColumns.map((column) => sql.ref(`r.${column}`)))
/** The written columns of a flow, as the row `r`. */
const writtenRow = (content: TreeContent) => {
  const values = Object.fromEntries(writtenColumns.map((column) => [column, content[column]]))
  return sql`jsonb_populate_record(null::trees, ${jsonb(values)}) r`
}

function categoryCte({ category }: TreeContent): RawBuilder<unknown> {
  const name = category && 'name' in category ? category.name : null
  return sql`named_category as (
    insert into categories (name, team_id) select ${name}, app.team_id() where ${name}::text is not null
    on conflict (account_id, app.name_key(name)) do update set name = categories.name returning id)`
}

function categoryId({ category }: TreeContent, defaultId: RawBuilder<unknown>): RawBuilder<unknown> {
  if (!category) return defaultId
  return 'name' in category ? sql`(select id from named_category)` : sql`${category.id}::uuid`
}

type VersionColumn = Exclude<
  keyof DB['tree_versions'],
  'account_id' | 'id' | 'saved_by' | 'created_at' | 'bytes'
>
const versionValues = (content: TreeContent): Record<VersionColumn, RawBuilder<unknown>> => ({
  tree_id: sql`s.id`,
  version: sql`s.version`,
  status: sql`s.status`,
  name: sql`s.name`,
  description: sql`s.description`,
  category: sql`coalesce(${content.category && 'name' in content.category ? content.category.name : null},
    (select c.name from categories c where c.account_id = s.account_id and c.id = s.category_id))`,
  tree_type: sql`s.tree_type`,
  tree_structure: sql`${content.tree_structure && JSON.stringify(content.tree_structure)}::jsonb`,
  intake_form: jsonb(content.intake_form),
  restored_from: sql`${content.restored_from ?? null}::integer`,
  replay: content.replay ? jsonb(content.replay) : sql`null::jsonb`,
})
/** Insert the version of the flow `saved_tree`. */
const insertVersion = (content: TreeContent) => {
  const values = versionValues(content)
  const columns = sql.join(Object.keys(values).map((column) => sql.ref(column)))
  return sql`insert into tree_versions (${columns}) select ${sql.join(Object.values(values))} from saved_tree s`
}

/** Replace the entries of a flow in the step library. */
export const syncLibrary = writeStatement(
  null,
  (treeId: string, library: readonly LibraryEntry[]) => sql`
    select from ${callFunction('app.sync_library', { p_tree: treeId, p_entries: JSON.stringify(library) })}`,
)

export const insertTreeWithVersion = writeStatement(
  null,
  (id: string, content: TreeContent, origin: Origin) => {
    const { parent, owner, import_metadata } = origin
    return sql`
    with ${categoryCte(content)}, saved_tree as (
      insert into trees (id, team_id, author_id, owner_id, ${columnList}, category_id, published_at, import_metadata,
                         parent_account_id, parent_tree_id, root_account_id, root_tree_id, fork_depth, fork_reason)
      select ${id}::uuid, ${owner ? sql`${owner.team_id}::uuid, ${owner.user_id}::uuid, ${owner.user_id}::uuid` : sql`app.team_id(), app.user_id(), app.user_id()`},
             ${writtenValues}, ${categoryId(content, sql`null::uuid`)}, case when r.status = 'published' then app.now() end,
             ${import_metadata ? JSON.stringify(import_metadata) : null}::jsonb || jsonb_build_object('imported_at', ${nowText}), ${parent?.account_id ?? null}::uuid, ${parent?.id ?? null}::uuid,
             lineage.root_account_id, lineage.root_id, coalesce(lineage.depth + 1, 0), ${parent?.reason ?? null}
         from ${writtenRow(content)}, ${callFunction('app.tree_line', { p_account: parent?.account_id ?? null, p_tree: parent?.id ?? null })} lineage
      returning *)
    ${insertVersion(content)}`
  },
)

/**
 * Insert the flow, its first version, its library entries and its messages for webhooks in one transaction.
 */
export async function insertTree(db: WriteDb, content: TreeContent, origin: Origin = {}): Promise<TreeRow> {
  const id = uuidv7()
  return saveTree(db, id, content, insertTreeWithVersion.query(id, content, origin))
}

/** Run the statement that writes a version, and what follows from it. */
async function saveTree(
  db: WriteDb,
  id: string,
  { library }: TreeContent,
  write: Compilable,
): Promise<TreeRow> {
  const statements = [
    write,
    syncLibrary.query(id, library),
    selectTreeWithContent(db, id),
    emitPublished.query(id),
  ] as const
  const [, , rows, emitted] = await db.batch(statements)
  enqueueWebhooks(db, emitted[0]?.webhook_delivery_ids ?? [])
  return rows[0] as TreeRow
}

/**
 * Insert the messages of a saved version for webhooks. A private flow has none, because only its author may
 * see it.
 */
export const emitPublished = writeStatement(EmittedWebhooks, (id: string) => {
  const data = sql`
    json_build_object('flow_id', t.id, 'version', t.version, 'flow_name', t.name, 'flow_type', t.tree_type, 'visibility', t.visibility,
      'team_id', t.team_id, 'published_by', app.user_id())`
  return sql`
    select ${callEmitWebhook('flow.published', sql`t.id::text`, data)} as webhook_delivery_ids
      from trees t where t.account_id = app.account_id() and t.id = ${id} and t.status = 'published' and t.visibility <> 'private'`
})

export const insertNextVersion = writeStatement(
  z.object({ id: z.string() }),
  ({ id, version }: Pick<TreeRow, 'id' | 'version'>, content: TreeContent) =>
    requireRow(
      sql`${insertVersion(content)} returning id`,
      sql`
    ${categoryCte(content)}, saved_tree as (
      update trees t set (${columnList}) = (select ${writtenValues} from ${writtenRow(content)}),
             category_id = ${categoryId(content, sql`t.category_id`)}, version = t.version + 1, updated_at = app.now(),
             published_at = coalesce(t.published_at, case when ${content.status} = 'published' then app.now() end)
       where t.id = ${id} and t.version = ${version} and t.deleted_at is null and ${isEditable}
      returning *)`,
    ),
)

/**
 * Save a new version. Raise SF409 if `version` is no longer current, the flow is deleted or the caller may
 * not change it.
 */
export function updateTree(db: WriteDb, id: string, version: number, content: TreeContent): Promise<TreeRow> {
  return saveTree(db, id, content, insertNextVersion.query({ id, version }, content))
}

export const markDeleted = writeStatement(z.object({ id: z.string() }), (id: string) =>
  requireRow(sql`
    update trees t set deleted_at = app.now() where t.id = ${id} and t.deleted_at is null and ${isEditable} returning t.id`),
)

/**
 * Mark a flow as deleted and deactivate its library steps. Return false if the flow does not exist or the
 * caller may not change it. Share links need no update, because they open only flows that are not deleted.
 */
export async function deleteTree(db: WriteDb, id: string): Promise<boolean> {
  return (
    (await db.batch([markDeleted.query(id), syncLibrary.query(id, [])]).catch(ignoreMissingRow)) !== undefined
  )
}
