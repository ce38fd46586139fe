import { concatBytes, crc32 } from '#rules/text/bytes.ts'
import { deflatedMethod, directoryEntrySignature, endRecordSignature, storedMethod } from './zip-format.ts'

// Writes ZIP archives entry by entry, so that an archive can be written in several jobs. The libraries for
// ZIP keep the whole directory and the state of one stream in memory. The layouts are those of the
// specification:
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT

type Bytes = Uint8Array<ArrayBuffer>

export interface ZipFile {
  /** ASCII or UTF-8, with `/` between folders. */
  name: string
  content: Bytes
  /** Stored files are those that are compressed already. */
  isStored?: boolean
}

/** An entry of an archive: its bytes, and its record in the central directory. */
export interface ZipEntry {
  bytes: Bytes
  directory: Bytes
}

const utf8Flag = 0x0800
const zip64Version = 45
const plainVersion = 20
// These values stand for "see the ZIP64 record".
const max16 = 0xffff
const max32 = 0xffffffff

/**
 * Return an entry that starts `offset` bytes after the start of the archive. Each file must be smaller than 4
 * GiB.
 */
export async function encodeEntry(
  { name, content, isStored = false }: ZipFile,
  offset: number,
  at: Date,
): Promise<ZipEntry> {
  const nameBytes = new TextEncoder().encode(name)
  const data = isStored ? content : await deflate(content)
  const header = createRecord(24, [
    [2, offset >= max32 ? zip64Version : plainVersion],
    [2, utf8Flag],
    [2, isStored ? storedMethod : deflatedMethod],
    [4, toDosTime(at)],
    [4, crc32(content)],
    [4, data.byteLength],
    [4, content.byteLength],
    [2, nameBytes.byteLength],
  ])
  const extraField = offset >= max32 ? createZip64Offset(offset) : new Uint8Array()
  const directoryTail = createRecord(16, [
    [2, extraField.byteLength],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, 0],
    [4, Math.min(offset, max32)],
  ])
  return {
    bytes: concatBytes([signature(0x04034b50), header, new Uint8Array(2), nameBytes, data]),
    directory: concatBytes([
      signature(directoryEntrySignature),
      createRecord(2, [[2, zip64Version]]),
      header,
      directoryTail,
      nameBytes,
      extraField,
    ]),
  }
}

/**
 * Return the end of an archive whose central directory starts at `offset`. Write the ZIP64 records where the
 * plain fields are too small.
 */
export function encodeEnd({
  entries,
  directoryBytes,
  offset,
}: {
  entries: number
  directoryBytes: number
  offset: number
}): Bytes {
  const needsZip64 = entries >= max16 || directoryBytes >= max32 || offset >= max32
  const end = createRecord(18, [
    [4, 0],
    [2, Math.min(entries, max16)],
    [2, Math.min(entries, max16)],
    [4, Math.min(directoryBytes, max32)],
    [4, Math.min(offset, max32)],
    [2, 0],
  ])
  const zip64 = needsZip64 ? [createZip64End({ entries, directoryBytes, offset })] : []
  return concatBytes([...zip64, signature(endRecordSignature), end])
}

function createZip64End({
  entries,
  directoryBytes,
  offset,
}: {
  entries: number
  directoryBytes: number
  offset: number
}): Bytes {
  const record = createRecord(52, [
    [8, 44],
    [2, zip64Version],
    [2, zip64Version],
    [8, 0],
    [8, entries],
    [8, entries],
    [8, directoryBytes],
    [8, offset],
  ])
  const locator = createRecord(16, [
    [4, 0],
    [8, offset + directoryBytes],
    [4, 1],
  ])
  return concatBytes([signature(0x06064b50), record, signature(0x07064b50), locator])
}

/** Return the extra field with an offset that does not fit into the directory record. */
const createZip64Offset = (offset: number) =>
  createRecord(12, [
    [2, 1],
    [2, 8],
    [8, offset],
  ])

const signature = (value: number) => createRecord(4, [[4, value]])

type Field = readonly [size: 2 | 4 | 8, value: number]

/** Return the fields as little-endian numbers. */
function createRecord(size: number, fields: readonly Field[]): Bytes {
  const view = new DataView(new ArrayBuffer(size))
  let at = 0
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true)
    else if (bytes === 4) view.setUint32(at, value, true)
    else view.setBigUint64(at, BigInt(value), true)
    at += bytes
  }
  return new Uint8Array(view.buffer)
}

/** Return the date and time of MS-DOS in UTC, the date in the upper half. It has steps of two seconds. */
function toDosTime(at: Date): number {
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}

async function deflate(content: Bytes): Promise<Bytes> {
  const stream = new Blob([content]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
