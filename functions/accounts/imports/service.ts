import { inTransaction, type WriteDb } from '#db/scope.ts'
import { uuidv7 } from '#db/uuid.ts'
import type { FlowVersionRecord, RecordKind, RecordOf } from '#functions/accounts/import-records/schemas.ts'
import {
  type Archive,
  addSkipped,
  type ImportPlan,
  openArchive,
  planImport,
  readPlanned,
  readVersions,
} from '#functions/accounts/import-records/service.ts'
import { createUniqueSlug } from '#functions/scripts/scripts/service.ts'
import type { FormFile, WriteContext } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import { normaliseForm, normaliseLineBreaks, normaliseStructure, toSingleLine } from '#rules/flows/normalise.ts'
import { replaceScriptIds } from '#rules/flows/script-ids.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import { replaceSubflowIds } from '#rules/flows/subflow-ids.ts'
import * as queries from './queries.ts'
import type { AccountImport } from './schemas.ts'

interface OpenImport {
  db: WriteDb
  archive: Archive
  plan: ImportPlan
  restored: Record<string, number>
}

/** Restore an export in one transaction. The whole archive is checked first. Throw 409 unless the account is empty. */
export async function create({ db }: WriteContext, { bytes }: FormFile): Promise<AccountImport> {
  const archive = await openArchive(bytes)
  const plan = await planImport(archive)
  const restored = await inTransaction(db, async (tx) => {
    const { is_started } = await queries.startImport.one(tx, countPlanned(plan))
    if (!is_started) throw new Problem('account_not_empty')
    return restore({ db: tx, archive, plan, restored: {} })
  })
  const restoredKinds = new Set(['flow_versions', 'flow_files', 'upload_files', ...Object.keys(plan.ids)])
  const others = Object.entries(archive.manifest.counts).filter(([kind, count]) => !restoredKinds.has(kind) && count > 0)
  return {
    restored,
    not_restored: Object.fromEntries(others.slice(0, 100)),
    skipped: plan.skipped.records,
    skipped_count: plan.skipped.count,
  }
}

const countPlanned = ({ ids }: ImportPlan) => Object.fromEntries(Object.entries(ids).map(([kind, map]) => [kind, map.size]))

async function restore(open: OpenImport): Promise<Record<string, number>> {
  const { archive, plan, db } = open
  for await (const settings of readPlanned(archive, 'account', plan)) await queries.updateSettings.run(db, settings)
  const created = await createNames(open)
  const team = (id: string | null | undefined) => (id && plan.ids.teams.get(id)) || null
  await restoreKind(open, 'teams', queries.insertTeams, (row) => (created.has(row.id) ? row : null))
  await restoreKind(open, 'categories', queries.insertCategories, (row) => (created.has(row.id) ? row : null))
  await restoreKind(open, 'script_categories', queries.insertScriptCategories, (row) => (created.has(row.id) ? row : null))
  await restoreKind(open, 'scripts', queries.insertScripts, (row) => {
    const category_id = (row.category_id && plan.ids.script_categories.get(row.category_id)) || null
    return { ...row, team_id: team(row.team_id), category_id, slug: createUniqueSlug(row.name) }
  })
  const withTeam = <R extends { team_id?: string | null | undefined }>(row: R) => ({ ...row, team_id: team(row.team_id) })
  await restoreKind(open, 'device_types', queries.insertDeviceTypes, withTeam)
  await restoreKind(open, 'diagrams', queries.insertDiagrams, withTeam)
  await restoreKind(open, 'target_lists', queries.insertTargetLists, withTeam)
  await restoreFlows(open)
  await restoreKind(open, 'library_steps', queries.insertLibrarySteps, (row) => {
    const source_tree_id = (row.source_tree_id && plan.ids.flows.get(row.source_tree_id)) || null
    return row.source_tree_id && !source_tree_id ? null : { ...row, team_id: team(row.team_id), source_tree_id }
  })
  return open.restored
}

/** Use the teams and categories of the account that have the same names. Return the new ids of those to create. */
async function createNames({ archive, db, plan }: OpenImport): Promise<ReadonlySet<string>> {
  const idByName = new Map((await queries.selectNamed.all(db)).map(({ kind, id, name }) => [`${kind} ${name.toLowerCase()}`, id]))
  const created = new Set<string>()
  for (const kind of ['teams', 'categories', 'script_categories'] as const) {
    for await (const { id, name } of readPlanned(archive, kind, plan)) {
      const key = `${kind} ${name.toLowerCase()}`
      const newId = idByName.get(key) ?? plan.ids[kind].get(id) ?? ''
      if (!idByName.has(key)) created.add(newId)
      idByName.set(key, newId)
      plan.ids[kind].set(id, newId)
    }
  }
  return created
}

interface Insert<Row> {
  run(db: WriteDb, rows: readonly Row[]): Promise<unknown>
}

/** Insert the records of a kind in batches. `toRow` gets each with its new id, and returns null for one that is left out. */
async function restoreKind<K extends RecordKind, Row>(
  { db, archive, plan, restored }: OpenImport,
  kind: K,
  insert: Insert<Row>,
  toRow: (record: RecordOf<K> & { id: string }) => Row | null,
): Promise<void> {
  const batch = createBatch(db, insert)
  restored[kind] = 0
  for await (const record of readPlanned(archive, kind, plan)) {
    const row = toRow({ ...record, id: plan.ids[kind].get((record as { id?: string }).id ?? '') ?? '' })
    if (!row) continue
    restored[kind]++
    await batch.add(row)
  }
  await batch.flush()
}

async function restoreFlows(open: OpenImport): Promise<void> {
  const { db, archive, plan, restored } = open
  const flows = createBatch(db, queries.insertFlows)
  const roots = new Map<string, string>()
  for (const flow of plan.flows) {
    const root = flow.parent_tree_id ? (roots.get(flow.parent_tree_id) ?? flow.parent_tree_id) : null
    if (root) roots.set(flow.id, root)
    await flows.add(toFlowRow(plan, flow, root))
  }
  await flows.flush()
  const versions = createBatch(db, queries.insertFlowVersions)
  restored.flows = plan.flows.length
  restored.flow_versions = 0
  const subflowIds = new Map([...plan.ids.flows, ...(await queries.selectPlatformFlows.all(db)).map(({ id }) => [id, id] as const)])
  for await (const version of readVersions(archive, plan)) {
    restored.flow_versions++
    const isLost = listSubflows(version.tree_structure).some(({ subflow }) => !subflowIds.has(subflow.tree_id))
    if (isLost) addSkipped(plan.skipped, 'subflows', version, 'runs a flow that is not in the archive')
    await versions.add(toVersionRow(plan, version, subflowIds))
  }
  await versions.flush()
}

function toFlowRow({ ids }: ImportPlan, flow: ImportPlan['flows'][number], root: string | null): queries.FlowRow {
  const find = (map: Map<string, string>, id: string | null | undefined) => (id && map.get(id)) || null
  const { depth, deleted_at: _, ...columns } = flow
  return {
    ...columns,
    id: ids.flows.get(flow.id) ?? '',
    name: toSingleLine(flow.name),
    description: normaliseLineBreaks(flow.description),
    team_id: find(ids.teams, flow.team_id),
    category_id: find(ids.categories, flow.category_id),
    parent_tree_id: find(ids.flows, flow.parent_tree_id),
    root_tree_id: find(ids.flows, root),
    fork_depth: depth,
    fork_reason: depth > 0 ? (flow.fork_reason ?? null) : null,
    import_metadata: { source: 'account_export', imported_at: new Date().toISOString() },
  }
}

function toVersionRow({ ids }: ImportPlan, version: FlowVersionRecord, subflowIds: ReadonlyMap<string, string>): queries.FlowVersionRow {
  const { intake_form } = version
  const structure = version.tree_structure && normaliseStructure(version.tree_structure)
  return {
    ...version,
    id: uuidv7(),
    tree_id: ids.flows.get(version.tree_id) ?? '',
    name: toSingleLine(version.name),
    description: normaliseLineBreaks(version.description),
    tree_structure: structure && replaceSubflowIds(replaceScriptIds(structure, ids.scripts), subflowIds),
    intake_form: normaliseForm(intake_form),
  }
}

const maxBatchRows = 50
const maxBatchLength = 256 * 1024

/** Collect rows, and insert them in batches of 50 or 256 KiB. Larger ones could exceed the 5 s of a statement, because each flow is indexed. */
function createBatch<Row>(db: WriteDb, insert: Insert<Row>) {
  let rows: Row[] = []
  let length = 0
  const flush = async () => {
    if (rows.length > 0) await insert.run(db, rows)
    rows = []
    length = 0
  }
  const add = async (row: Row) => {
    rows.push(row)
    length += JSON.stringify(row).length
    if (rows.length >= maxBatchRows || length >= maxBatchLength) await flush()
  }
  return { add, flush }
}
