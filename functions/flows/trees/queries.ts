import { type RawBuilder, sql } from 'kysely'
import { containsWords } from '../../../lib/db/like.ts'
import type { PageQuery } from '../../../lib/db/page.ts'
import { forkInfo, treeColumns, treeJoins } from '../../../lib/db/rows/trees.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { LibraryEntry } from '../../../lib/flows/library.ts'
import type { FlowNode, IntakeField, StepList } from '../../../lib/flows/structure.ts'
import type { Tree, TreeListItem, TreeQuery } from './schemas.ts'

export interface TreeRow extends Tree {
  tree_structure: FlowNode | StepList | null
  intake_form: IntakeField[]
  /** Whether the caller may change it. */
  may_change: boolean
}

const full = (id: RawBuilder<unknown>) => sql<TreeRow>`
  select ${treeColumns}, v.tree_structure, v.intake_form,
         t.account_id = app.account_id() and app.may_change(t.author_id, t.team_id) as may_change
    from trees t ${treeJoins}
    join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
   where t.id = ${id} and t.deleted_at is null`

export async function selectTree(db: ReadDb, id: string): Promise<TreeRow | undefined> {
  return (await full(sql`${id}`).execute(db as WriteDb)).rows[0]
}

export async function selectTrees(db: ReadDb, query: TreeQuery & PageQuery): Promise<TreeListItem[]> {
  const { tree_type, status, visibility, author_id, category, tag, search, sort_by, skip, limit } = query
  const filters = [tree_type, status, visibility, author_id, category, tag, search && containsWords(search), sort_by, skip, limit + 1]
  // With `offset 0` each row is fetched by its id: a pooler may keep a plan made in a small account, where reading all is as quick.
  const { rows } = await sql<TreeListItem>`
    select ${treeColumns}, ${forkInfo}
      from app.list_trees(${sql.join(filters.map((value) => value ?? null))}) p
     cross join lateral (select * from trees where trees.id = p.id offset 0) t ${treeJoins}
     order by p.place`.execute(db as WriteDb)
  return rows
}

/** What a save writes: the row's own columns and the content of its new version. */
export interface Content {
  tree_type: Tree['tree_type']
  status: Tree['status']
  visibility: Tree['visibility']
  name: string
  description: string
  tags: string[]
  /** A name finds or makes the account's category; undefined leaves it as it is. */
  category?: { id: string | null } | { name: string } | undefined
  tree_structure: FlowNode | StepList | null
  intake_form: readonly IntakeField[]
  restored_from?: number | undefined
  /** What the step library holds from now on. */
  library: readonly LibraryEntry[]
}

/** Where a new flow comes from. */
export interface Origin {
  parent?: { account_id: string; id: string; reason: string | null }
  /** Whose it is, when not the caller's. */
  owner?: { user_id: string; team_id: string | null }
  import_metadata?: Record<string, unknown>
}

const asText = (texts: readonly string[]) => sql`array(select jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb))`

function categoryOf({ category }: Content, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  const name = category && 'name' in category ? category.name : null
  return sql`named as (
    insert into categories (name, team_id) select ${name}, app.team_id() where ${name}::text is not null and ${condition}
    on conflict (account_id, lower(name)) do update set name = categories.name returning id)`
}

function categoryId({ category }: Content, otherwise: RawBuilder<unknown>): RawBuilder<unknown> {
  if (!category) return otherwise
  return 'name' in category ? sql`(select id from named)` : sql`${category.id}::uuid`
}

const versionColumns = sql`(id, tree_id, version, status, name, description, category, tree_type, tree_structure, intake_form, restored_from)`
const versionValues = (save: string, content: Content) => sql`
  select ${save}::uuid, s.id, s.version, s.status, s.name, s.description,
         coalesce(${content.category && 'name' in content.category ? content.category.name : null},
                  (select c.name from categories c where c.account_id = s.account_id and c.id = s.category_id)), s.tree_type,
         ${content.tree_structure && JSON.stringify(content.tree_structure)}::jsonb, ${JSON.stringify(content.intake_form)}::jsonb,
         ${content.restored_from ?? null}::integer from s`
const savedTree = (save: string) =>
  sql`(select v.tree_id from tree_versions v where v.account_id = app.account_id() and v.id = ${save}::uuid)`
// Both find the flow by the version that was just written, and so do nothing when none was.
const synced = (save: string, { library }: Content) => sql`
  select app.sync_library(id, ${JSON.stringify(library)}::jsonb) from trees where id = ${savedTree(save)}`

/** The flow, its first version and what the library gets, in one transaction. */
export async function insertTree(db: WriteDb, content: Content, origin: Origin = {}): Promise<TreeRow> {
  const save = crypto.randomUUID()
  const { parent, owner, import_metadata } = origin
  const write = sql`
    with ${categoryOf(content, sql`true`)}, s as (
      insert into trees (team_id, author_id, tree_type, status, visibility, name, description, tags, category_id, published_at, import_metadata,
                         parent_account_id, parent_tree_id, root_account_id, root_tree_id, fork_depth, fork_reason)
      select ${owner ? sql`${owner.team_id}::uuid, ${owner.user_id}::uuid` : sql`app.team_id(), app.user_id()`},
             ${content.tree_type}, ${content.status}, ${content.visibility}, ${content.name}, ${content.description},
             ${asText(content.tags)}, ${categoryId(content, sql`null::uuid`)}, case when ${content.status} = 'published' then app.now() end,
             ${import_metadata ? JSON.stringify(import_metadata) : null}::jsonb, ${parent?.account_id ?? null}::uuid, ${parent?.id ?? null}::uuid,
             line.root_account_id, line.root_id, coalesce(line.depth + 1, 0), ${parent?.reason ?? null}
        from app.tree_line(${parent?.account_id ?? null}::uuid, ${parent?.id ?? null}::uuid) line
      returning *)
    insert into tree_versions ${versionColumns} ${versionValues(save, content)}`
  const [, , rows] = await db.batch([statement(db, write), statement(db, synced(save, content)), statement(db, full(savedTree(save)))])
  return rows[0] as TreeRow
}

/** Saves over `version` alone, as a new one; undefined when another is current by now, or the flow is gone or not the caller's to change. */
export async function updateTree(db: WriteDb, id: string, version: number, content: Content): Promise<TreeRow | undefined> {
  const save = crypto.randomUUID()
  const write = sql`
    with ${categoryOf(content, sql`exists (select from trees t where t.id = ${id} and t.version = ${version})`)}, s as (
      update trees t set tree_type = ${content.tree_type}, status = ${content.status}, visibility = ${content.visibility}, name = ${content.name},
             description = ${content.description}, tags = ${asText(content.tags)}, category_id = ${categoryId(content, sql`t.category_id`)},
             version = t.version + 1, updated_at = app.now(),
             published_at = coalesce(t.published_at, case when ${content.status} = 'published' then app.now() end)
       where t.account_id = app.account_id() and t.id = ${id} and t.version = ${version} and t.deleted_at is null
         and app.may_change(t.author_id, t.team_id)
      returning *)
    insert into tree_versions ${versionColumns} ${versionValues(save, content)}`
  const [, , rows] = await db.batch([statement(db, write), statement(db, synced(save, content)), statement(db, full(savedTree(save)))])
  return rows[0]
}

/** Whether it was there and the caller's to delete. Its library entries go with it; its shares end, since they open live flows alone. */
export async function deleteTree(db: WriteDb, id: string): Promise<boolean> {
  const gone = sql<{ id: string }>`
    update trees t set deleted_at = app.now()
     where t.account_id = app.account_id() and t.id = ${id} and t.deleted_at is null and app.may_change(t.author_id, t.team_id) returning t.id`
  const cleared = sql`
    select app.sync_library(t.id, '[]') from trees t where t.account_id = app.account_id() and t.id = ${id} and t.deleted_at is not null`
  const [rows] = await db.batch([statement(db, gone), statement(db, cleared)])
  return rows.length > 0
}
