import { concatBytes } from '#rules/text/bytes.ts'
import type { GlyphPart } from './glyph.ts'

// Writes new glyphs of a TrueType font that are put together from others:
// https://learn.microsoft.com/typography/opentype/spec/glyf

export interface Composite {
  /** The glyphs that it is put together from. */
  ids: number[]
  outline: Uint8Array
  /** Its leftmost point, in font units. */
  left: number
}

/** A part with the bounding box of its glyph: left, bottom, right, top. */
interface PlacedPart extends GlyphPart {
  box: number[]
}

const headerSize = 10
const componentSize = 8
/** The arguments of a component are two offsets of two bytes each. */
const wordOffsets = 0x03
const moreComponents = 0x20
const maxInt16 = 0x7fff

export function buildComposite(parts: readonly PlacedPart[]): Composite {
  if (parts.length === 0) return { ids: [], outline: new Uint8Array(), left: 0 }
  const outline = new Uint8Array(headerSize + parts.length * componentSize)
  const view = new DataView(outline.buffer)
  const edges = (side: number) => parts.map(({ x, y, box }) => (box[side] ?? 0) + (side % 2 === 0 ? x : y))
  const [left, bottom, right, top] = [
    Math.min(...edges(0)),
    Math.min(...edges(1)),
    Math.max(...edges(2)),
    Math.max(...edges(3)),
  ]
  for (const [index, value] of [-1, left, bottom, right, top].entries())
    view.setInt16(index * 2, limit(value))
  for (const [index, { id, x, y }] of parts.entries()) {
    const offset = headerSize + index * componentSize
    view.setUint16(offset, wordOffsets | (index < parts.length - 1 ? moreComponents : 0))
    view.setUint16(offset + 2, id)
    view.setInt16(offset + 4, limit(x))
    view.setInt16(offset + 6, limit(y))
  }
  return { ids: parts.map(({ id }) => id), outline, left: limit(left) }
}

function limit(value: number): number {
  return Math.max(-maxInt16, Math.min(maxInt16, value))
}

/** The offsets of `numGlyphs`, `maxComponentElements` and `maxComponentDepth` in `maxp`. */
const [glyphCountOffset, componentsOffset, depthOffset] = [4, 28, 30]

/**
 * Add the composites to the tables that count and measure all glyphs. The left side bearing of a composite is
 * its leftmost point.
 */
export function addComposites(
  maxp: Uint8Array,
  hmtx: Uint8Array,
  composites: readonly Composite[],
): { maxp: Uint8Array; hmtx: Uint8Array } {
  if (composites.length === 0) return { maxp, hmtx }
  const newMaxp = new Uint8Array(maxp)
  const view = new DataView(newMaxp.buffer)
  view.setUint16(glyphCountOffset, view.getUint16(glyphCountOffset) + composites.length)
  view.setUint16(
    componentsOffset,
    Math.max(view.getUint16(componentsOffset), ...composites.map(({ ids }) => ids.length)),
  )
  view.setUint16(depthOffset, view.getUint16(depthOffset) + 1)
  const bearings = new Uint8Array(composites.length * 2)
  for (const [index, { left }] of composites.entries())
    new DataView(bearings.buffer).setInt16(index * 2, left)
  return { maxp: newMaxp, hmtx: concatBytes([hmtx, bearings]) }
}
