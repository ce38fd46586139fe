import type { AssetsPort } from '../assets/assets.ts'

// Fonts in slices: a text loads those that have its characters, and of them a PDF keeps the glyphs that it shows.

export interface Slice {
  ascent: number
  descent: number
  box: number[]
  units: number
  /** By code point: the glyph, and how wide it is in thousandths of the size. */
  glyphs: Map<number, { id: number; width: number }>
  font: Uint8Array
}
export type Order = 'text' | 'ja' | 'mono'

// Nothing of them changes while an isolate lives; slices are kept as long as they are few.
const maps = new Map<string, Promise<DataView>>()
const slices = new Map<number, Promise<Slice>>()
const keptSlices = 40
const atOnce = 6

/** Which slice has a character, of those that were loaded for its text. */
export interface Fonts {
  find(code: number, order: Order): { index: number; slice: Slice } | undefined
  slice(index: number): Slice
}

/** Loads what is needed to show every one of the characters in each of the orders. */
export async function loadFonts(assets: AssetsPort, wanted: ReadonlyMap<Order, ReadonlySet<number>>): Promise<Fonts> {
  const places = new Map<string, number>()
  for (const [order, codes] of wanted) {
    for (const code of codes) {
      const plane = code >> 16
      if (plane > 2) continue
      const map = await mapOf(assets, `${order}-${plane}`)
      const index = map.getUint16((code & 0xffff) * 2, true)
      if (index > 0) places.set(`${order} ${code}`, index)
    }
  }
  const loaded = await loadSlices(assets, [...new Set(places.values())])
  const sliceAt = (index: number) => loaded.get(index) as Slice
  return {
    find(code, order) {
      const index = places.get(`${order} ${code}`)
      return index === undefined ? undefined : { index, slice: sliceAt(index) }
    },
    slice: sliceAt,
  }
}

function mapOf(assets: AssetsPort, name: string): Promise<DataView> {
  let map = maps.get(name)
  if (!map) {
    map = assets.read(`fonts/${name}.map`).then((bytes) => new DataView(bytes))
    maps.set(name, map)
    map.catch(() => maps.delete(name))
  }
  return map
}

async function loadSlices(assets: AssetsPort, wanted: number[]): Promise<Map<number, Slice>> {
  const loaded = new Map<number, Slice>()
  const left = [...wanted]
  // A request may hold no more connections than this.
  const work = async () => {
    for (let index = left.pop(); index !== undefined; index = left.pop()) loaded.set(index, await sliceOf(assets, index))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return loaded
}

function sliceOf(assets: AssetsPort, index: number): Promise<Slice> {
  const known = slices.get(index)
  if (known) return known
  const slice = assets.read(`fonts/${index}.font`).then(readSlice)
  if (slices.size >= keptSlices) slices.delete(slices.keys().next().value ?? 0)
  slices.set(index, slice)
  slice.catch(() => slices.delete(index))
  return slice
}

function readSlice(bytes: ArrayBuffer): Slice {
  const length = new DataView(bytes).getUint32(0)
  const about = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)))
  const glyphs: Slice['glyphs'] = new Map()
  for (let n = 0; n < about.glyphs.length; n += 3) glyphs.set(about.glyphs[n], { id: about.glyphs[n + 1], width: about.glyphs[n + 2] })
  return { ...about, glyphs, font: new Uint8Array(bytes, 4 + length) }
}

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

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
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
