import { getOutline, getTable, readGlyphOffsets, readTables, toDataView } from './font-subset.ts'
import type { FontSlice } from './fonts.ts'

// Reads the outlines of TrueType glyphs: https://learn.microsoft.com/typography/opentype/spec/glyf

interface OutlinePoint {
  x: number
  y: number
  isOnCurve: boolean
}

/** The closed contours of a glyph, in font units. Between two points beside the curve is one on it. */
export type GlyphContours = readonly (readonly OutlinePoint[])[]

interface Outlines {
  glyf: Uint8Array
  offsets: readonly number[]
  contoursById: Map<number, GlyphContours>
}

const outlinesBySlice = new WeakMap<FontSlice, Outlines>()
/** `head.indexToLocFormat`. */
const locaFormatOffset = 50
const headerSize = 10
/** Of composite glyphs. */
const maxDepth = 5

/** Return the outline of a glyph. A space has no contours. */
export function readContours(slice: FontSlice, glyphId: number): GlyphContours {
  const outlines = outlinesBySlice.get(slice) ?? openOutlines(slice)
  outlinesBySlice.set(slice, outlines)
  const contours = outlines.contoursById.get(glyphId) ?? parseGlyph(outlines, glyphId, maxDepth)
  outlines.contoursById.set(glyphId, contours)
  return contours
}

function openOutlines({ font }: FontSlice): Outlines {
  const tables = readTables(font)
  const locaFormat = toDataView(getTable(tables, 'head')).getInt16(locaFormatOffset)
  return {
    glyf: getTable(tables, 'glyf'),
    offsets: readGlyphOffsets(getTable(tables, 'loca'), locaFormat),
    contoursById: new Map(),
  }
}

function parseGlyph(outlines: Outlines, glyphId: number, depth: number): GlyphContours {
  const view = getOutline(outlines.glyf, outlines.offsets, glyphId)
  if (!view || depth === 0) return []
  const contourCount = view.getInt16(0)
  return contourCount >= 0 ? parseSimpleGlyph(view, contourCount) : parseComposite(outlines, view, depth)
}

/**
 * The flags of a point. The second bit of each pair says whether a short distance is positive, or a long one
 * is 0.
 */
const [onCurve, repeat] = [0x01, 0x08]
const horizontal = { short: 0x02, sameOrPositive: 0x10 }
const vertical = { short: 0x04, sameOrPositive: 0x20 }

function parseSimpleGlyph(view: DataView, contourCount: number): GlyphContours {
  const ends = Array.from({ length: contourCount }, (_, index) => view.getUint16(headerSize + index * 2))
  const pointCount = (ends.at(-1) ?? -1) + 1
  let offset = headerSize + contourCount * 2
  offset += 2 + view.getUint16(offset)
  const flags: number[] = []
  while (flags.length < pointCount) {
    const flag = view.getUint8(offset++)
    const count = flag & repeat ? view.getUint8(offset++) + 1 : 1
    for (let index = 0; index < count; index++) flags.push(flag)
  }
  const readCoordinates = ({ short, sameOrPositive }: typeof horizontal): number[] => {
    let coordinate = 0
    return flags.slice(0, pointCount).map((flag) => {
      if (flag & short)
        coordinate += flag & sameOrPositive ? view.getUint8(offset++) : -view.getUint8(offset++)
      else if (!(flag & sameOrPositive)) {
        coordinate += view.getInt16(offset)
        offset += 2
      }
      return coordinate
    })
  }
  const [xs, ys] = [readCoordinates(horizontal), readCoordinates(vertical)]
  const points = xs.map((x, index) => ({
    x,
    y: ys[index] as number,
    isOnCurve: ((flags[index] as number) & onCurve) !== 0,
  }))
  return ends.map((end, index) => points.slice(index === 0 ? 0 : (ends[index - 1] as number) + 1, end + 1))
}

const [argumentsAreWords, argumentsAreOffsets, hasScale, hasMoreComponents, hasScaleXAndY, hasMatrix] = [
  0x01, 0x02, 0x08, 0x20, 0x40, 0x80,
]

function parseComposite(outlines: Outlines, view: DataView, depth: number): GlyphContours {
  const contours: GlyphContours[] = []
  let offset = headerSize
  let flags: number
  // A number with 14 binary places.
  const readScale = () => {
    offset += 2
    return view.getInt16(offset - 2) / 0x4000
  }
  do {
    flags = view.getUint16(offset)
    const glyphId = view.getUint16(offset + 2)
    const isWide = (flags & argumentsAreWords) !== 0
    const [dx, dy] = isWide
      ? [view.getInt16(offset + 4), view.getInt16(offset + 6)]
      : [view.getInt8(offset + 4), view.getInt8(offset + 5)]
    offset += isWide ? 8 : 6
    const matrix = [1, 0, 0, 1]
    if (flags & hasScale) matrix[0] = matrix[3] = readScale()
    else if (flags & hasScaleXAndY) [matrix[0], matrix[3]] = [readScale(), readScale()]
    else if (flags & hasMatrix) for (let index = 0; index < 4; index++) matrix[index] = readScale()
    const [a = 1, b = 0, c = 0, d = 1] = matrix
    // Otherwise the arguments are numbers of points, which the fonts do not use.
    const [moveX, moveY] = flags & argumentsAreOffsets ? [dx, dy] : [0, 0]
    const move = ({ x, y, isOnCurve }: OutlinePoint) => ({
      x: a * x + c * y + moveX,
      y: b * x + d * y + moveY,
      isOnCurve,
    })
    contours.push(parseGlyph(outlines, glyphId, depth - 1).map((contour) => contour.map(move)))
  } while (flags & hasMoreComponents)
  return contours.flat()
}

/**
 * Return the contours as the data of an SVG path. The origin of the glyph is at (x, y), and y grows
 * downwards.
 */
export function writePath(contours: GlyphContours, x: number, y: number, scale: number): string {
  const format = (point: { x: number; y: number }) =>
    `${toDecimals(x + point.x * scale)} ${toDecimals(y - point.y * scale)}`
  return contours
    .map((contour) => {
      const first = contour.findIndex(({ isOnCurve }) => isOnCurve)
      // Without a point on the curve, it starts between the first two.
      const points =
        first < 0
          ? [getMiddle(contour.at(-1), contour[0]), ...contour]
          : [...contour.slice(first), ...contour.slice(0, first)]
      const [start, ...others] = points
      if (!start) return ''
      let path = `M${format(start)}`
      let control: OutlinePoint | undefined
      for (const point of [...others, start]) {
        if (!point.isOnCurve && control) path += `Q${format(control)} ${format(getMiddle(control, point))}`
        else if (point.isOnCurve)
          path += control ? `Q${format(control)} ${format(point)}` : `L${format(point)}`
        control = point.isOnCurve ? undefined : point
      }
      return `${path}Z`
    })
    .join('')
}

const toDecimals = (value: number) => Math.round(value * 100) / 100

function getMiddle(a: OutlinePoint | undefined, b: OutlinePoint | undefined): OutlinePoint {
  return { x: ((a?.x ?? 0) + (b?.x ?? 0)) / 2, y: ((a?.y ?? 0) + (b?.y ?? 0)) / 2, isOnCurve: true }
}
