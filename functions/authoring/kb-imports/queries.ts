import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId, isEditable, jsonb, mayChange, now } from '#db/expressions.ts'
import { newestFirst, type PageQuery, selectPage } from '#db/page.ts'
import { ignoreMissingRow, requireRow } from '#db/required-row.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import type { Article } from '#rules/knowledge/blocks.ts'
import { KbImport, type KbImportItem, type KbImportQuery, KbNode, type KbNodeUpdate } from './schemas.ts'

export interface KbImportRow extends KbImport {
  /** Whether the caller may change it. */
  may_change: boolean
}

const planLimit = sql`
  select l.max_kb_imports as max_imports from accounts a join plan_limits l on l.plan = app.plan_of(a) where a.id = app.account_id()`

export const selectQuota = readStatement(
  z.object({ used: z.int(), limit: z.int().nullable() }),
  () => sql`
    select plan.max_imports as limit, coalesce((select q.used from quota_counters q
      where q.account_id = app.account_id() and q.quota = 'kb_imports' and q.period_start = 'epoch'), 0) as used
      from (${planLimit}) plan`,
)

const nodeCount = sql<number>`
  (select count(*)::integer from kb_import_nodes n where n.account_id = i.account_id and n.import_id = i.id)`
const nodes = sql<KbNode[]>`
  coalesce((select jsonb_agg(jsonb_build_object('id', n.id, 'parent_id', n.parent_id, 'position', n.position, 'kind', n.kind,
                                                'title', n.title, 'content', n.content) order by n.position, n.id)
              from kb_import_nodes n where n.account_id = i.account_id and n.import_id = i.id), '[]')`

function selectItems(db: ReadDb) {
  return db
    .selectFrom('kb_imports as i')
    .select([
      'i.id',
      'i.account_id',
      'i.team_id',
      'i.created_by',
      'i.title',
      'i.format',
      'i.status',
      'i.tree_id',
      'i.created_at',
      'i.updated_at',
    ])
    .select(nodeCount.as('node_count'))
}

export function selectImports(
  db: ReadDb,
  { status, ...page }: KbImportQuery & PageQuery,
): Promise<KbImportItem[]> {
  let imports = selectItems(db).where('i.account_id', '=', accountId)
  if (status) imports = imports.where('i.status', '=', status)
  return imports.$call(selectPage(newestFirst, page, 'i')).execute()
}

export function selectImport(db: ReadDb, id: string): Promise<KbImportRow | undefined> {
  return selectItems(db)
    .select([mayChange('i.created_by', 'i.team_id').as('may_change'), nodes.as('nodes'), 'i.warnings'])
    .where('i.id', '=', id)
    .executeTakeFirst()
}

export async function selectArticle(db: ReadDb, id: string): Promise<Pick<Article, 'blocks' | 'warnings'>> {
  const article = await db
    .selectFrom('kb_imports')
    .select(['blocks', 'warnings'])
    .where('id', '=', id)
    .executeTakeFirst()
  return article ?? { blocks: [], warnings: [] }
}

/**
 * Count and insert an import in one statement. Return undefined and count nothing when the plan allows no
 * more.
 */
export const insertImport = writeStatement(
  KbImport,
  ({ title, format, blocks, warnings }: Article) => sql`
    with plan as (${planLimit}), updated_counter as (
      insert into quota_counters (quota, period_start, used) select 'kb_imports', 'epoch', 1 from plan where max_imports is null or max_imports > 0
      on conflict (account_id, quota, period_start) do update set used = quota_counters.used + 1
        where (select plan.max_imports is null or quota_counters.used < plan.max_imports from plan)
      returning used), i as (
      insert into kb_imports (team_id, title, format, blocks, warnings)
      select app.team_id(), ${title}, ${format}, ${jsonb(blocks)}, ${jsonb(warnings)} from updated_counter returning *)
    select id, account_id, team_id, created_by, title, format, status, tree_id, created_at, updated_at, 0 as node_count, '[]'::jsonb as nodes, warnings from i`,
)

/**
 * Lock an import for the rest of the transaction. Return false when the caller may not change it or its
 * status is not in `states`.
 */
export async function lockImport(
  db: WriteDb,
  id: string,
  states: readonly KbImport['status'][],
): Promise<boolean> {
  const query = db
    .selectFrom('kb_imports as i')
    .select('i.id')
    .where('i.id', '=', id)
    .where(isEditable('i'))
    .where('i.status', 'in', states)
  return (await query.forUpdate().executeTakeFirst()) !== undefined
}

export const insertNodes = writeStatement(
  null,
  (importId: string, nodes: readonly KbNode[]) => sql`
    insert into kb_import_nodes (id, import_id, parent_id, position, kind, title, content)
    select id, ${importId}, parent_id, position, kind, title, content from jsonb_to_recordset(${jsonb(nodes)})
      as n (id uuid, parent_id uuid, position integer, kind text, title text, content text)`,
)

function updateImport(db: WriteDb, id: string) {
  return db
    .updateTable('kb_imports as i')
    .set({ updated_at: now })
    .where('i.id', '=', id)
    .where(isEditable('i'))
}

/** Replace the nodes of an import that the transaction has locked, and mark the import as converted. */
export async function replaceNodes(
  db: WriteDb,
  id: string,
  nodes: readonly KbNode[],
  warnings: string[],
): Promise<void> {
  const deleteNodes = db
    .deleteFrom('kb_import_nodes')
    .where('account_id', '=', accountId)
    .where('import_id', '=', id)
  await db.batch([
    deleteNodes,
    insertNodes.query(id, nodes),
    updateImport(db, id).set({ status: 'converted', warnings: jsonb(warnings) }),
  ])
}

/** Lock a converted import that the caller may change. */
export const lockConverted = writeStatement(z.object({ id: z.string() }), (id: string) =>
  requireRow(
    sql`select i.id from kb_imports i where i.id = ${id} and ${isEditable('i')} and i.status = 'converted' for update`,
  ),
)

/**
 * Update a node of a locked import and renumber all positions. Return no row if the node cannot be moved
 * there.
 */
export const updateAndMoveNode = writeStatement(
  KbNode,
  (id: string, nodeId: string, change: KbNodeUpdate) => {
    const { kind = null, title = null, content = null } = change
    return sql`
    with recursive ${movedNodes(id, nodeId, change)}, updated_nodes as (
      update kb_import_nodes n set parent_id = p.parent_id, position = p.position,
             kind = case when n.id = ${nodeId} then coalesce(${kind}, n.kind) else n.kind end,
             title = case when n.id = ${nodeId} then coalesce(${title}, n.title) else n.title end,
             content = case when n.id = ${nodeId} then coalesce(${content}, n.content) else n.content end
        from new_places p
       where n.account_id = app.account_id() and n.import_id = ${id} and n.id = p.id and (n.id = ${nodeId} or n.position <> p.position)
      returning n.id, n.parent_id, n.position, n.kind, n.title, n.content),
    updated_import as (update kb_imports i set updated_at = app.now() where i.id = ${id} and exists (select from updated_nodes))
    select * from updated_nodes where id = ${nodeId}`
  },
)

/**
 * Lock the import, update a node and renumber all positions, in one transaction. Return undefined if the
 * change is not allowed.
 */
export async function updateNode(
  db: WriteDb,
  id: string,
  nodeId: string,
  change: KbNodeUpdate,
): Promise<KbNode | undefined> {
  const results = await db
    .batch([lockConverted.query(id), updateAndMoveNode.query(id, nodeId, change)])
    .catch(ignoreMissingRow)
  return results?.[1][0]
}

/**
 * Build CTEs, the last of which is `new_places`: every node with its parent and position after one node has
 * moved. It has no rows if the move is not allowed. The moved node is placed after the node at `new_position`
 * if it moves down below the same parent, otherwise before that node.
 */
function movedNodes(id: string, nodeId: string, { parent_id, position }: KbNodeUpdate): RawBuilder<unknown> {
  const isNodeOfImport = sql`n.account_id = app.account_id() and n.import_id = ${id}`
  return sql`moved_node as (
      select n.id, n.parent_id as old_parent_id, case when ${parent_id !== undefined} then ${parent_id ?? null}::uuid else n.parent_id end as parent_id,
             n.position, coalesce(${position ?? null}::integer, n.position) as new_position
        from kb_import_nodes n where ${isNodeOfImport} and n.id = ${nodeId}),
    ancestors as (
      select parent_id as id from moved_node
      union select n.parent_id from ancestors a join kb_import_nodes n on n.id = a.id where ${isNodeOfImport}),
    allowed_move as (
      select from moved_node m where not exists (select from ancestors a where a.id = m.id)
         and (m.parent_id is null or exists (select from kb_import_nodes n where ${isNodeOfImport} and n.id = m.parent_id))),
    sort_keys as (
      select n.id, case when n.id = m.id then m.parent_id else n.parent_id end as parent_id,
             case when n.id <> m.id then n.position * 2
                  when m.parent_id is not distinct from m.old_parent_id and m.new_position > m.position then m.new_position * 2 + 1
                  else m.new_position * 2 - 1 end as sort_key
        from kb_import_nodes n cross join moved_node m where ${isNodeOfImport} and exists (select from allowed_move)),
    paths as (
      select id, parent_id, array[sort_key] as path from sort_keys where parent_id is null
      union all select k.id, k.parent_id, p.path || k.sort_key from sort_keys k join paths p on k.parent_id = p.id),
    new_places as (select id, parent_id, (row_number() over (order by path) - 1)::integer as position from paths)`
}

/** Mark an import as failed if it was never converted. */
export async function markFailed(db: WriteDb, id: string): Promise<void> {
  await updateImport(db, id).set({ status: 'failed' }).where('i.status', '=', 'uploaded').execute()
}

/** Mark an import that the transaction has locked as committed. */
export async function markCommitted(db: WriteDb, id: string, treeId: string): Promise<void> {
  await updateImport(db, id).set({ status: 'committed', tree_id: treeId }).execute()
}

export async function deleteImport(db: WriteDb, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('kb_imports as i')
    .where('i.id', '=', id)
    .where(isEditable('i'))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
