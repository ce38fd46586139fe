import { getGlyphExtent } from './font-subset.ts'
import type { Fonts, TextKind } from './fonts.ts'
import type { ShapedGlyph } from './harfbuzz.ts'
import { getLineBreak } from './line-breaks.ts'

// Finds the glyphs of characters. Scripts whose letters change with their neighbours are shaped by HarfBuzz; all others have one glyph per
// character, which takes a tenth of the time.

/** How a part of a text looks. */
export interface RunStyle {
  bold?: boolean
  italic?: boolean
  /** By default that of the text around it. */
  kind?: TextKind
  /** `r g b`, each from 0 to 1; by default that of the text around it. */
  colour?: string
}

/** A glyph of a line. Its width and position are in thousandths of the font size. */
export interface Glyph {
  /** The characters it stands for. */
  text: string
  /** The number of UTF-16 units of the source that it stands for. */
  sourceLength: number
  /** The index of the font slice. */
  font: number
  id: number
  width: number
  /** The embedding level of the Unicode bidirectional algorithm. Odd levels run from right to left. */
  level: number
  /** The distance from the left end of the line. */
  x: number
  /** The distance from the place where the previous glyph ends. */
  dx: number
  /** The distance above the baseline. */
  y: number
  /** Whether the line may end here: at a space, which is then not shown, or after the glyph. */
  lineBreak: 'space' | 'after' | null
  /** Whether it belongs to the same letter as the glyph before it. */
  joinsPrevious: boolean
  /** Whether it is a mark that is centred over its letter, because its position is not known. */
  isMark: boolean
  style: RunStyle
}

/** Shown for a character that no font has: a white square. */
export const missingCharacter = 0x25a1
/** The width of a character without a glyph, so that readers of the PDF can still select it. */
const invisibleWidth = 40
const startsWithMark = /^\p{M}/u
/** Zero width non-joiner and joiner. */
const joiner = /^[\u200c\u200d]/
/** The text of a glyph whose letter another glyph already stands for. Readers of the PDF drop it. */
const noText = '\u200c'

export function isInvisible(character: string): boolean {
  return joiner.test(character)
}

interface Character {
  text: string
  /** The code point to show; a mirrored bracket differs from its text. */
  code: number
  level: number
  style: RunStyle & { kind: TextKind }
}

/** Create the glyph of a character that needs no shaping. */
export function createGlyph(fonts: Fonts, { text, code, level, style }: Character, previous: Glyph | undefined): Glyph {
  const isMark = startsWithMark.test(text)
  const lineBreak = getLineBreak(text)
  const common = { text, sourceLength: text.length, level, style, x: 0, dx: 0, y: 0, lineBreak, joinsPrevious: isMark, isMark }
  // A space, a mark or an invisible character uses the font of the previous glyph if possible. The run of that font is then not interrupted.
  if (previous && (lineBreak === 'space' || isMark || isInvisible(text))) {
    const glyph = fonts.getSlice(previous.font).glyphs.get(isInvisible(text) ? 0x20 : code)
    const width = isMark ? 0 : isInvisible(text) ? invisibleWidth : glyph?.width
    if (glyph && width !== undefined) return { ...common, font: previous.font, id: glyph.id, width }
  }
  const originalCode = text.codePointAt(0) ?? 0
  const match = fonts.find(code, style.kind) ?? fonts.find(originalCode, style.kind)
  const glyph = match?.slice.glyphs.get(code) ?? match?.slice.glyphs.get(originalCode)
  if (match && glyph) return { ...common, font: match.index, id: glyph.id, width: isMark ? 0 : glyph.width }
  const fallback = fonts.find(missingCharacter, style.kind) as NonNullable<ReturnType<Fonts['find']>>
  const { id, width } = fallback.slice.glyphs.get(missingCharacter) as { id: number; width: number }
  const square = { joinsPrevious: false, isMark: false, text: String.fromCodePoint(missingCharacter) }
  return { ...common, ...square, font: fallback.index, id, width }
}

/** Return the glyphs of a text in one font, in reading order. */
export function shapeGlyphs(fonts: Fonts, font: number, text: string, level: number, style: RunStyle): Glyph[] {
  const slice = fonts.getSlice(font)
  const isRightToLeft = (level & 1) === 1
  const shaped = fonts.shaper.shape(font, slice.font, text, isRightToLeft)
  if (isRightToLeft) shaped.reverse()
  const toThousandths = (value: number) => (value * 1000) / slice.units
  const texts = distributeText(shaped, text)
  return shaped.map(({ id, cluster, advance, dx, dy }, index) => ({
    text: texts[index] || noText,
    sourceLength: texts[index]?.length ?? 0,
    ...{ font, id, level, style, x: 0, lineBreak: null, isMark: false },
    width: toThousandths(advance),
    dx: toThousandths(dx),
    y: toThousandths(dy),
    joinsPrevious: shaped[index - 1]?.cluster === cluster,
  }))
}

/**
 * Return the text that each glyph stands for, so that all of them together are the text in reading order. The glyphs of a letter may stand
 * in another order than its characters, so each takes one character, and the last one takes the rest.
 */
function distributeText(shaped: readonly ShapedGlyph[], text: string): string[] {
  const texts: string[] = []
  for (let start = 0; start < shaped.length; ) {
    const cluster = shaped[start]?.cluster ?? 0
    let end = start + 1
    while (shaped[end]?.cluster === cluster) end++
    const characters = Array.from(text.slice(cluster, shaped[end]?.cluster ?? text.length))
    for (let index = start; index < end - 1; index++) texts.push(characters.shift() ?? '')
    texts.push(characters.join(''))
    start = end
  }
  return texts
}

/** Larger distances would make readers of the PDF take the mark for the start of another text. */
const maxMarkOffset = 180

/** Move each mark to the middle of its base character, unless HarfBuzz has positioned it. */
export function centreMarks(fonts: Fonts, glyphs: readonly Glyph[]): void {
  let base: Glyph | undefined
  for (const glyph of glyphs) {
    if (!glyph.isMark) base = glyph
    else if (base) {
      const [left, right] = getGlyphExtent(fonts.getSlice(glyph.font), glyph.id)
      const offset = (base.width - left - right) / 2
      glyph.x = base.x + Math.max(-maxMarkOffset, Math.min(maxMarkOffset, offset))
    }
  }
}
