import type { Slice } from './fonts.ts'
import { joined } from './objects.ts'

interface Table {
  tag: string
  data: Uint8Array
}

/** The font with no outlines but those of these glyphs; their numbers stay. */
export function subset({ font }: Slice, ids: Iterable<number>): Uint8Array {
  const tables = tablesOf(font)
  const data = (tag: string) => tables.find((table) => table.tag === tag)?.data ?? new Uint8Array(64)
  const [head, glyf] = [new Uint8Array(data('head')), data('glyf')]
  const offsets = offsetsOf(data('loca'), viewOf(head).getInt16(50))
  const used = withParts(glyf, offsets, ids)
  const loca = new Uint8Array(offsets.length * 4)
  const kept: Uint8Array[] = []
  let size = 0
  for (let id = 0; id + 1 < offsets.length; id++) {
    viewOf(loca).setUint32(id * 4, size)
    if (!used.has(id)) continue
    const outline = glyf.subarray(offsets[id], offsets[id + 1])
    kept.push(outline)
    size += outline.length
  }
  viewOf(loca).setUint32(loca.length - 4, size)
  viewOf(head).setInt16(50, 1)
  const changed: Record<string, Uint8Array> = { head, loca, glyf: joined(kept, size) }
  return fontOf(tables.map(({ tag, data: old }) => ({ tag, data: changed[tag] ?? old })))
}

/** A glyph's leftmost and rightmost point, in thousandths of the size. */
export function extentOf({ font, units }: Slice, id: number): [number, number] {
  const tables = tablesOf(font)
  const data = (tag: string) => tables.find((table) => table.tag === tag)?.data ?? new Uint8Array(64)
  const offsets = offsetsOf(data('loca'), viewOf(data('head')).getInt16(50))
  const [from = 0, until = 0] = [offsets[id], offsets[id + 1]]
  if (until - from < 10) return [0, 0]
  const outline = viewOf(data('glyf').subarray(from, until))
  return [(outline.getInt16(2) * 1000) / units, (outline.getInt16(6) * 1000) / units]
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function tablesOf(font: Uint8Array): Table[] {
  const view = viewOf(font)
  return Array.from({ length: view.getUint16(4) }, (_, n) => {
    const at = 12 + n * 16
    const offset = view.getUint32(at + 8)
    return { tag: String.fromCharCode(...font.subarray(at, at + 4)), data: font.subarray(offset, offset + view.getUint32(at + 12)) }
  })
}

function offsetsOf(loca: Uint8Array, isLong: number): number[] {
  const view = viewOf(loca)
  const size = isLong ? 4 : 2
  return Array.from({ length: Math.floor(loca.length / size) }, (_, n) => (isLong ? view.getUint32(n * 4) : view.getUint16(n * 2) * 2))
}

/** With the glyphs that those are put together from. */
function withParts(glyf: Uint8Array, offsets: readonly number[], ids: Iterable<number>): Set<number> {
  const used = new Set([0])
  const left = [...ids]
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    const [from = 0, until = 0] = [offsets[id], offsets[id + 1]]
    if (used.has(id)) continue
    used.add(id)
    if (until - from >= 10) left.push(...partsOf(viewOf(glyf.subarray(from, until))))
  }
  return used
}

function partsOf(outline: DataView): number[] {
  if (outline.getInt16(0) >= 0) return []
  const parts: number[] = []
  for (let at = 10, more = true; more; ) {
    const flags = outline.getUint16(at)
    parts.push(outline.getUint16(at + 2))
    at += 4 + (flags & 1 ? 4 : 2) + (flags & 8 ? 2 : flags & 64 ? 4 : flags & 128 ? 8 : 0)
    more = (flags & 32) !== 0
  }
  return parts
}

function fontOf(tables: readonly Table[]): Uint8Array {
  const padded = tables.map(({ data }) => (data.length + 3) & ~3)
  const start = 12 + tables.length * 16
  const font = new Uint8Array(padded.reduce((sum, size) => sum + size, start))
  const view = viewOf(font)
  view.setUint32(0, 0x10000)
  view.setUint16(4, tables.length)
  let offset = start
  for (const [n, { tag, data }] of tables.entries()) {
    for (let char = 0; char < 4; char++) font[12 + n * 16 + char] = tag.charCodeAt(char)
    view.setUint32(20 + n * 16, offset)
    view.setUint32(24 + n * 16, data.length)
    font.set(data, offset)
    offset += padded[n] ?? 0
  }
  return font
}
