import type { PdfDocument } from '#rules/pdf/document.ts'
import type { FontSlice, Fonts } from '#rules/pdf/fonts.ts'
import type { ShapedGlyph } from '#rules/pdf/harfbuzz.ts'

/**
 * Build the outline of a glyph: the number of contours, its bounding box (left, bottom, right, top) and what
 * follows.
 */
export function buildOutline(
  contours: number,
  box: readonly number[],
  rest: readonly number[] = [0],
): Uint8Array {
  const view = new DataView(new ArrayBuffer(10 + rest.length * 2))
  for (const [index, value] of [contours, ...box].entries()) view.setInt16(index * 2, value)
  for (const [index, value] of rest.entries()) view.setUint16(10 + index * 2, value)
  return new Uint8Array(view.buffer)
}

/** Build a TrueType font from its tables. */
export function buildFont(tables: Record<string, Uint8Array>): Uint8Array {
  const entries = Object.entries(tables)
  const directory = Buffer.alloc(12 + entries.length * 16)
  directory.writeUInt16BE(entries.length, 4)
  let offset = directory.length
  for (const [index, [tag, data]] of entries.entries()) {
    directory.write(tag, 12 + index * 16, 'latin1')
    directory.writeUInt32BE(offset, 12 + index * 16 + 8)
    directory.writeUInt32BE(data.length, 12 + index * 16 + 12)
    offset += data.length
  }
  return new Uint8Array(Buffer.concat([directory, ...entries.map(([, data]) => data)]))
}

/** Build the tables that describe outlines. Offsets have 2 bytes, or 4 bytes if `isLong`. */
export function buildGlyphTables(
  outlines: readonly Uint8Array[],
  isLong = true,
): Record<'head' | 'loca' | 'glyf', Uint8Array> {
  const head = new Uint8Array(54)
  head[51] = isLong ? 1 : 0
  const loca = Buffer.alloc((outlines.length + 1) * (isLong ? 4 : 2))
  let size = 0
  for (const [index, { length }] of outlines.entries()) {
    size += length
    if (isLong) loca.writeUInt32BE(size, (index + 1) * 4)
    else loca.writeUInt16BE(size / 2, (index + 1) * 2)
  }
  return { head, loca: new Uint8Array(loca), glyf: new Uint8Array(Buffer.concat(outlines)) }
}

const missingSquare = 0x25a1

function createSlice(characters: string, width: number, options: Partial<FontSlice> = {}): FontSlice {
  const glyphs: FontSlice['glyphs'] = new Map(
    [...characters].map((character, id) => [character.codePointAt(0) ?? 0, { id, width }]),
  )
  return {
    ascent: 800,
    descent: -200,
    box: [0, -200, 1000, 800],
    units: 1000,
    glyphs,
    isComplex: false,
    font: new Uint8Array(),
    ...options,
  }
}

const printable = String.fromCharCode(...Array.from({ length: 95 }, (_, n) => 32 + n))

/**
 * The width of every character of slice 1 and 2, in thousandths of the font size. Those of slice 3 and 4 are
 * 400 and 600 wide.
 */
export const stubWidth = 500

/**
 * Create fonts. Slice 1 has ASCII, the square for missing characters and an acute accent, slice 2 has Hebrew
 * letters, slice 3 ideographs, Thai letters and a space. Slice 4 has Devanagari and Arabic letters, whose
 * glyphs `shape` chooses.
 */
export function createStubFonts(
  shape: (text: string, isRightToLeft: boolean) => ShapedGlyph[] = () => [],
): Fonts {
  const font = buildFont(
    buildGlyphTables(Array.from({ length: 97 }, () => buildOutline(1, [-50, 0, 150, 100]))),
  )
  const slices = [
    createSlice(`${printable}${String.fromCodePoint(missingSquare)}\u0301`, stubWidth, { font }),
    createSlice('אבגדהו', stubWidth),
    createSlice('漢字。กขค ', 400),
    createSlice('कखग\u093fسل\u064b', 600, { isComplex: true, units: 2000 }),
  ]
  const getSlice = (index: number) => slices[index - 1] as FontSlice
  return {
    shaper: { shape: (_key, _font, text, isRightToLeft) => shape(text, isRightToLeft) },
    shapedWords: new Map(),
    find(code) {
      const index = slices.findIndex(({ glyphs }) => glyphs.has(code)) + 1
      return index > 0 ? { index, slice: getSlice(index) } : undefined
    },
    getSlice,
  }
}

/** Return what is drawn on each page, without what it belongs to. */
export function listOperators({ pages }: PdfDocument): string[][] {
  return pages.map((page) => page.map(({ operators }) => operators))
}
