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
