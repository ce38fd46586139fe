import { spend, spendBytes } from '#rules/budget.ts'
import { readEntryName } from './entry-name.ts'
import { inflate } from './inflate.ts'
import { deflatedMethod, directoryEntrySignature, endRecordSignature, storedMethod } from './zip-format.ts'

// Reads ZIP archives. The signatures and offsets are those of the ZIP specification (APPNOTE.TXT).

type Bytes = Uint8Array<ArrayBuffer>

/** What is read of an archive at most. */
export interface ZipLimits {
  entries: number
  /** Of one entry that is read, after decompression. */
  entryBytes: number
  /** Of all entries, after decompression, as the directory declares it. */
  totalBytes: number
}

const documentLimits: ZipLimits = {
  entries: 2000,
  entryBytes: 8 * 1024 * 1024,
  totalBytes: 200 * 1024 * 1024,
}
/** Decompressing and decoding a byte takes 20 ns. Its character takes two bytes in a text outside of Latin-1. */
const [stepsPerByte, bytesPerByte] = [2, 2]
const tooLarge = 'The document is too large after decompression'
const damaged = 'The document is damaged'
const misdeclared = `${damaged}, or larger than it declares`

const endRecordSize = 22
const maxCommentSize = 65_535
const directoryEntrySize = 46
const localHeaderSize = 30
const encryptedFlag = 1

/** Thrown if an archive cannot be read. Its message is for the user. */
export class ArchiveError extends Error {}

/** Return whether the bytes start like a ZIP archive. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4
}

/**
 * Return the texts of the files with exactly these names. Throw an ArchiveError if the archive is damaged or
 * too large. Names are only compared, never used as paths, and archives inside the archive are not opened.
 */
export async function readZip(bytes: Bytes, names: readonly string[]): Promise<Map<string, string>> {
  const textByName = new Map<string, string>()
  for (const entry of listEntries(bytes)) {
    if (!names.includes(entry.name) || textByName.has(entry.name)) continue
    spend(entry.size * stepsPerByte)
    spendBytes(entry.size * bytesPerByte)
    textByName.set(entry.name, await readText(bytes, entry))
  }
  return textByName
}

/**
 * Return the text of an entry. Throw an ArchiveError if it is damaged, larger than it declares, or too large.
 */
export async function readText(
  bytes: Bytes,
  entry: Entry,
  limits: ZipLimits = documentLimits,
): Promise<string> {
  return (await unpack(cutEntry(bytes, entry), limits)).text()
}

/** Return the bytes of a file. Throw as `readText` does. */
export async function readBytes(file: PackedFile, limits: ZipLimits): Promise<Bytes> {
  return new Uint8Array(await (await unpack(file, limits)).arrayBuffer())
}

async function unpack({ method, size, content }: PackedFile, { entryBytes }: ZipLimits): Promise<Blob> {
  if (size > entryBytes) throw new ArchiveError(tooLarge)
  // No more than the declared size is decompressed, because the limit was checked against it.
  const blob = method === deflatedMethod ? await inflate(content, size) : null
  if (blob) return blob
  if (method === storedMethod && content.byteLength === size) return new Blob([content])
  throw new ArchiveError(misdeclared)
}

/** A file as it is in an archive. */
export interface PackedFile {
  method: number
  /** After decompression, as the directory declares it. */
  size: number
  content: Bytes
}

/** An entry of an archive, as the directory declares it. */
export interface Entry {
  name: string
  method: number
  compressedSize: number
  size: number
  /** The offset of the local header. */
  offset: number
}

/** Return the entries of an archive. Throw an ArchiveError if it is damaged or exceeds the limits. */
export function listEntries(bytes: Bytes, limits = documentLimits): Entry[] {
  const view = toDataView(bytes)
  const endRecord = findEndRecord(view)
  const entryCount = endRecord < 0 ? 0 : view.getUint16(endRecord + 10, true)
  if (entryCount === 0) throw new ArchiveError(damaged)
  if (entryCount > limits.entries) throw new ArchiveError('The document contains too many files')
  const entries: Entry[] = []
  let offset = view.getUint32(endRecord + 16, true)
  for (let n = 0; n < entryCount; n++) {
    const { entry, nextOffset } = readDirectoryEntry(bytes, view, offset)
    entries.push(entry)
    offset = nextOffset
  }
  if (entries.reduce((sum, { size }) => sum + size, 0) > limits.totalBytes) throw new ArchiveError(tooLarge)
  return entries
}

function readDirectoryEntry(
  bytes: Bytes,
  view: DataView,
  offset: number,
): { entry: Entry; nextOffset: number } {
  const isComplete = offset + directoryEntrySize <= bytes.length
  if (!isComplete || view.getUint32(offset, true) !== directoryEntrySignature) throw new ArchiveError(damaged)
  if (view.getUint16(offset + 8, true) & encryptedFlag) throw new ArchiveError('The document is encrypted')
  const nameStart = offset + directoryEntrySize
  const nameEnd = nameStart + view.getUint16(offset + 28, true)
  const extraFieldSize = view.getUint16(offset + 30, true)
  const commentSize = view.getUint16(offset + 32, true)
  const entry = {
    name: readEntryName(
      bytes.subarray(nameStart, nameEnd),
      bytes.subarray(nameEnd, nameEnd + extraFieldSize),
    ),
    method: view.getUint16(offset + 10, true),
    compressedSize: view.getUint32(offset + 20, true),
    size: view.getUint32(offset + 24, true),
    offset: view.getUint32(offset + 42, true),
  }
  return { entry, nextOffset: nameEnd + extraFieldSize + commentSize }
}

/**
 * Return the offset of the end record, or -1. The record is at the end of the file, before an optional
 * comment.
 */
function findEndRecord(view: DataView): number {
  const lastOffset = view.byteLength - endRecordSize
  const firstOffset = Math.max(0, lastOffset - maxCommentSize)
  for (let offset = lastOffset; offset >= firstOffset; offset--)
    if (view.getUint32(offset, true) === endRecordSignature) return offset
  return -1
}

/** Return the file of an entry. It shares the memory of the archive. Throw an ArchiveError if it is damaged. */
export function cutEntry(bytes: Bytes, { offset, method, compressedSize, size }: Entry): PackedFile {
  if (offset + localHeaderSize > bytes.length) throw new ArchiveError(misdeclared)
  const view = toDataView(bytes)
  const nameSize = view.getUint16(offset + 26, true)
  const extraFieldSize = view.getUint16(offset + 28, true)
  const start = offset + localHeaderSize + nameSize + extraFieldSize
  const content = bytes.subarray(start, start + compressedSize)
  if (content.length !== compressedSize) throw new ArchiveError(misdeclared)
  return { method, size, content }
}

function toDataView(bytes: Bytes): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
