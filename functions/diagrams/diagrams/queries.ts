import { type RawBuilder, sql } from 'kysely'
import { toWordPatterns } from '../../../lib/db/like.ts'
import type { PageQuery } from '../../../lib/db/page.ts'
import type { ReadDb, WriteDb } from '../../../lib/db/scope.ts'
import type { Diagram, DiagramClient, DiagramCreate, DiagramItem, DiagramQuery, DiagramUpdate } from './schemas.ts'

export interface DiagramRow extends Diagram {
  /** Whether the caller may change it. */
  may_change: boolean
}

const itemColumns = sql`
  d.id, d.account_id, d.team_id, d.name, d.description, d.client_name, d.asset_name, d.is_archived, d.created_by, d.created_at, d.updated_at`
const diagramColumns = sql`${itemColumns}, d.nodes, d.edges, app.may_change(d.created_by, d.team_id) as may_change`

export async function selectDiagrams(
  db: ReadDb,
  { search, client, archived, skip, limit }: DiagramQuery & PageQuery,
): Promise<DiagramItem[]> {
  const { rows } = await sql<DiagramItem>`
    select ${itemColumns}, jsonb_array_length(d.nodes) as node_count, jsonb_array_length(d.edges) as edge_count
      from network_diagrams d where d.account_id = app.account_id() and d.is_archived = ${archived}
       ${client ? sql`and lower(d.client_name) = lower(${client})` : sql``}
       ${search ? sql`and d.id in (select app.find_diagrams(${toWordPatterns(search)}::text[]))` : sql``}
     order by d.updated_at desc, d.id desc offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectClients(db: ReadDb, { skip, limit }: PageQuery): Promise<DiagramClient[]> {
  const { rows } = await sql<DiagramClient>`
    select mode() within group (order by d.client_name) as client_name, count(*)::integer as count
      from network_diagrams d where d.account_id = app.account_id() and not d.is_archived and d.client_name is not null
     group by lower(d.client_name) order by lower(d.client_name) offset ${skip} limit ${limit + 1}`.execute(db as WriteDb)
  return rows
}

export async function selectDiagram(db: ReadDb, id: string): Promise<DiagramRow | undefined> {
  return (await sql<DiagramRow>`select ${diagramColumns} from network_diagrams d where d.id = ${id}`.execute(db as WriteDb)).rows[0]
}

/** Insert a diagram. Return undefined when the caller has no team. */
export async function insertDiagram(db: WriteDb, diagram: DiagramCreate): Promise<DiagramRow | undefined> {
  const { name, description = '', client_name = null, asset_name = null, nodes, edges } = diagram
  const { rows } = await sql<DiagramRow>`
    with d as (
      insert into network_diagrams (team_id, name, description, client_name, asset_name, nodes, edges)
      select app.team_id(), ${name}, ${description}, ${client_name}, ${asset_name}, ${JSON.stringify(nodes)}::jsonb, ${JSON.stringify(edges)}::jsonb
       where app.team_id() is not null returning *)
    select ${diagramColumns} from d`.execute(db)
  return rows[0]
}

/** Update the columns in `changes`. Return undefined if the stored time is not `updatedAt` or the caller may not change the diagram. */
export async function updateDiagram(db: WriteDb, id: string, updatedAt: string, changes: DiagramUpdate): Promise<DiagramRow | undefined> {
  const assignments: RawBuilder<unknown>[] = [sql`updated_at = greatest(app.now(), d.updated_at + interval '1 ms')`]
  for (const [name, value] of Object.entries(changes)) {
    const isJson = name === 'nodes' || name === 'edges'
    if (value !== undefined) assignments.push(sql`${sql.ref(name)} = ${isJson ? sql`${JSON.stringify(value)}::jsonb` : sql`${value}`}`)
  }
  const { rows } = await sql<DiagramRow>`
    with d as (
      update network_diagrams d set ${sql.join(assignments)}
       where d.id = ${id} and d.account_id = app.account_id() and d.updated_at = ${updatedAt}::timestamptz and app.may_change(d.created_by, d.team_id)
      returning d.*)
    select ${diagramColumns} from d`.execute(db)
  return rows[0]
}

export async function archiveDiagram(db: WriteDb, id: string, archived: boolean): Promise<DiagramRow | undefined> {
  const { rows } = await sql<DiagramRow>`
    with d as (
      update network_diagrams d set is_archived = ${archived}
       where d.id = ${id} and d.account_id = app.account_id() and app.may_change(d.created_by, d.team_id) returning d.*)
    select ${diagramColumns} from d`.execute(db)
  return rows[0]
}
