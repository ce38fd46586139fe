import { inflateRaw } from './inflate.ts'

type Bytes = Uint8Array<ArrayBuffer>

const mostEntries = 2000
const entryBytes = 8 * 1024 * 1024
const allBytes = 200 * 1024 * 1024
const tooLarge = 'The document is too large once unpacked'
const damaged = 'The document is damaged'

/** Why an archive cannot be read, in words for its sender. */
export class ArchiveError extends Error {}

/** Whether the bytes start like a zip archive. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4
}

/**
 * The texts of some files of an archive, by their exact names. What is too large by its directory, or once inflated, is refused; files in it
 * are never opened as archives, and their names lead nowhere.
 */
export async function readZip(bytes: Bytes, names: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const entry of directory(bytes)) {
    if (!names.includes(entry.name) || texts.has(entry.name)) continue
    if (entry.size > entryBytes) throw new ArchiveError(tooLarge)
    const text = await unpacked(bytes, entry)
    if (text === null) throw new ArchiveError(`${damaged}, or larger than it says`)
    texts.set(entry.name, text)
  }
  return texts
}

interface Entry {
  name: string
  method: number
  packed: number
  size: number
  at: number
}

function directory(bytes: Bytes): Entry[] {
  const view = viewOf(bytes)
  const end = endOfDirectory(view)
  const count = end < 0 ? 0 : view.getUint16(end + 10, true)
  if (count === 0) throw new ArchiveError(damaged)
  if (count > mostEntries) throw new ArchiveError('The document holds too many files')
  const entries: Entry[] = []
  let at = view.getUint32(end + 16, true)
  for (let n = 0; n < count; n++) {
    const { entry, next } = entryAt(bytes, view, at)
    entries.push(entry)
    at = next
  }
  if (entries.reduce((sum, { size }) => sum + size, 0) > allBytes) throw new ArchiveError(tooLarge)
  return entries
}

function entryAt(bytes: Bytes, view: DataView, at: number): { entry: Entry; next: number } {
  if (at + 46 > bytes.length || view.getUint32(at, true) !== 0x02014b50) throw new ArchiveError(damaged)
  if (view.getUint16(at + 8, true) & 1) throw new ArchiveError('The document is encrypted')
  const nameEnd = at + 46 + view.getUint16(at + 28, true)
  const entry = {
    name: new TextDecoder().decode(bytes.subarray(at + 46, nameEnd)),
    method: view.getUint16(at + 10, true),
    packed: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    at: view.getUint32(at + 42, true),
  }
  return { entry, next: nameEnd + view.getUint16(at + 30, true) + view.getUint16(at + 32, true) }
}

/** The end record stands last, before a comment of at most 64 KiB. */
function endOfDirectory(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 22 - 65_535); at--)
    if (view.getUint32(at, true) === 0x06054b50) return at
  return -1
}

async function unpacked(bytes: Bytes, { at, method, packed, size }: Entry): Promise<string | null> {
  if (at + 30 > bytes.length) return null
  const view = viewOf(bytes)
  const begin = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true)
  const content = bytes.subarray(begin, begin + packed)
  if (content.length !== packed) return null
  if (method === 0) return packed === size ? new TextDecoder().decode(content) : null
  // What it says of its size is a promise: more than that is not read.
  return method === 8 ? inflateRaw(content, size) : null
}

function viewOf(bytes: Bytes): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
