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

const shown = sql`
  i.id, i.account_id, i.team_id, i.created_by, i.title, i.format, i.status, i.tree_id, i.created_at, i.updated_at,
  (select count(*)::integer from kb_import_nodes n where n.account_id = i.account_id and n.import_id = i.id) as node_count`
const full = sql`${shown}, app.may_change(i.created_by, i.team_id) as may_change,
  coalesce((select jsonb_agg(jsonb_build_object('id', n.id, 'parent_id', n.parent_id, 'position', n.position, 'kind', n.kind,
                                                'title', n.title, 'content', n.content) order by n.position, n.id)
              from kb_import_nodes n where n.account_id = i.account_id and n.import_id = i.id), '[]') as nodes`
const isOwn = sql`i.account_id = app.account_id() and app.may_change(i.created_by, i.team_id)`
const plan = sql`
  select l.max_kb_imports as most from accounts a join plan_limits l on l.plan = app.plan_of(a) where a.id = app.account_id()`

export async function selectQuota(db: ReadDb): Promise<Pick<KbQuota, 'used' | 'limit'>> {
  const { rows } = await sql<Pick<KbQuota, 'used' | 'limit'>>`
    select plan.most as limit, coalesce((select q.used from quota_counters q
      where q.account_id = app.account_id() and q.quota = 'kb_imports' and q.period_start = 'epoch'), 0) as used
      from (${plan}) plan`.execute(db as WriteDb)
  return rows[0] ?? { used: 0, limit: 0 }
}

export async function selectImports(db: ReadDb, { status, skip, limit }: KbImportQuery & PageQuery): Promise<KbImportItem[]> {
  const { rows } = await sql<KbImportItem>`
    select ${shown} from kb_imports i where i.account_id = app.account_id() and (${status ?? null}::text is null or i.status = ${status ?? null})
     order by i.created_at desc, i.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectImport(db: ReadDb, id: string): Promise<KbImportRow | undefined> {
  return (await sql<KbImportRow>`select ${full} from kb_imports i where i.id = ${id}`.execute(db as WriteDb)).rows[0]
}

export async function selectBlocks(db: ReadDb, id: string): Promise<Block[]> {
  const { rows } = await sql<{ blocks: Block[] }>`select i.blocks from kb_imports i where i.id = ${id}`.execute(db as WriteDb)
  return rows[0]?.blocks ?? []
}

/** Counts the import and keeps it, in one statement; undefined, and nothing counted, when the plan allows no more. */
export async function insertImport(db: WriteDb, { title, format, blocks }: Article): Promise<KbImport | undefined> {
  const { rows } = await sql<KbImport>`
    with plan as (${plan}), counted as (
      insert into quota_counters (quota, period_start, used) select 'kb_imports', 'epoch', 1 from plan where most is null or most > 0
      on conflict (account_id, quota, period_start) do update set used = quota_counters.used + 1
        where (select plan.most is null or quota_counters.used < plan.most from plan)
      returning used), i as (
      insert into kb_imports (team_id, title, format, blocks)
      select app.team_id(), ${title}, ${format}, ${JSON.stringify(blocks)}::jsonb from counted returning *)
    select ${shown}, '[]'::jsonb as nodes from i`.execute(db)
  return rows[0]
}

/** Holds an import in this transaction, so that nobody else changes it; false when the caller may not, or it is in another state by now. */
export async function holdImport(db: WriteDb, id: string, states: readonly KbImport['status'][]): Promise<boolean> {
  const { rows } = await sql`
    select i.id from kb_imports i where i.id = ${id} and ${isOwn} and i.status in (${sql.join(states)}) for update`.execute(db)
  return rows.length > 0
}

/** In the transaction that holds it. */
export async function replaceNodes(db: WriteDb, id: string, nodes: readonly KbNode[]): Promise<void> {
  const gone = sql`delete from kb_import_nodes n where n.account_id = app.account_id() and n.import_id = ${id}`
  const made = sql`
    insert into kb_import_nodes (id, import_id, parent_id, position, kind, title, content)
    select id, ${id}, parent_id, position, kind, title, content from jsonb_to_recordset(${JSON.stringify(nodes)}::jsonb)
      as n (id uuid, parent_id uuid, position integer, kind text, title text, content text)`
  const converted = sql`update kb_imports i set status = 'converted', updated_at = app.now() where i.id = ${id} and ${isOwn}`
  await db.batch([statement(db, gone), statement(db, made), statement(db, converted)])
}

/** Changes a node and counts all positions anew, in one batch that holds the import; undefined when the node may not stand where it shall. */
export async function updateNode(db: WriteDb, id: string, nodeId: string, change: KbNodeUpdate): Promise<KbNode | undefined> {
  const { kind = null, title = null, content = null } = change
  const isOpen = sql`i.id = ${id} and ${isOwn} and i.status = 'converted'`
  const held = sql`select i.id from kb_imports i where ${isOpen} for update`
  const changed = sql<KbNode>`
    with recursive ${placedAnew(id, nodeId, change)}, saved as (
      update kb_import_nodes n set parent_id = p.parent_id, position = p.position,
             kind = case when n.id = ${nodeId} then coalesce(${kind}, n.kind) else n.kind end,
             title = case when n.id = ${nodeId} then coalesce(${title}, n.title) else n.title end,
             content = case when n.id = ${nodeId} then coalesce(${content}, n.content) else n.content end
        from placed p
       where n.account_id = app.account_id() and n.import_id = ${id} and n.id = p.id and (n.id = ${nodeId} or n.position <> p.position)
         and exists (select from kb_imports i where ${isOpen})
      returning n.id, n.parent_id, n.position, n.kind, n.title, n.content),
    touched as (update kb_imports i set updated_at = app.now() where ${isOpen} and exists (select from saved))
    select * from saved where id = ${nodeId}`
  const [, rows] = await db.batch([statement(db, held), statement(db, changed)])
  return rows[0]
}

/**
 * `placed`: every node with its place once one of them stands where it shall, nothing when it cannot. Who goes down below the same parent takes
 * the place of the one that stands there, who goes up.
 */
function placedAnew(id: string, nodeId: string, { parent_id, position }: KbNodeUpdate): RawBuilder<unknown> {
  const ours = sql`n.account_id = app.account_id() and n.import_id = ${id}`
  return sql`old as (
      select n.id, n.parent_id as was, case when ${parent_id !== undefined} then ${parent_id ?? null}::uuid else n.parent_id end as parent_id,
             n.position, coalesce(${position ?? null}::integer, n.position) as wanted
        from kb_import_nodes n where ${ours} and n.id = ${nodeId}),
    above as (
      select parent_id as id from old
      union select n.parent_id from above join kb_import_nodes n on n.id = above.id where ${ours}),
    allowed as (
      select from old where not exists (select from above where above.id = old.id)
         and (old.parent_id is null or exists (select from kb_import_nodes n where ${ours} and n.id = old.parent_id))),
    given as (
      select n.id, case when n.id = old.id then old.parent_id else n.parent_id end as parent_id,
             case when n.id <> old.id then n.position * 2
                  when old.parent_id is not distinct from old.was and old.wanted > old.position then old.wanted * 2 + 1
                  else old.wanted * 2 - 1 end as place
        from kb_import_nodes n cross join old where ${ours} and exists (select from allowed)),
    walk as (
      select id, parent_id, array[place] as way from given where parent_id is null
      union all select g.id, g.parent_id, w.way || g.place from given g join walk w on g.parent_id = w.id),
    placed as (select id, parent_id, (row_number() over (order by way) - 1)::integer as position from walk)`
}

export async function markFailed(db: WriteDb, id: string): Promise<void> {
  await sql`update kb_imports i set status = 'failed', updated_at = app.now() where i.id = ${id} and ${isOwn} and i.status = 'uploaded'`.execute(
    db,
  )
}

/** In the transaction that holds it. */
export async function markCommitted(db: WriteDb, id: string, treeId: string): Promise<void> {
  await sql`update kb_imports i set status = 'committed', tree_id = ${treeId}, updated_at = app.now() where i.id = ${id} and ${isOwn}`.execute(
    db,
  )
}

export async function deleteImport(db: WriteDb, id: string): Promise<boolean> {
  return (await sql`delete from kb_imports i where i.id = ${id} and ${isOwn} returning i.id`.execute(db)).rows.length > 0
}
