import { uuidv7 } from '#db/uuid.ts'
import { validateWithin } from '#http/validation-budget.ts'
import { invalidField, Problem } from '#problem.ts'
import { ArchiveError, type Entry, listEntries, readText, type ZipLimits } from '#rules/archive/zip.ts'
import { type Budget, createBudget } from '#rules/budget.ts'
import { exportFormat, exportVersion } from '#rules/exports/account-archive.ts'
import { findUnstorableText, isTooDeep, parseJson } from '#rules/text/json.ts'
import {
  FlowRecord,
  FlowVersionRecord,
  findScriptProblem,
  findVersionProblem,
  Manifest,
  type OwnId,
  type RecordKind,
  type RecordOf,
  recordSchemas,
} from './schemas.ts'

type Bytes = Uint8Array<ArrayBuffer>

// A flow of 4 MiB is larger in the archive, because PostgreSQL writes JSON with spaces.
const limits: ZipLimits = { entries: 60_000, entryBytes: 12 * 1024 * 1024, totalBytes: 4 * 1024 * 1024 * 1024 }
const maxRestoredBytes = 64 * 1024 * 1024
const maxDepth = 128
const maxRecords = 100_000
const maxListedSkips = 200
const maxForks = 1000

/** An archive whose files are read one after the other, so that few of them are in memory. */
export interface Archive {
  bytes: Bytes
  entries: readonly Entry[]
  manifest: Manifest
}

/** A record that is not restored. */
export interface SkippedRecord {
  kind: string
  name: string | null
  reason: string
}

/** The records that are not restored: the first of them, and their number. */
export interface SkipList {
  records: SkippedRecord[]
  count: number
}

/** What an import is going to restore: the new ids by kind and old id. */
export interface ImportPlan {
  ids: Record<RecordKind | 'flows', Map<string, OwnId>>
  /** The flows, parents before their forks. */
  flows: PlannedFlow[]
  /** The places of the records of each kind that are restored. The import reads them again, and checks them only once. */
  places: Map<string, Set<number>>
  /** Versions of flows that are not restored, as `tree_id/version`. */
  invalidVersions: ReadonlySet<string>
  skipped: SkipList
}

export interface PlannedFlow extends FlowRecord {
  /** The number of forks from the first flow of the archive to this one. */
  depth: number
}

const restoredKinds = [...(Object.keys(recordSchemas) as RecordKind[]), 'flows', 'flow_versions'] as const

/** Open an export. Throw 422 for a file that is no export or too large, and 400 for another version of the format. */
export async function openArchive(bytes: Bytes): Promise<Archive> {
  const entries = await callArchive(async () => listEntries(bytes, limits))
  const files = entries.filter(({ name }) => restoredKinds.some((kind) => isFileOf(kind, name)))
  if (new Set(files.map(({ name }) => name)).size < files.length) throw invalidFile('must not contain a file twice')
  if (files.reduce((sum, { size }) => sum + size, 0) > maxRestoredBytes)
    throw invalidFile(`must have at most ${maxRestoredBytes / 2 ** 20} MiB of records that can be restored, after decompression`)
  const entry = entries.find(({ name }) => name === 'manifest.json')
  const json = entry && parseJson(await callArchive(() => readText(bytes, entry, limits)))
  const { data: manifest } = Manifest.safeParse(json)
  if (manifest?.format !== exportFormat) throw invalidFile('must be an export of an account')
  if (manifest.version !== exportVersion)
    throw new Problem('unsupported_version', `This version of the format is not supported; it must be ${exportVersion}`)
  return { bytes, entries: files, manifest }
}

export const createOwnId = () => uuidv7() as OwnId

/** Check every record that can be restored, and choose the new ids. Nothing is written. */
export async function planImport(archive: Archive, budget: Budget): Promise<ImportPlan> {
  const skipped: SkipList = { records: [], count: 0 }
  const places: ImportPlan['places'] = new Map()
  const ids = Object.fromEntries([...Object.keys(recordSchemas), 'flows'].map((kind) => [kind, new Map()])) as ImportPlan['ids']
  for (const kind of Object.keys(recordSchemas) as RecordKind[])
    places.set(kind, await planRecords(archive, kind, ids[kind], skipped, budget))
  const { versions, invalidVersions, places: versionPlaces } = await planVersions(archive, skipped, budget)
  places.set('flow_versions', versionPlaces)
  const flows = new Map<string, FlowRecord>()
  for await (const { value } of readCounted(archive, 'flows', budget)) {
    const { data: flow, error } = FlowRecord.safeParse(value)
    const reason = flow ? findFlowProblem(flow, flows, versions, invalidVersions) : describeIssue(error)
    if (reason) addSkipped(skipped, 'flows', value, reason)
    else if (flow) flows.set(flow.id, flow)
  }
  for (const id of flows.keys()) ids.flows.set(id, createOwnId())
  return { ids, flows: sortByDepth(flows), places, invalidVersions, skipped }
}

/** Read the valid records of a kind that the plan contains. */
export async function* readPlanned<K extends RecordKind>(archive: Archive, kind: K, plan: ImportPlan): AsyncGenerator<RecordOf<K>, void> {
  const places = plan.places.get(kind)
  for await (const { value, place } of readValues(archive, kind))
    if (places?.has(place)) yield recordSchemas[kind].parse(value) as RecordOf<K>
}

/** Read the versions of the planned flows. */
export async function* readVersions(
  archive: Archive,
  { ids, invalidVersions, places }: ImportPlan,
): AsyncGenerator<FlowVersionRecord, void> {
  const planned = places.get('flow_versions')
  for await (const { value, place } of readValues(archive, 'flow_versions')) {
    if (!planned?.has(place)) continue
    const version = FlowVersionRecord.parse(value)
    if (!invalidVersions.has(toVersionKey(version)) && ids.flows.has(version.tree_id)) yield version
  }
}

/** Choose the ids of the records that are restored. Return their places. */
async function planRecords(
  archive: Archive,
  kind: RecordKind,
  ids: Map<string, OwnId>,
  skipped: SkipList,
  budget: Budget,
): Promise<Set<number>> {
  const places = new Set<number>()
  for await (const { value, place } of readCounted(archive, kind, budget)) {
    const id = getId(value)
    const reason = findRecordProblem(kind, value, budget) ?? (ids.has(id) ? 'has the id of another record' : null)
    if (reason) addSkipped(skipped, kind, value, reason)
    else {
      ids.set(id, createOwnId())
      places.add(place)
    }
  }
  return places
}

function findRecordProblem(kind: RecordKind, value: unknown, budget: Budget): string | null {
  const { data, error } = validateWithin(budget, () => recordSchemas[kind].safeParse(value))
  if (error) return describeIssue(error)
  return kind === 'scripts' ? limitReason(findScriptProblemWithin(data as RecordOf<'scripts'>, budget)) : null
}

/** Check a script with the work of one request, because nothing else runs meanwhile. One that takes longer is not restored. */
function findScriptProblemWithin(script: RecordOf<'scripts'>, budget: Budget): string | null {
  const ownBudget = createBudget()
  try {
    return findScriptProblem(script, ownBudget)
  } catch (error) {
    if (error instanceof Problem) return 'script_body: takes too much work to check'
    throw error
  } finally {
    budget.spend(ownBudget.getSpent().steps)
  }
}

const limitReason = (reason: string | null) => reason?.slice(0, 500).toWellFormed() ?? null

/** Reading a record from JSON, and checking its fields. */
const stepsPerCharacter = 5

/** Read the values of a kind, count their work, and let other requests in between. */
async function* readCounted(archive: Archive, kind: string, budget: Budget): AsyncGenerator<{ value: unknown; place: number }, void> {
  for await (const { value, place, length } of readValues(archive, kind)) {
    budget.spend(length * stepsPerCharacter)
    await budget.pause()
    yield { value, place }
  }
}

async function planVersions(archive: Archive, skipped: SkipList, budget: Budget) {
  const versions = new Set<string>()
  const invalidVersions = new Set<string>()
  const places = new Set<number>()
  for await (const { value, place } of readCounted(archive, 'flow_versions', budget)) {
    const { data, error } = FlowVersionRecord.safeParse(value)
    const key = toVersionKey(value as { tree_id: unknown; version: unknown })
    const problem = data ? limitReason(findVersionProblem(data)) : describeIssue(error)
    const reason = problem ?? (versions.has(key) ? 'is in the archive twice' : null)
    if (reason) {
      addSkipped(skipped, 'flow_versions', value, reason)
      if (!versions.has(key)) invalidVersions.add(key)
    } else {
      versions.add(key)
      places.add(place)
    }
  }
  return { versions, invalidVersions, places }
}

function findFlowProblem(
  flow: FlowRecord,
  flows: ReadonlyMap<string, FlowRecord>,
  versions: ReadonlySet<string>,
  invalidVersions: ReadonlySet<string>,
): string | null {
  const key = toVersionKey({ tree_id: flow.id, version: flow.version })
  if (flow.deleted_at) return 'was deleted'
  if (flows.has(flow.id)) return 'has the id of another record'
  if (invalidVersions.has(key)) return 'its current version is not valid'
  return versions.has(key) ? null : 'its current version is missing'
}

/** Sort the flows so that each follows its parent. A flow whose line of parents is a circle or very long has no parent. */
function sortByDepth(flows: ReadonlyMap<string, FlowRecord>): PlannedFlow[] {
  const planned = [...flows.values()].map((flow) => {
    const line = new Set([flow.id])
    for (let parent = flow.parent_tree_id; parent && flows.has(parent); parent = flows.get(parent)?.parent_tree_id ?? null) {
      if (line.has(parent) || line.size > maxForks) return { ...flow, parent_tree_id: null, depth: 0 }
      line.add(parent)
    }
    const parent_tree_id = line.size > 1 ? flow.parent_tree_id : null
    return { ...flow, parent_tree_id, depth: line.size - 1 }
  })
  return planned.sort((a, b) => a.depth - b.depth)
}

/** Read the JSON values of a kind with their places, file after file. Throw 422 for a line that is no JSON or that PostgreSQL cannot store. */
async function* readValues(
  { bytes, entries }: Archive,
  kind: string,
): AsyncGenerator<{ value: unknown; place: number; length: number }, void> {
  let count = 0
  for (const entry of entries.filter(({ name }) => isFileOf(kind, name))) {
    const text = await callArchive(() => readText(bytes, entry, limits))
    if (count + countLines(text) > maxRecords) throw invalidFile(`must have at most ${maxRecords.toLocaleString('en')} records of a kind`)
    for (const line of readLines(text)) {
      count++
      const value = isTooDeep(line, maxDepth) ? undefined : parseJson(line)
      if (typeof value !== 'object' || value === null || findUnstorableText(value, []).length > 0)
        throw invalidFile(`must have one JSON object per line; line ${count} of ${kind} is something else`)
      yield { value, place: count, length: line.length }
    }
  }
}

/** Read the lines of a text one by one, because a text of line breaks alone would become millions of strings. */
function* readLines(text: string): Generator<string, void> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const next = end < 0 ? text.length : end
    yield text.slice(start, next)
    start = next + 1
  }
}

function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** Record what is not restored, with the reason. The list has a limit; the count has none. */
export function addSkipped(skipped: SkipList, kind: string, value: unknown, reason: string): void {
  skipped.count++
  if (skipped.records.length < maxListedSkips) skipped.records.push({ kind, name: getName(value), reason })
}

/** Return whether a file has records of a kind: `flows.jsonl`, `flows-2.jsonl` and so on. Names are only compared, never used as paths. */
function isFileOf(kind: string, name: string): boolean {
  return name === `${kind}.jsonl` || (name.startsWith(`${kind}-`) && /^-[1-9]\d{0,5}\.jsonl$/.test(name.slice(kind.length)))
}

async function callArchive<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ArchiveError || error instanceof RangeError ? invalidFile('must be a ZIP archive that can be read') : error
  }
}

const invalidFile = (msg: string) => invalidField(['body', 'file'], msg, 'unreadable')
export const toVersionKey = ({ tree_id, version }: { tree_id: unknown; version: unknown }) => `${tree_id}/${version}`
const getId = (value: unknown) => String((value as { id?: unknown }).id)

function getName(value: unknown): string | null {
  const { name, title } = value as { name?: unknown; title?: unknown }
  const text = name ?? title
  return typeof text === 'string' ? text.slice(0, 200).toWellFormed() : null
}

function describeIssue(error: { issues: readonly { path: PropertyKey[]; message: string }[] } | undefined): string {
  const issue = error?.issues[0]
  const path = issue?.path.slice(0, 8).join('.').slice(0, 200)
  return `${path ? `${path}: ` : ''}${issue?.message ?? 'is not valid'}`.slice(0, 500).toWellFormed()
}
