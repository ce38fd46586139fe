import { type RawBuilder, sql } from 'kysely'
import { callFunction } from '#db/call-function.ts'
import { accountId, isEditable, jsonb, mayChange, nextUpdatedAt, teamId, userId } from '#db/expressions.ts'
import { toWordPatterns } from '#db/like.ts'
import { type Order, type PageQuery, pageEnd, selectPage } from '#db/page.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement } from '#db/statement.ts'
import {
  type Diagram,
  DiagramClient,
  type DiagramCreate,
  type DiagramItem,
  type DiagramQuery,
  type DiagramUpdate,
} from './schemas.ts'

export interface DiagramRow extends Diagram {
  /** Whether the caller may change it. */
  may_change: boolean
}

const itemColumns = [
  'id',
  'account_id',
  'team_id',
  'name',
  'description',
  'client_name',
  'asset_name',
  'is_archived',
  'version',
  'created_by',
  'created_at',
  'updated_at',
] as const
const diagramColumns = [
  ...itemColumns,
  'nodes',
  'edges',
  mayChange('created_by', 'team_id').as('may_change'),
] as const
const countOf = (column: 'nodes' | 'edges') => sql<number>`jsonb_array_length(${sql.ref(column)})`

export const diagramOrder: Order<'updated_at' | 'id'> = [
  { field: 'updated_at', kind: 'time', isDescending: true },
  { field: 'id', kind: 'uuid', isDescending: true },
]

export function selectDiagrams(
  db: ReadDb,
  { search, client, archived, ...page }: DiagramQuery & PageQuery,
): Promise<DiagramItem[]> {
  let diagrams = db
    .selectFrom('network_diagrams')
    .select([...itemColumns, countOf('nodes').as('node_count'), countOf('edges').as('edge_count')])
    .where('account_id', '=', accountId)
    .where('is_archived', '=', archived)
  if (client) diagrams = diagrams.where(sql<boolean>`app.name_key(client_name) = app.name_key(${client})`)
  if (search)
    diagrams = diagrams.where(
      'id',
      'in',
      sql<string>`(select ${callFunction('app.find_diagrams', { p_words: toWordPatterns(search) })})`,
    )
  return diagrams.$call(selectPage(diagramOrder, page)).execute()
}

const clientKey = {
  field: 'client_name' as const,
  column: sql`d.client_name`,
  rank: (name: RawBuilder<unknown>) => sql`app.name_key(${name})`,
}
export const clientOrder: Order<'client_name'> = [
  { ...clientKey, kind: 'name', rank: (name) => sql`app.name_key(${name}) collate "und-x-icu"` },
  { ...clientKey, kind: 'text' },
]

export const selectClients = readStatement(
  DiagramClient,
  (page: PageQuery) => sql`
    select mode() within group (order by d.client_name) as client_name, count(*)::integer as count
      from network_diagrams d where d.account_id = app.account_id() and not d.is_archived and d.client_name is not null
     group by app.name_key(d.client_name) having true ${pageEnd(clientOrder, page)}`,
)

/** Select the newest diagrams of a client with their content, at most `limit`. */
export function selectContentOfClient(db: ReadDb, client: string, limit: number) {
  return db
    .selectFrom('network_diagrams')
    .select(['name', 'nodes', 'edges'])
    .where('account_id', '=', accountId)
    .where('is_archived', '=', false)
    .where(sql<boolean>`app.name_key(client_name) = app.name_key(${client})`)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export function selectDiagram(db: ReadDb, id: string): Promise<DiagramRow | undefined> {
  return db.selectFrom('network_diagrams').select(diagramColumns).where('id', '=', id).executeTakeFirst()
}

/** Insert a diagram. Return undefined when the caller has no team. */
export function insertDiagram(db: WriteDb, diagram: DiagramCreate): Promise<DiagramRow | undefined> {
  const { name, description = '', client_name = null, asset_name = null, nodes, edges } = diagram
  return db
    .insertInto('network_diagrams')
    .columns(['team_id', 'name', 'description', 'client_name', 'asset_name', 'nodes', 'edges'])
    .expression(
      db
        .selectNoFrom([
          teamId.as('team_id'),
          sql.val(name).as('name'),
          sql.val(description).as('description'),
          sql.val(client_name).as('client_name'),
          sql.val(asset_name).as('asset_name'),
          jsonb(nodes).as('nodes'),
          jsonb(edges).as('edges'),
        ])
        .where(teamId, 'is not', null),
    )
    .returning(diagramColumns)
    .executeTakeFirst()
}

/**
 * Update the columns in `changes`. Return undefined if the stored version is not `version` or the caller may
 * not change the diagram.
 */
export function updateDiagram(
  db: WriteDb,
  id: string,
  version: number,
  { nodes, edges, ...columns }: Omit<DiagramUpdate, 'expected_version'> & { restored_from: number | null },
): Promise<DiagramRow | undefined> {
  return db
    .updateTable('network_diagrams')
    .set({
      ...columns,
      nodes: nodes && jsonb(nodes),
      edges: edges && jsonb(edges),
      version: version + 1,
      saved_by: userId,
      updated_at: nextUpdatedAt,
    })
    .where('id', '=', id)
    .where('version', '=', version)
    .where(isEditable('network_diagrams'))
    .returning(diagramColumns)
    .executeTakeFirst()
}

export function archiveDiagram(db: WriteDb, id: string, archived: boolean): Promise<DiagramRow | undefined> {
  return db
    .updateTable('network_diagrams')
    .set({ is_archived: archived })
    .where('id', '=', id)
    .where(isEditable('network_diagrams'))
    .returning(diagramColumns)
    .executeTakeFirst()
}
