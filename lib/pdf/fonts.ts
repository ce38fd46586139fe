// Each font is cut into slices by code point. A text loads the slices that hold its characters; the PDF embeds only the glyphs it shows.

/** Reads a static file, by its path below the assets folder. */
export type ReadAsset = (path: string) => Promise<ArrayBuffer>

export interface Slice {
  ascent: number
  descent: number
  box: number[]
  units: number
  /** By code point: the glyph id, and its width in thousandths of the font size. */
  glyphs: Map<number, { id: number; width: number }>
  font: Uint8Array
}
export type Order = 'text' | 'ja' | 'mono'

// The files never change while an isolate lives. Values are cached, not promises: one request must not await another's I/O.
const maps = new Map<string, DataView>()
const slices = new Map<number, Slice>()
const maxCachedSlices = 40
const maxConnections = 6

/** The loaded slices, found by character. */
export interface Fonts {
  find(code: number, order: Order): { index: number; slice: Slice } | undefined
  slice(index: number): Slice
}

/** Loads the slices for the wanted characters of each order. */
export async function loadFonts(readAsset: ReadAsset, wanted: ReadonlyMap<Order, ReadonlySet<number>>): Promise<Fonts> {
  const places = new Map<string, number>()
  for (const [order, codes] of wanted) {
    for (const code of codes) {
      const plane = code >> 16
      if (plane > 2) continue
      const map = await readMap(readAsset, `${order}-${plane}`)
      const index = map.getUint16((code & 0xffff) * 2, true)
      if (index > 0) places.set(`${order} ${code}`, index)
    }
  }
  const loaded = await readSlices(readAsset, [...new Set(places.values())])
  const sliceAt = (index: number) => loaded.get(index) as Slice
  return {
    find(code, order) {
      const index = places.get(`${order} ${code}`)
      return index === undefined ? undefined : { index, slice: sliceAt(index) }
    },
    slice: sliceAt,
  }
}

async function readMap(readAsset: ReadAsset, name: string): Promise<DataView> {
  const cached = maps.get(name)
  if (cached) return cached
  const map = new DataView(await readAsset(`fonts/${name}.map`))
  maps.set(name, map)
  return map
}

async function readSlices(readAsset: ReadAsset, wanted: number[]): Promise<Map<number, Slice>> {
  const loaded = new Map<number, Slice>()
  const remaining = [...wanted]
  const loadNext = async () => {
    for (let index = remaining.pop(); index !== undefined; index = remaining.pop()) loaded.set(index, await readSlice(readAsset, index))
  }
  await Promise.all(Array.from({ length: maxConnections }, loadNext))
  return loaded
}

async function readSlice(readAsset: ReadAsset, index: number): Promise<Slice> {
  const cached = slices.get(index)
  if (cached) return cached
  const slice = parseSlice(await readAsset(`fonts/${index}.font`))
  if (slices.size >= maxCachedSlices) slices.delete(slices.keys().next().value ?? 0)
  slices.set(index, slice)
  return slice
}

function parseSlice(bytes: ArrayBuffer): Slice {
  const length = new DataView(bytes).getUint32(0)
  const about = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, length)))
  const glyphs: Slice['glyphs'] = new Map()
  for (let n = 0; n < about.glyphs.length; n += 3) glyphs.set(about.glyphs[n], { id: about.glyphs[n + 1], width: about.glyphs[n + 2] })
  return { ...about, glyphs, font: new Uint8Array(bytes, 4 + length) }
}
