import { concatBytes } from '#rules/text/bytes.ts'
import { addComposites, buildComposite, type Composite } from './font-composites.ts'
import type { FontSlice } from './fonts.ts'
import type { Glyph } from './glyph.ts'

// Reads and shortens TrueType fonts. The table names, offsets and flags are those of the OpenType
// specification.

interface FontTable {
  tag: string
  data: Uint8Array
}

/** `head.indexToLocFormat`: whether the offsets in `loca` have 2 bytes (0) or 4 bytes (1). */
const locaFormatOffset = 50
/** An outline begins with its number of contours and its bounding box. */
const outlineHeaderSize = 10

/** Only HarfBuzz reads them, before the PDF is written. */
const shapingTables = new Set(['GDEF', 'GPOS', 'GSUB', 'cmap'])

/**
 * Return the font with only the outlines of these glyphs, and the id of each. The ids of the font do not
 * change. A glyph that is put together from parts becomes a new glyph of the font.
 */
export function subsetFont(
  { font }: FontSlice,
  glyphs: readonly Pick<Glyph, 'id' | 'parts'>[],
): { font: Uint8Array; glyphIds: number[] } {
  const tables = readTables(font)
  const head = new Uint8Array(getTable(tables, 'head'))
  const glyf = getTable(tables, 'glyf')
  const offsets = readGlyphOffsets(getTable(tables, 'loca'), toDataView(head).getInt16(locaFormatOffset))
  const glyphCount = offsets.length - 1
  const composites: Composite[] = []
  const glyphIds = glyphs.map(
    ({ id, parts }) => id ?? glyphCount + composites.push(createComposite(glyf, offsets, parts)) - 1,
  )
  const usedIds = addComponents(glyf, offsets, [
    ...glyphs.flatMap(({ id }) => id ?? []),
    ...composites.flatMap(({ ids }) => ids),
  ])
  const outlines = Array.from({ length: glyphCount }, (_, id) =>
    usedIds.has(id) ? glyf.subarray(offsets[id], offsets[id + 1]) : noOutline,
  )
  for (const { outline } of composites) outlines.push(outline)
  const loca = new Uint8Array((outlines.length + 1) * 4)
  let size = 0
  for (const [id, outline] of outlines.entries()) {
    size += outline.length
    toDataView(loca).setUint32((id + 1) * 4, size)
  }
  toDataView(head).setInt16(locaFormatOffset, 1)
  const metrics = addComposites(getTable(tables, 'maxp'), getTable(tables, 'hmtx'), composites)
  const newTables: Record<string, Uint8Array> = { head, loca, glyf: concatBytes(outlines), ...metrics }
  const pdfTables = tables.filter(({ tag }) => !shapingTables.has(tag))
  return {
    font: serializeFont(pdfTables.map(({ tag, data }) => ({ tag, data: newTables[tag] ?? data }))),
    glyphIds,
  }
}

const noOutline = new Uint8Array()

function createComposite(glyf: Uint8Array, offsets: readonly number[], parts: Glyph['parts']): Composite {
  const placedParts = parts.flatMap((part) => {
    const outline = getOutline(glyf, offsets, part.id)
    return outline ? [{ ...part, box: [2, 4, 6, 8].map((offset) => outline.getInt16(offset)) }] : []
  })
  return buildComposite(placedParts)
}

/** Return the leftmost and the rightmost point of a glyph, in thousandths of the font size. */
export function getGlyphExtent({ font, units }: FontSlice, glyphId: number): [left: number, right: number] {
  const tables = readTables(font)
  const offsets = readGlyphOffsets(
    getTable(tables, 'loca'),
    toDataView(getTable(tables, 'head')).getInt16(locaFormatOffset),
  )
  const outline = getOutline(getTable(tables, 'glyf'), offsets, glyphId)
  if (!outline) return [0, 0]
  return [(outline.getInt16(2) * 1000) / units, (outline.getInt16(6) * 1000) / units]
}

export function toDataView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function readTables(font: Uint8Array): FontTable[] {
  const view = toDataView(font)
  return Array.from({ length: view.getUint16(4) }, (_, index) => {
    const entry = 12 + index * 16
    const offset = view.getUint32(entry + 8)
    const length = view.getUint32(entry + 12)
    return {
      tag: String.fromCharCode(...font.subarray(entry, entry + 4)),
      data: font.subarray(offset, offset + length),
    }
  })
}

export function getTable(tables: readonly FontTable[], tag: string): Uint8Array {
  return tables.find((table) => table.tag === tag)?.data ?? new Uint8Array(64)
}

export function readGlyphOffsets(loca: Uint8Array, locaFormat: number): number[] {
  const view = toDataView(loca)
  const isLong = locaFormat !== 0
  const entrySize = isLong ? 4 : 2
  // Short offsets are stored divided by 2.
  return Array.from({ length: Math.floor(loca.length / entrySize) }, (_, index) =>
    isLong ? view.getUint32(index * 4) : view.getUint16(index * 2) * 2,
  )
}

/** Return undefined for a glyph without an outline, such as a space. */
export function getOutline(
  glyf: Uint8Array,
  offsets: readonly number[],
  glyphId: number,
): DataView | undefined {
  const start = offsets[glyphId] ?? 0
  const end = offsets[glyphId + 1] ?? 0
  return end - start < outlineHeaderSize ? undefined : toDataView(glyf.subarray(start, end))
}

/** Return the ids of these glyphs, of glyph 0, and of all glyphs that they are composed of. */
function addComponents(
  glyf: Uint8Array,
  offsets: readonly number[],
  glyphIds: Iterable<number>,
): Set<number> {
  const usedIds = new Set([0])
  const pendingIds = [...glyphIds]
  for (let id = pendingIds.pop(); id !== undefined; id = pendingIds.pop()) {
    if (usedIds.has(id)) continue
    usedIds.add(id)
    const outline = getOutline(glyf, offsets, id)
    if (outline) pendingIds.push(...readComponentIds(outline))
  }
  return usedIds
}

/** The flags of a component in a composite glyph. */
const argumentsAreWords = 0x01
const hasScale = 0x08
const hasMoreComponents = 0x20
const hasScaleXAndY = 0x40
const hasTwoByTwoMatrix = 0x80

/** Return the glyphs that a composite glyph consists of; none for a simple glyph. */
function readComponentIds(outline: DataView): number[] {
  const isSimple = outline.getInt16(0) >= 0
  if (isSimple) return []
  const ids: number[] = []
  let offset = outlineHeaderSize
  let flags: number
  do {
    flags = outline.getUint16(offset)
    ids.push(outline.getUint16(offset + 2))
    offset += 4 + (flags & argumentsAreWords ? 4 : 2) + getTransformSize(flags)
  } while (flags & hasMoreComponents)
  return ids
}

function getTransformSize(flags: number): number {
  if (flags & hasScale) return 2
  if (flags & hasScaleXAndY) return 4
  return flags & hasTwoByTwoMatrix ? 8 : 0
}

/** Tables are aligned to 4 bytes. Checksums are left out, because PDF readers do not check them. */
function serializeFont(tables: readonly FontTable[]): Uint8Array {
  const paddedSizes = tables.map(({ data }) => (data.length + 3) & ~3)
  const directorySize = 12 + tables.length * 16
  const font = new Uint8Array(paddedSizes.reduce((sum, size) => sum + size, directorySize))
  const view = toDataView(font)
  view.setUint32(0, 0x10000)
  view.setUint16(4, tables.length)
  let offset = directorySize
  for (const [index, { tag, data }] of tables.entries()) {
    const entry = 12 + index * 16
    for (let char = 0; char < 4; char++) font[entry + char] = tag.charCodeAt(char)
    view.setUint32(entry + 8, offset)
    view.setUint32(entry + 12, data.length)
    font.set(data, offset)
    offset += paddedSizes[index] ?? 0
  }
  return font
}
