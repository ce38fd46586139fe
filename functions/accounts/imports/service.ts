import type { RestoredKindName } from '#db/restored-columns.ts'
import { inTransaction, type WriteDb } from '#db/scope.ts'
import type { FlowVersionRecord, OwnId, RecordKind, RecordOf } from '#functions/accounts/import-records/schemas.ts'
import {
  type Archive,
  addSkipped,
  createOwnId,
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
import { copyColumns } from '#rules/flows/rfflow.ts'
import { replaceScriptIds } from '#rules/flows/script-ids.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import { replaceSubflowIds } from '#rules/flows/subflow-ids.ts'
import * as queries from './queries.ts'
import type { AccountImport } from './schemas.ts'

interface OpenImport {
  db: WriteDb
  archive: Archive
  plan: ImportPlan
  ids: ImportPlan['ids']
  scope: { account_id: OwnId; team_id: OwnId | null; now: string }
  restored: Record<string, number>
}

const findId = (ids: ReadonlyMap<string, OwnId>, id: string | null): OwnId | null => (id === null ? null : (ids.get(id) ?? null))

/** Return the new id of a record of the plan. */
function getId(ids: ReadonlyMap<string, OwnId>, id: string): OwnId {
  const own = ids.get(id)
  if (!own) throw new Error('A record that is restored has no new id')
  return own
}

/** Restore an export in one transaction. The whole archive is checked first. Throw 409 unless the account is empty. */
export async function create({ db, budget }: WriteContext, { bytes }: FormFile): Promise<AccountImport> {
  const archive = await openArchive(bytes)
  const plan = await planImport(archive, budget)
  const restored = await inTransaction(db, async (tx) => {
    const { is_started } = await queries.startImport.one(tx, countPlanned(plan))
    if (!is_started) throw new Problem('account_not_empty')
    return restore({ db: tx, archive, plan, ids: plan.ids, scope: await queries.selectScope.one(tx), restored: {} })
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
  const { ids, scope } = open
  const team = (id: string | null) => findId(ids.teams, id) ?? scope.team_id
  await restoreKind(open, 'teams', (row) => (created.has(row.id) ? row : null))
  await restoreKind(open, 'categories', (row) => (created.has(row.id) ? { ...row, team_id: scope.team_id } : null))
  await restoreKind(open, 'script_categories', (row) => (created.has(row.id) ? row : null))
  await restoreKind(open, 'scripts', (row) => {
    const category_id = findId(ids.script_categories, row.category_id)
    return { ...row, team_id: team(row.team_id), category_id, slug: createUniqueSlug(row.name) }
  })
  await restoreKind(open, 'device_types', (row) => ({ ...row, team_id: findId(ids.teams, row.team_id) }))
  await restoreKind(open, 'diagrams', (row) => ({ ...row, team_id: team(row.team_id) }))
  await restoreKind(open, 'target_lists', (row) => ({ ...row, team_id: team(row.team_id) }))
  await restoreFlows(open)
  await restoreKind(open, 'library_steps', (row) => {
    const source_tree_id = findId(ids.flows, row.source_tree_id)
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
      const newId = idByName.get(key) ?? getId(plan.ids[kind], id)
      if (!idByName.has(key)) created.add(newId)
      idByName.set(key, newId)
      plan.ids[kind].set(id, newId)
    }
  }
  return created
}

/** Insert the records of a kind in batches. `toRow` gets each with its new id, and returns null for one that is left out. */
async function restoreKind<K extends Exclude<RecordKind, 'account'>>(
  { db, archive, plan, restored }: OpenImport,
  kind: K,
  toRow: (record: RecordOf<K> & { id: OwnId }) => queries.RestoredRow<K> | null,
): Promise<void> {
  const batch = createBatch(db, kind)
  restored[kind] = 0
  for await (const record of readPlanned(archive, kind, plan)) {
    const row = toRow({ ...record, id: getId(plan.ids[kind], record.id) })
    if (!row) continue
    restored[kind]++
    await batch.add(row)
  }
  await batch.flush()
}

async function restoreFlows(open: OpenImport): Promise<void> {
  const { db, archive, plan, restored } = open
  const flows = createBatch(db, 'flows')
  const roots = new Map<string, string>()
  for (const flow of plan.flows) {
    const root = flow.parent_tree_id ? (roots.get(flow.parent_tree_id) ?? flow.parent_tree_id) : null
    if (root) roots.set(flow.id, root)
    await flows.add(toFlowRow(open, flow, root))
  }
  await flows.flush()
  const versions = createBatch(db, 'flow_versions')
  restored.flows = plan.flows.length
  restored.flow_versions = 0
  const subflowIds = new Map([...plan.ids.flows, ...(await queries.selectPlatformFlows(db)).map(({ id }) => [id, id] as const)])
  for await (const version of readVersions(archive, plan)) {
    restored.flow_versions++
    const isLost = listSubflows(version.tree_structure).some(({ subflow }) => !subflowIds.has(subflow.tree_id))
    if (isLost) addSkipped(plan.skipped, 'subflows', version, 'runs a flow that is not in the archive')
    await versions.add(toVersionRow(plan, version, subflowIds))
  }
  await versions.flush()
}

function toFlowRow({ ids, scope }: OpenImport, flow: ImportPlan['flows'][number], root: string | null): queries.RestoredRow<'flows'> {
  const { depth, deleted_at: _, ...columns } = flow
  const parent_tree_id = findId(ids.flows, flow.parent_tree_id)
  const root_tree_id = findId(ids.flows, root)
  return {
    ...columns,
    ...copyColumns(flow),
    id: getId(ids.flows, flow.id),
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
    import_metadata: { source: 'account_export', imported_at: new Date().toISOString() },
  }
}

function toVersionRow(
  { ids }: ImportPlan,
  version: FlowVersionRecord,
  subflowIds: ReadonlyMap<string, string>,
): queries.RestoredRow<'flow_versions'> {
  const { intake_form } = version
  const structure = version.tree_structure && normaliseStructure(version.tree_structure)
  return {
    ...version,
    id: createOwnId(),
    tree_id: getId(ids.flows, version.tree_id),
    name: toSingleLine(version.name),
    description: normaliseLineBreaks(version.description),
    tree_structure: structure && replaceSubflowIds(replaceScriptIds(structure, ids.scripts), subflowIds),
    intake_form: normaliseForm(intake_form),
  }
}

const maxBatchRows = 50
const maxBatchLength = 256 * 1024

/** Collect rows, and insert them in batches of 50 or 256 KiB. Larger ones could exceed the 5 s of a statement, because each flow is indexed. */
function createBatch<K extends Exclude<RestoredKindName, 'account'>>(db: WriteDb, kind: K) {
  let rows: queries.RestoredRow<K>[] = []
  let length = 0
  const flush = async () => {
    if (rows.length > 0) await queries.insertRows.run(db, kind, rows)
    rows = []
    length = 0
  }
  const add = async (row: queries.RestoredRow<K>) => {
    rows.push(row)
    length += JSON.stringify(row).length
    if (rows.length >= maxBatchRows || length >= maxBatchLength) await flush()
  }
  return { add, flush }
}
