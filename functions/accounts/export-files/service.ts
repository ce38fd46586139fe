import { Buffer } from 'node:buffer'
import { type ExportedTable, exportedTables } from '#db/account-data.ts'
import { restoredKinds } from '#db/restored-columns.ts'
import type { ReadDb } from '#db/scope.ts'
import type { JobContext } from '#http/job.ts'
import { encodeEntry, type ZipFile } from '#rules/archive/zip-writer.ts'
import { type ExportProgress, exportFormat, exportVersion } from '#rules/exports/account-archive.ts'
import { writeFlowMarkdown } from '#rules/flows/markdown/write.ts'
import { concatBytes } from '#rules/text/bytes.ts'
import { createSlug } from '#rules/text/words.ts'
import { sha256Hex } from '#vendors/auth/hash.ts'
import * as queries from './queries.ts'

type Bytes = Uint8Array<ArrayBuffer>
interface Sources extends Pick<JobContext, 'uploads' | 'recordSigner'> {
  db: ReadDb
}

/** An export as its slices need it. */
export interface ExportJob {
  id: string
  contents: 'all' | 'restorable'
  created_at: string
  progress: ExportProgress | Record<string, never>
}

// A slice and a file end when they have this many bytes, a slice also after this time. With the last file, it
// stays below the largest object.
export const sliceBytes = 4 * 1024 * 1024
const sliceMs = 15_000
const flowsAtOnce = 10
// A Worker may make 1,000 subrequests in one invocation.
const uploadsAtOnce = 50

/** The files of a slice, and where the next one starts. */
export interface Slice {
  content: Bytes
  directory: Bytes
  isLast: boolean
  progress: ExportProgress
}

interface OpenSlice extends Sources {
  job: ExportJob
  progress: ExportProgress
  parts: Bytes[]
  directory: Bytes[]
  /** The lines of the files since the last file of checksums. */
  checksums: string[]
  bytes: number
  maxBytes: number
}

/** Write the next files of an export, in memory. `now` returns milliseconds. */
export async function writeSlice(
  sources: Sources,
  job: ExportJob,
  now: () => number,
  maxBytes = sliceBytes,
): Promise<Slice> {
  const progress = structuredClone(
    'stage' in job.progress ? (job.progress as ExportProgress) : createProgress(job),
  )
  const slice: OpenSlice = {
    ...sources,
    job,
    progress,
    parts: [],
    directory: [],
    checksums: [],
    bytes: 0,
    maxBytes,
  }
  const deadline = now() + sliceMs
  while (progress.stage !== 'end' && slice.bytes < maxBytes && now() < deadline) await writeNext(slice)
  await writeChecksums(slice)
  return {
    content: concatBytes(slice.parts),
    directory: concatBytes(slice.directory),
    isLast: progress.stage === 'end',
    progress,
  }
}

function createProgress(job: ExportJob): ExportProgress {
  const stages = listStages(job)
  const position = {
    stage: stages[0] ?? '',
    after: null,
    files: 0,
    stages: { done: 0, total: stages.length - 1 },
  }
  return { ...position, parts: 0, entries: 0, bytes: 0, directory_bytes: 0, counts: {}, checksums: [] }
}

/** List the stages of an export: its kinds of records, the files, and the manifest. */
function listStages({ contents }: ExportJob): string[] {
  const tables = exportedTables
    .filter(({ kind }) => kind in restoredKinds || contents === 'all')
    .map(({ kind }) => kind)
  return [...tables, ...(contents === 'all' ? ['flow_files', 'upload_files'] : []), 'manifest', 'end']
}

async function writeNext(slice: OpenSlice): Promise<void> {
  const { stage } = slice.progress
  const table = exportedTables.find(({ kind }) => kind === stage)
  if (table) return writeRecords(slice, table)
  if (stage === 'flow_files') return writeFlows(slice)
  if (stage === 'upload_files') return writeUploads(slice)
  if (stage === 'manifest') return writeManifest(slice)
  throw new Error(`An export has no stage ${stage}`)
}

/** Write the next file of a kind: as many lines as a slice may have, or what is left. */
async function writeRecords(slice: OpenSlice, table: ExportedTable): Promise<void> {
  const { progress, maxBytes } = slice
  const lines: string[] = []
  let size = 0
  let isComplete = false
  while (!isComplete && size < maxBytes) {
    const rows = await queries.selectRecords.all(slice.db, table, progress.after, maxBytes - size)
    lines.push(...rows.map(({ line }) => line))
    const read = rows.reduce((sum, { line }) => sum + Buffer.byteLength(line), 0)
    isComplete = rows.length < table.limit && size + read < maxBytes
    size += read
    progress.after = rows.at(-1)?.key ?? progress.after
  }
  count(slice, lines.length)
  if (lines.length > 0) {
    progress.files++
    const suffix = progress.files === 1 ? '' : `-${progress.files}`
    await addFile(slice, { name: `${table.kind}${suffix}.jsonl`, content: encode(`${lines.join('\n')}\n`) })
  }
  if (isComplete) startNextStage(slice)
}

async function writeFlows(slice: OpenSlice): Promise<void> {
  const flows = await queries.selectFlows(slice.db, slice.progress.after?.[0] ?? null, flowsAtOnce)
  for (const flow of flows)
    await addFile(slice, {
      name: `flows/${createSlug(flow.name, 'flow')}-${flow.id}.md`,
      content: encode(writeFlowMarkdown(flow)),
    })
  completeBatch(slice, flows, flowsAtOnce)
}

async function writeUploads(slice: OpenSlice): Promise<void> {
  const uploads = await queries.selectUploads.all(slice.db, slice.progress.after?.[0] ?? null, uploadsAtOnce)
  for (const [n, { id, object_key }] of uploads.entries()) {
    if (slice.bytes >= slice.maxBytes) return completeBatch(slice, uploads.slice(0, n), 0)
    const content = await slice.uploads.get(object_key)
    if (content) await addFile(slice, { name: `uploads/${id}.jpg`, content, isStored: true })
    else slice.progress.counts.missing_files = (slice.progress.counts.missing_files ?? 0) + 1
  }
  completeBatch(slice, uploads, uploadsAtOnce)
}

/** Count the rows that were written. A batch with fewer rows than `limit` was the last one of its stage. */
function completeBatch(slice: OpenSlice, rows: readonly { id: string }[], limit: number): void {
  const last = rows.at(-1)
  if (last) slice.progress.after = [last.id]
  count(slice, rows.length)
  if (rows.length < limit) startNextStage(slice)
}

/** Write the checksums of the files that the slice has so far, as `sha256sum` does. */
async function writeChecksums(slice: OpenSlice): Promise<void> {
  const { checksums, progress } = slice
  if (checksums.length === 0) return
  const content = encode(`${checksums.join('\n')}\n`)
  const name = `checksums/${progress.checksums.length + 1}.txt`
  progress.checksums.push(await sha256Hex(content))
  await addEntry(slice, { name, content })
  slice.checksums = []
}

/** Write the manifest, which covers every other file by the hashes of their checksums, and its signature. */
async function writeManifest(slice: OpenSlice): Promise<void> {
  await writeChecksums(slice)
  const { job, progress, recordSigner } = slice
  const { finished_at, ...account } = await queries.selectAccount(slice.db)
  const manifest = {
    format: exportFormat,
    version: exportVersion,
    contents: job.contents,
    account,
    started_at: job.created_at,
    finished_at,
    counts: progress.counts,
    checksums: progress.checksums,
    key_id: recordSigner.keyId,
  }
  const content = encode(`${JSON.stringify(manifest, null, 2)}\n`)
  await addEntry(slice, { name: 'manifest.json', content })
  await addEntry(slice, { name: 'manifest.json.sig', content: await recordSigner.sign(content) })
  startNextStage(slice)
}

/** Add a file that the next checksums cover. */
async function addFile(slice: OpenSlice, file: ZipFile): Promise<void> {
  slice.checksums.push(`${await sha256Hex(file.content)}  ${file.name}`)
  await addEntry(slice, file)
}

async function addEntry(slice: OpenSlice, file: ZipFile): Promise<void> {
  const { progress } = slice
  const { bytes, directory } = await encodeEntry(file, progress.bytes, new Date(slice.job.created_at))
  slice.parts.push(bytes)
  slice.directory.push(directory)
  slice.bytes += bytes.byteLength
  progress.entries++
  progress.bytes += bytes.byteLength
  progress.directory_bytes += directory.byteLength
}

function count({ progress }: OpenSlice, added: number): void {
  progress.counts[progress.stage] = (progress.counts[progress.stage] ?? 0) + added
}

function startNextStage({ job, progress }: OpenSlice): void {
  const stages = listStages(job)
  const done = stages.indexOf(progress.stage) + 1
  Object.assign(progress, {
    stage: stages[done],
    after: null,
    files: 0,
    stages: { done, total: stages.length - 1 },
  })
}

const encode = (text: string): Bytes => new TextEncoder().encode(text)
