import type { RestoredColumn, RestoredKindName } from '#db/restored-columns.ts'
import { uuidv7 } from '#db/uuid.ts'
import type {
  FlowRecord,
  FlowVersionRecord,
  OwnId,
  RecordOf,
} from '#functions/accounts/import-records/schemas.ts'
import { createUniqueSlug } from '#functions/scripts/scripts/service.ts'
import { normaliseForm, normaliseStructure, toSingleLine } from '#rules/flows/normalise.ts'
import { copyColumns } from '#rules/flows/rfflow.ts'
import { replaceScriptIds } from '#rules/flows/script-ids.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import { replaceSubflowIds } from '#rules/flows/subflow-ids.ts'
import { normaliseLineBreaks } from '#rules/text/line-breaks.ts'
import type { NewIds, Scope } from './schemas.ts'

type Value = string | number | boolean | object
/** Ids are those of this account, so that an id of the archive cannot be written. */
type ColumnValue<C> = C extends 'source_node_id'
  ? string | null
  : C extends 'id'
    ? OwnId
    : C extends `${string}_id`
      ? OwnId | null
      : Value | null
/** A row of a kind as an import writes it. Fields that are no restored columns are ignored. */
export type RestoredRow<K extends RestoredKindName> = { [C in RestoredColumn<K>]: ColumnValue<C> }

/** A checked record with what connects it. */
export interface ConnectedRecord {
  id: OwnId
  parent: string | null
  root: string | null
  depth: number
}

const findId = (ids: ReadonlyMap<string, OwnId>, id: string | null): OwnId | null =>
  id === null ? null : (ids.get(id) ?? null)

/** Return the row of a checked record, or null for one that is left out. */
export function toRow(
  kind: RestoredKindName,
  record: object,
  connected: ConnectedRecord,
  ids: NewIds,
  scope: Scope,
): object | null {
  const { id } = connected
  const team = (old: string | null) => findId(ids.teams, old) ?? scope.team_id
  const as = <K extends RestoredKindName>(row: RestoredRow<K>) => row
  switch (kind) {
    case 'account':
      return record
    case 'teams':
      return as<'teams'>({ ...(record as RecordOf<'teams'>), id })
    case 'categories':
      return as<'categories'>({ ...(record as RecordOf<'categories'>), id, team_id: scope.team_id })
    case 'script_categories':
      return as<'script_categories'>({ ...(record as RecordOf<'script_categories'>), id })
    case 'scripts': {
      const row = record as RecordOf<'scripts'>
      const category_id = findId(ids.script_categories, row.category_id)
      return as<'scripts'>({
        ...row,
        id,
        team_id: team(row.team_id),
        category_id,
        slug: createUniqueSlug(row.name),
      })
    }
    case 'device_types': {
      const row = record as RecordOf<'device_types'>
      return as<'device_types'>({ ...row, id, team_id: findId(ids.teams, row.team_id) })
    }
    case 'diagrams': {
      const row = record as RecordOf<'diagrams'>
      return as<'diagrams'>({ ...row, id, team_id: team(row.team_id) })
    }
    case 'target_lists': {
      const row = record as RecordOf<'target_lists'>
      return as<'target_lists'>({ ...row, id, team_id: team(row.team_id) })
    }
    case 'library_steps': {
      const row = record as RecordOf<'library_steps'>
      const source_tree_id = findId(ids.flows, row.source_tree_id)
      if (row.source_tree_id && !source_tree_id) return null
      return as<'library_steps'>({ ...row, id, team_id: team(row.team_id), source_tree_id })
    }
    case 'flows':
      return toFlowRow(record as FlowRecord, connected, ids, scope)
    case 'flow_versions':
      return toVersionRow(record as FlowVersionRecord, ids)
  }
}

/** Return whether a step of the version runs a flow that has no new id. Such a step is answered by hand. */
export function losesSubflow(version: FlowVersionRecord, { flows }: NewIds): boolean {
  return listSubflows(version.tree_structure).some(({ subflow }) => !flows.has(subflow.tree_id))
}

function toFlowRow(
  flow: FlowRecord,
  { id, parent, root, depth }: ConnectedRecord,
  ids: NewIds,
  scope: Scope,
): RestoredRow<'flows'> {
  const { deleted_at: _, ...columns } = flow
  const parent_tree_id = findId(ids.flows, parent)
  const root_tree_id = findId(ids.flows, root)
  return {
    ...columns,
    ...copyColumns(flow),
    id,
    name: toSingleLine(flow.name),
    description: normaliseLineBreaks(flow.description),
    team_id: findId(ids.teams, flow.team_id) ?? scope.team_id,
    category_id: findId(ids.categories, flow.category_id),
    published_at: flow.status === 'published' ? scope.now : null,
    parent_account_id: parent_tree_id && scope.account_id,
    parent_tree_id,
    root_account_id: root_tree_id && scope.account_id,
    root_tree_id,
    fork_depth: depth,
    fork_reason: depth > 0 ? flow.fork_reason : null,
    import_metadata: { source: 'account_export', imported_at: scope.now },
  }
}

function toVersionRow(version: FlowVersionRecord, ids: NewIds): RestoredRow<'flow_versions'> | null {
  const tree_id = findId(ids.flows, version.tree_id)
  if (!tree_id) return null
  const structure = version.tree_structure && normaliseStructure(version.tree_structure)
  return {
    ...version,
    id: uuidv7() as OwnId,
    tree_id,
    name: toSingleLine(version.name),
    description: normaliseLineBreaks(version.description),
    tree_structure: structure && replaceSubflowIds(replaceScriptIds(structure, ids.scripts), ids.flows),
    intake_form: normaliseForm(version.intake_form),
  }
}
