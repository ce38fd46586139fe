import { type RawBuilder, sql } from 'kysely'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import { statement } from '../../../lib/db/statement.ts'
import type { Article } from '../../../lib/knowledge/article.ts'
import type { Block } from '../../../lib/knowledge/blocks.ts'
import type { KbImport, KbImportItem, KbImportQuery, KbNode, KbNodeUpdate, KbQuota } from './schemas.ts'

export interface KbImportRow extends KbImport {
  /** Whether the caller may change it. */
  may_change: boolean
}

const importColumns = sql`
  i.id, i.account_id, i.team_id, i.created_by, i.title, i.format, i.status, i.tree_id, i.created_at, i.updated_at,
  (select count(*)::integer from kb_import_nodes n where n.account_id = i.account_id and n.import_id = i.id) as node_count`
const fullImportColumns = sql`${importColumns}, app.may_change(i.created_by, i.team_id) as may_change,
  coalesce((select jsonb_agg(jsonb_build_object('id', n.id, 'parent_id', n.parent_id, 'position', n.position, 'kind', n.kind,
                                                'title', n.title, 'content', n.content) order by n.position, n.id)
              from kb_import_nodes n where n.account_id = i.account_id and n.import_id = i.id), '[]') as nodes`
const mayChange = sql`i.account_id = app.account_id() and app.may_change(i.created_by, i.team_id)`
const planLimit = sql`
  select l.max_kb_imports as max_imports from accounts a join plan_limits l on l.plan = app.plan_of(a) where a.id = app.account_id()`

export async function selectQuota(db: ReadDb): Promise<Pick<KbQuota, 'used' | 'limit'>> {
  const { rows } = await sql<Pick<KbQuota, 'used' | 'limit'>>`
    select plan.max_imports as limit, coalesce((select q.used from quota_counters q
      where q.account_id = app.account_id() and q.quota = 'kb_imports' and q.period_start = 'epoch'), 0) as used
      from (${planLimit}) plan`.execute(db as WriteDb)
  return rows[0] ?? { used: 0, limit: 0 }
}

export async function selectImports(db: ReadDb, { status, skip, limit }: KbImportQuery & PageQuery): Promise<KbImportItem[]> {
  const { rows } = await sql<KbImportItem>`
    select ${importColumns} from kb_imports i where i.account_id = app.account_id() and (${status ?? null}::text is null or i.status = ${status ?? null})
     order by i.created_at desc, i.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectImport(db: ReadDb, id: string): Promise<KbImportRow | undefined> {
  return (await sql<KbImportRow>`select ${fullImportColumns} from kb_imports i where i.id = ${id}`.execute(db as WriteDb)).rows[0]
}

export async function selectBlocks(db: ReadDb, id: string): Promise<Block[]> {
  const { rows } = await sql<{ blocks: Block[] }>`select i.blocks from kb_imports i where i.id = ${id}`.execute(db as WriteDb)
  return rows[0]?.blocks ?? []
}

/** Count and insert an import in one statement. Return undefined and count nothing when the plan allows no more. */
export async function insertImport(db: WriteDb, { title, format, blocks }: Article): Promise<KbImport | undefined> {
  const { rows } = await sql<KbImport>`
    with plan as (${planLimit}), updated_counter as (
      insert into quota_counters (quota, period_start, used) select 'kb_imports', 'epoch', 1 from plan where max_imports is null or max_imports > 0
      on conflict (account_id, quota, period_start) do update set used = quota_counters.used + 1
        where (select plan.max_imports is null or quota_counters.used < plan.max_imports from plan)
      returning used), i as (
      insert into kb_imports (team_id, title, format, blocks)
      select app.team_id(), ${title}, ${format}, ${JSON.stringify(blocks)}::jsonb from updated_counter returning *)
    select ${importColumns}, '[]'::jsonb as nodes from i`.execute(db)
  return rows[0]
}

/** Lock an import for the rest of the transaction. Return false when the caller may not change it or its status is not in `states`. */
export async function lockImport(db: WriteDb, id: string, states: readonly KbImport['status'][]): Promise<boolean> {
  const { rows } = await sql`
    select i.id from kb_imports i where i.id = ${id} and ${mayChange} and i.status in (${sql.join(states)}) for update`.execute(db)
  return rows.length > 0
}

/** Replace the nodes of an import that the transaction has locked, and mark the import as converted. */
export async function replaceNodes(db: WriteDb, id: string, nodes: readonly KbNode[]): Promise<void> {
  const deleteNodes = sql`delete from kb_import_nodes n where n.account_id = app.account_id() and n.import_id = ${id}`
  const insertNodes = sql`
    insert into kb_import_nodes (id, import_id, parent_id, position, kind, title, content)
    select id, ${id}, parent_id, position, kind, title, content from jsonb_to_recordset(${JSON.stringify(nodes)}::jsonb)
      as n (id uuid, parent_id uuid, position integer, kind text, title text, content text)`
  const markConverted = sql`update kb_imports i set status = 'converted', updated_at = app.now() where i.id = ${id} and ${mayChange}`
  await db.batch([statement(db, deleteNodes), statement(db, insertNodes), statement(db, markConverted)])
}

/** Lock the import, update a node and renumber all positions, in one transaction. Return undefined if the change is not allowed. */
export async function updateNode(db: WriteDb, id: string, nodeId: string, change: KbNodeUpdate): Promise<KbNode | undefined> {
  const { kind = null, title = null, content = null } = change
  const isOpen = sql`i.id = ${id} and ${mayChange} and i.status = 'converted'`
  const lock = sql`select i.id from kb_imports i where ${isOpen} for update`
  const update = sql<KbNode>`
    with recursive ${movedNodes(id, nodeId, change)}, updated_nodes as (
      update kb_import_nodes n set parent_id = p.parent_id, position = p.position,
             kind = case when n.id = ${nodeId} then coalesce(${kind}, n.kind) else n.kind end,
             title = case when n.id = ${nodeId} then coalesce(${title}, n.title) else n.title end,
             content = case when n.id = ${nodeId} then coalesce(${content}, n.content) else n.content end
        from new_places p
       where n.account_id = app.account_id() and n.import_id = ${id} and n.id = p.id and (n.id = ${nodeId} or n.position <> p.position)
         and exists (select from kb_imports i where ${isOpen})
      returning n.id, n.parent_id, n.position, n.kind, n.title, n.content),
    updated_import as (update kb_imports i set updated_at = app.now() where ${isOpen} and exists (select from updated_nodes))
    select * from updated_nodes where id = ${nodeId}`
  const [, rows] = await db.batch([statement(db, lock), statement(db, update)])
  return rows[0]
}

/**
 * Build CTEs, the last of which is `new_places`: every node with its parent and position after one node has moved. It has no rows if the
 * move is not allowed. The moved node is placed after the node at `new_position` if it moves down below the same parent, otherwise before
 * that node.
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
  await sql`update kb_imports i set status = 'failed', updated_at = app.now() where i.id = ${id} and ${mayChange} and i.status = 'uploaded'`.execute(
    db,
  )
}

/** Mark an import that the transaction has locked as committed. */
export async function markCommitted(db: WriteDb, id: string, treeId: string): Promise<void> {
  await sql`update kb_imports i set status = 'committed', tree_id = ${treeId}, updated_at = app.now() where i.id = ${id} and ${mayChange}`.execute(
    db,
  )
}

export async function deleteImport(db: WriteDb, id: string): Promise<boolean> {
  return (await sql`delete from kb_imports i where i.id = ${id} and ${mayChange} returning i.id`.execute(db)).rows.length > 0
}
