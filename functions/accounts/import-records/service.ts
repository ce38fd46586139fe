import type { RestoredKindName } from '#db/restored-columns.ts'
import { assess } from '#functions/scripts/scripts/service.ts'
import { invalidField, Problem } from '#problem.ts'
import { ArchiveError, type Entry, listEntries, readText, type ZipLimits } from '#rules/archive/zip.ts'
import { createBudget, getSpent, pause, runWithin, spend, stepsPerSecond } from '#rules/budget.ts'
import { exportFormat, exportVersion } from '#rules/exports/account-archive.ts'
import { cut } from '#rules/text/clip.ts'
import { findUnstorableText, isTooDeep, parseJson } from '#rules/text/json.ts'
import {
  type CheckedRecord,
  type CheckPosition,
  FlowRecord,
  FlowVersionRecord,
  findScriptProblem,
  findVersionProblem,
  Manifest,
  type RecordKind,
  type RecordOf,
  recordSchemas,
  type SkipList,
  type SkippedRecord,
} from './schemas.ts'

type Bytes = Uint8Array<ArrayBuffer>

// A flow of 4 MiB is larger in the archive, because PostgreSQL writes JSON with spaces.
const limits: ZipLimits = {
  entries: 60_000,
  entryBytes: 12 * 1024 * 1024,
  totalBytes: 4 * 1024 * 1024 * 1024,
}
const maxRestoredBytes = 64 * 1024 * 1024
const maxDepth = 128
const maxRecords = 100_000
const maxListedSkips = 200
const maxKeyLength = 100

/** An archive whose files are read one after the other, so that few of them are in memory. */
export interface Archive {
  bytes: Bytes
  entries: readonly Entry[]
  manifest: Manifest
}

export interface CheckedSlice {
  records: CheckedRecord[]
  skipped: SkippedRecord[]
  /** Null when all files are read. */
  next: CheckPosition | null
  /** Bytes of the files before `next`. */
  done: number
}

const checkedKinds: readonly RestoredKindName[] = [
  ...(Object.keys(recordSchemas) as RecordKind[]),
  'flow_versions',
  'flows',
]
export const firstPosition: CheckPosition = { kind: 'account', file: 0, offset: 0, count: 0 }

/**
 * Open an export. Throw 422 for a file that is no export or too large, and 400 for another version of the
 * format.
 */
export async function openArchive(bytes: Bytes): Promise<Archive> {
  const entries = await callArchive(async () => listEntries(bytes, limits))
  const files = entries.filter(({ name }) => checkedKinds.some((kind) => isFileOf(kind, name)))
  if (files.some(({ size }) => size > limits.entryBytes)) throw unreadableFile()
  if (new Set(files.map(({ name }) => name)).size < files.length)
    throw invalidFile('must not contain a file twice')
  if (files.reduce((sum, { size }) => sum + size, 0) > maxRestoredBytes)
    throw invalidFile(
      `must have at most ${maxRestoredBytes / 2 ** 20} MiB of records that can be restored, after decompression`,
    )
  const entry = entries.find(({ name }) => name === 'manifest.json')
  const json = entry && parseJson(await callArchive(() => readText(bytes, entry, limits)))
  const { data: manifest } = Manifest.safeParse(json)
  if (manifest?.format !== exportFormat) throw invalidFile('must be an export of an account')
  if (manifest.version !== exportVersion)
    throw new Problem(
      'unsupported_version',
      `This version of the format is not supported; it must be ${exportVersion}`,
    )
  return { bytes, entries: files, manifest }
}

/** Return the bytes of the records that can be restored. */
export const sumSizes = ({ entries }: Archive) => entries.reduce((sum, { size }) => sum + size, 0)

/**
 * Check the next records, as many as `steps` of work allow, and at least one. A record that takes more than a
 * slice is not restored. Nothing is written. Throw 422 for a line that is no JSON or that PostgreSQL cannot
 * store.
 */
export async function checkSlice(
  archive: Archive,
  start: CheckPosition,
  steps = sliceSteps,
): Promise<CheckedSlice> {
  const slice: CheckedSlice = { records: [], skipped: [], next: start, done: 0 }
  const end = getSpent().steps + steps
  let isFirst = true
  for (let at: CheckPosition | null = start; at; at = slice.next) {
    if (!isFirst && at.kind === 'flows' && start.kind !== 'flows') break
    const text = await readFile(archive, at)
    if (text === null) {
      slice.next = toNextKind(at)
      continue
    }
    const lines = readLines(text, at.offset)
    for (let line = lines.next(); !line.done; line = lines.next()) {
      const left = end - getSpent().steps - line.value.text.length * stepsPerCharacter
      if (!isFirst && left < 0) return finish(archive, slice, at)
      const place = at
      // `stepsPerCharacter` has this work.
      const value = runWithin(createBudget(), () => parseLine(line.value.text, place.kind, place.count + 1))
      const recordBudget = createBudget({ steps: isFirst ? Math.max(left, minRecordSteps) : left })
      spend(line.value.text.length * stepsPerCharacter)
      const { kind } = at
      const checkedRecord = runWithin(recordBudget, () => checkRecord(kind, value))
      spend(recordBudget.getSpent().steps)
      // It takes more than what is left, so it is the first one of the next slice.
      if (checkedRecord === tooMuchWork && !isFirst) return finish(archive, slice, at)
      at = { ...at, offset: line.value.end, count: at.count + 1 }
      addChecked(
        slice,
        at,
        value,
        checkedRecord === tooMuchWork ? { reason: tooMuchWork } : checkedRecord,
        line.value.text.length,
      )
      isFirst = false
      await pause()
    }
    slice.next = { ...at, file: at.file + 1, offset: 0 }
  }
  return finish(archive, slice, slice.next)
}

/** The work of a slice. */
export const sliceSteps = stepsPerSecond / 4
/** What the check of a long record may take beside its reading. */
const minRecordSteps = sliceSteps / 2
/** Reading a record from JSON, and checking its fields. */
const stepsPerCharacter = 5
const tooMuchWork = 'takes too much work to check'

type Checked = { key: string; parent: string | null; record: object } | { reason: string }

function finish(archive: Archive, slice: CheckedSlice, next: CheckPosition | null): CheckedSlice {
  const total = sumSizes(archive)
  if (!next) return { ...slice, next, done: total }
  const files = checkedKinds
    .slice(0, checkedKinds.indexOf(next.kind))
    .flatMap((kind) => listFiles(archive, kind))
  const readBytes = [...files, ...listFiles(archive, next.kind).slice(0, next.file)].reduce(
    (sum, { size }) => sum + size,
    0,
  )
  return { ...slice, next, done: Math.min(total, readBytes + next.offset) }
}

function addChecked(
  { records, skipped }: CheckedSlice,
  at: CheckPosition,
  value: object,
  checked: Checked,
  length: number,
): void {
  const common = { kind: at.kind, place: at.count, name: getName(value), length }
  if ('record' in checked) return void records.push({ ...common, ...checked, is_valid: true })
  skipped.push({ kind: at.kind, name: common.name, reason: checked.reason })
  if (at.kind === 'flow_versions')
    records.push({
      ...common,
      key: toVersionKey(value as VersionKey).slice(0, maxKeyLength),
      is_valid: false,
      parent: null,
      record: null,
    })
}

/** Check one record. Return why it is not restored, or the record with the ids that connect it. */
function checkRecord(kind: RestoredKindName, value: object): Checked | typeof tooMuchWork {
  try {
    return validateRecord(kind, value)
  } catch (error) {
    if (error instanceof Problem) return tooMuchWork
    throw error
  }
}

function validateRecord(kind: RestoredKindName, value: object): Checked {
  if (kind === 'flow_versions') {
    const { data, error } = FlowVersionRecord.safeParse(value)
    const reason = data ? limitReason(findVersionProblem(data)) : describeIssue(error)
    return data && !reason
      ? { key: toVersionKey(data), parent: data.tree_id, record: data }
      : { reason: reason ?? '' }
  }
  if (kind === 'flows') {
    const { data, error } = FlowRecord.safeParse(value)
    if (!data) return { reason: describeIssue(error) }
    return data.deleted_at
      ? { reason: 'was deleted' }
      : { key: data.id, parent: data.parent_tree_id, record: data }
  }
  const { data, error } = recordSchemas[kind].safeParse(value)
  if (!data) return { reason: describeIssue(error) }
  if (kind !== 'scripts') return { key: getId(value), parent: null, record: data }
  const script = data as RecordOf<'scripts'>
  const reason = limitReason(findScriptProblem(script))
  if (reason) return { reason }
  // An archive may say less than the script does.
  const { risk, requires_elevation } = assess(script)
  return { key: getId(value), parent: null, record: { ...script, risk, requires_elevation } }
}

const limitReason = (reason: string | null) => (reason === null ? null : cut(reason, 500))

const listFiles = ({ entries }: Archive, kind: string) => entries.filter(({ name }) => isFileOf(kind, name))

/**
 * Return the text of the next file of a kind, or null after the last one. Throw 422 if the kind has too many
 * records.
 */
async function readFile(
  archive: Archive,
  { kind, file, offset, count }: CheckPosition,
): Promise<string | null> {
  const entry = listFiles(archive, kind)[file]
  if (!entry) return null
  const text = await callArchive(() => readText(archive.bytes, entry, limits))
  if (offset === 0 && count + countLines(text) > maxRecords)
    throw invalidFile(`must have at most ${maxRecords.toLocaleString('en')} records of a kind`)
  return text
}

function toNextKind({ kind }: CheckPosition): CheckPosition | null {
  const next = checkedKinds[checkedKinds.indexOf(kind) + 1]
  return next ? { ...firstPosition, kind: next } : null
}

function parseLine(line: string, kind: string, place: number): object {
  const value = isTooDeep(line, maxDepth) ? undefined : parseJson(line)
  if (typeof value !== 'object' || value === null || findUnstorableText(value, []).length > 0)
    throw invalidFile(`must have one JSON object per line; line ${place} of ${kind} is something else`)
  return value
}

/**
 * Read the lines of a text one by one, because a text of line breaks alone would become millions of strings.
 */
function* readLines(text: string, offset: number): Generator<{ text: string; end: number }, void> {
  for (let start = offset; start < text.length; ) {
    const end = text.indexOf('\n', start)
    const next = end < 0 ? text.length : end
    yield { text: text.slice(start, next), end: next + 1 }
    start = next + 1
  }
}

function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

/** Record what is not restored, with the reason. The list has a limit; the count has none. */
export function addSkipped(skipped: SkipList, records: readonly SkippedRecord[]): void {
  skipped.count += records.length
  skipped.records.push(...records.slice(0, maxListedSkips - skipped.records.length))
}

/**
 * Return whether a file has records of a kind: `flows.jsonl`, `flows-2.jsonl` and so on. Names are only
 * compared, never used as paths.
 */
function isFileOf(kind: string, name: string): boolean {
  return (
    name === `${kind}.jsonl` ||
    (name.startsWith(`${kind}-`) && /^-[1-9]\d{0,5}\.jsonl$/.test(name.slice(kind.length)))
  )
}

async function callArchive<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ArchiveError || error instanceof RangeError ? unreadableFile() : error
  }
}

const unreadableFile = () => invalidFile('must be a ZIP archive that can be read')
const invalidFile = (msg: string) => invalidField(['body', 'file'], msg, 'unreadable')
type VersionKey = { tree_id: unknown; version: unknown }
export const toVersionKey = ({ tree_id, version }: VersionKey) => `${tree_id}/${version}`
const getId = (value: unknown) => String((value as { id?: unknown }).id)

function getName(value: unknown): string | null {
  const { name, title } = value as { name?: unknown; title?: unknown }
  const text = name ?? title
  return typeof text === 'string' ? cut(text, 200) : null
}

function describeIssue(
  error: { issues: readonly { path: PropertyKey[]; message: string }[] } | undefined,
): string {
  const issue = error?.issues[0]
  const path = issue?.path.slice(0, 8).join('.').slice(0, 200)
  return `${path ? `${path}: ` : ''}${issue?.message ?? 'is not valid'}`.slice(0, 500).toWellFormed()
}
