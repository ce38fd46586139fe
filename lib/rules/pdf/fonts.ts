import type { ShapedWord, TextKind } from './glyph.ts'
import { createShaper, type Shaper } from './harfbuzz.ts'

// Each font is cut into slices by code point. A text loads the slices that have its characters; the PDF
// embeds only the glyphs it shows.

/** The static files that fonts need. */
export interface FontAssets {
  /** Read a static file by its path below the assets folder. */
  read(path: string): Promise<ArrayBuffer>
  /** Return `harfbuzz.wasm`, compiled. */
  loadHarfBuzz(): Promise<WebAssembly.Module>
}

export interface FontSlice {
  ascent: number
  descent: number
  /** The bounding box of all glyphs. */
  box: number[]
  /** Font units per font size. */
  units: number
  /** By code point: the glyph id, and its width in thousandths of the font size. */
  glyphs: Map<number, { id: number; width: number }>
  /** Whether the letters of its script change with their neighbours. The font then has rules for HarfBuzz. */
  isComplex: boolean
  /** A TrueType font. */
  font: Uint8Array
}

// The files never change while a process runs. Values are cached, not promises: in Workers a request must not
// await another one's I/O.
const cachedMaps = new Map<string, DataView>()
const cachedSlices = new Map<number, FontSlice>()
const maxCachedSlices = 40
/** Workers allow six open connections per request. */
const maxConnections = 6
/** Planes 0 to 2 contain all characters of the fonts. */
const lastPlane = 2

/** The loaded slices. */
export interface Fonts {
  /** Shapes texts in complex slices. */
  shaper: Shaper
  /** The words that were shaped already, by font, direction and text. */
  shapedWords: Map<string, ShapedWord>
  /** Return the slice with this character, or undefined if no font has it. */
  find(code: number, kind: TextKind): { index: number; slice: FontSlice } | undefined
  getSlice(index: number): FontSlice
}

/** Load the slices with these code points. */
export async function loadFonts(
  assets: FontAssets,
  codesByKind: ReadonlyMap<TextKind, ReadonlySet<number>>,
): Promise<Fonts> {
  const sliceIndexes = new Map<string, number>()
  for (const [kind, codes] of codesByKind) {
    for (const code of codes) {
      const plane = code >> 16
      if (plane > lastPlane) continue
      const map = await readMap(assets, `${kind}-${plane}`)
      const index = map.getUint16((code & 0xffff) * 2, true)
      if (index > 0) sliceIndexes.set(`${kind} ${code}`, index)
    }
  }
  const slices = await readSlices(assets, [...new Set(sliceIndexes.values())])
  const getSlice = (index: number) => slices.get(index) as FontSlice
  const isAnyComplex = [...slices.values()].some(({ isComplex }) => isComplex)
  const shaper = isAnyComplex ? createShaper(await assets.loadHarfBuzz()) : noShaper
  return {
    shaper,
    shapedWords: new Map(),
    find(code, kind) {
      const index = sliceIndexes.get(`${kind} ${code}`)
      return index === undefined ? undefined : { index, slice: getSlice(index) }
    },
    getSlice,
  }
}

/** Without a complex slice, nothing is shaped. */
const noShaper: Shaper = { shape: () => [] }

async function readMap(assets: FontAssets, name: string): Promise<DataView> {
  const cachedMap = cachedMaps.get(name)
  if (cachedMap) return cachedMap
  const map = new DataView(await assets.read(`fonts/${name}.map`))
  cachedMaps.set(name, map)
  return map
}

async function readSlices(assets: FontAssets, indexes: readonly number[]): Promise<Map<number, FontSlice>> {
  const slices = new Map<number, FontSlice>()
  const pendingIndexes = [...indexes]
  const readPending = async () => {
    for (let index = pendingIndexes.pop(); index !== undefined; index = pendingIndexes.pop())
      slices.set(index, await readSlice(assets, index))
  }
  await Promise.all(Array.from({ length: maxConnections }, readPending))
  return slices
}

async function readSlice(assets: FontAssets, index: number): Promise<FontSlice> {
  const cachedSlice = cachedSlices.get(index)
  if (cachedSlice) return cachedSlice
  const slice = parseSlice(await assets.read(`fonts/${index}.font`))
  const oldestIndex = cachedSlices.keys().next().value
  if (cachedSlices.size >= maxCachedSlices && oldestIndex !== undefined) cachedSlices.delete(oldestIndex)
  cachedSlices.set(index, slice)
  return slice
}

/**
 * Parse a font file of `lib/local/build/fonts.ts`: four bytes with the length of a JSON text, that text, and
 * the font.
 */
function parseSlice(bytes: ArrayBuffer): FontSlice {
  const jsonLength = new DataView(bytes).getUint32(0)
  const metadata = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, jsonLength)))
  const glyphs: FontSlice['glyphs'] = new Map()
  // A flat list of code point, glyph id and width.
  for (let n = 0; n < metadata.glyphs.length; n += 3)
    glyphs.set(metadata.glyphs[n], { id: metadata.glyphs[n + 1], width: metadata.glyphs[n + 2] })
  return { ...metadata, glyphs, font: new Uint8Array(bytes, 4 + jsonLength) }
}
