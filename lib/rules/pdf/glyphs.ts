import { getGlyphExtent } from './font-subset.ts'
import type { Fonts } from './fonts.ts'
import type { Glyph, GlyphPart, RunStyle, ShapedWord, TextKind } from './glyph.ts'
import type { ShapedGlyph } from './harfbuzz.ts'
import { getLineBreak } from './line-breaks.ts'

// Finds the glyphs of characters. Scripts whose letters change with their neighbours are shaped by HarfBuzz;
// all others have one glyph per character, which takes a tenth of the time.

/** Shown for a character that no font has: a white square. */
export const missingCharacter = 0x25a1
/** The width of a character without a glyph, so that readers of the PDF can still select it. */
const invisibleWidth = 40
const maxSpaceWidth = 300
const startsWithMark = /^\p{M}/u
/** Zero width non-joiner and joiner. */
const joiner = /^[\u200c\u200d]/

export function isInvisible(character: string): boolean {
  return joiner.test(character)
}

/**
 * Larger distances back to the letter would make readers of the PDF take the mark for the start of another
 * text.
 */
const maxMarkOffset = 180

function limitOffset(offset: number): number {
  return Math.max(-maxMarkOffset, Math.min(maxMarkOffset, offset))
}

interface Character {
  text: string
  /** The code point to show; a mirrored bracket differs from its text. */
  code: number
  level: number
  style: RunStyle & { kind: TextKind }
}

/** Create the glyph of a character that needs no shaping. */
export function createGlyph(
  fonts: Fonts,
  { text, code, level, style }: Character,
  previous: Glyph | undefined,
): Glyph {
  const isMark = startsWithMark.test(text)
  const lineBreak = getLineBreak(text)
  const common = { text, sourceLength: text.length, level, style, x: 0, parts: [], lineBreak, isMark }
  // A space, a mark or an invisible character uses the font of the previous glyph if possible. The run of
  // that font is then not interrupted.
  if (previous && (lineBreak === 'space' || isMark || isInvisible(text))) {
    const glyph = fonts.getSlice(previous.font).glyphs.get(isInvisible(text) ? 0x20 : code)
    // The space of a font of symbols is as wide as its symbols.
    const width = isMark
      ? 0
      : isInvisible(text)
        ? invisibleWidth
        : style.kind === 'mono'
          ? glyph?.width
          : Math.min(glyph?.width ?? 0, maxSpaceWidth)
    if (glyph && width !== undefined) return { ...common, font: previous.font, id: glyph.id, width }
  }
  const originalCode = text.codePointAt(0) ?? 0
  const match = fonts.find(code, style.kind) ?? fonts.find(originalCode, style.kind)
  const glyph = match?.slice.glyphs.get(code) ?? match?.slice.glyphs.get(originalCode)
  if (match && glyph) return { ...common, font: match.index, id: glyph.id, width: isMark ? 0 : glyph.width }
  const fallback = fonts.find(missingCharacter, style.kind) as NonNullable<ReturnType<Fonts['find']>>
  const { id, width } = fallback.slice.glyphs.get(missingCharacter) as { id: number; width: number }
  const square = { isMark: false, text: String.fromCodePoint(missingCharacter) }
  return { ...common, ...square, font: fallback.index, id, width }
}

/**
 * Return the glyphs of a text in one font, in reading order. Most words of a document occur more than once,
 * so they are shaped once.
 */
export function shapeGlyphs(
  fonts: Fonts,
  font: number,
  text: string,
  level: number,
  style: RunStyle,
): Glyph[] {
  const isRightToLeft = (level & 1) === 1
  const key = `${font} ${isRightToLeft} ${text}`
  let word = fonts.shapedWords.get(key)
  if (!word) {
    word = shapeWord(fonts, font, text, isRightToLeft)
    if (fonts.shapedWords.size < maxShapedWords) fonts.shapedWords.set(key, word)
  }
  return word.map((glyph) => ({ ...glyph, level, style }))
}

const maxShapedWords = 20_000

/**
 * Shape a text. A letter with its marks, or a syllable, is one glyph. Otherwise PDF viewers mix up the order
 * of its parts when text is copied.
 */
function shapeWord(fonts: Fonts, font: number, text: string, isRightToLeft: boolean): ShapedWord {
  const slice = fonts.getSlice(font)
  const clusters = groupByCluster(fonts.shaper.shape(font, slice.font, text, isRightToLeft))
  if (isRightToLeft) clusters.reverse()
  return clusters.flatMap((shaped, index) => {
    const clusterText = text.slice(shaped[0]?.cluster, clusters[index + 1]?.[0]?.cluster)
    const { parts, advance } = placeParts(shaped)
    const [first] = parts
    const isPlain = first && parts.length === 1 && first.x === 0 && first.y === 0
    const glyph: ShapedWord[number] = {
      text: clusterText,
      sourceLength: clusterText.length,
      font,
      x: 0,
      lineBreak: null,
      isMark: false,
      ...(isPlain ? { id: first.id, parts: [] } : { id: null, parts }),
      width: Math.round((advance * 1000) / slice.units),
    }
    return isRightToLeft ? splitText(glyph) : [glyph]
  })
}

/**
 * Leave a right-to-left glyph only its first character, and add an empty glyph for each further one. Readers
 * of the PDF reverse the characters of a line one by one, and those of one glyph too.
 */
function splitText(glyph: ShapedWord[number]): ShapedWord {
  const [first = '', ...marks] = glyph.text
  const empty = { id: null, parts: [], width: 0, isMark: true }
  return [
    { ...glyph, text: first, sourceLength: first.length },
    ...marks.map((text) => ({ ...glyph, ...empty, text, sourceLength: text.length })),
  ]
}

function groupByCluster(shaped: readonly ShapedGlyph[]): ShapedGlyph[][] {
  const clusters: ShapedGlyph[][] = []
  for (const glyph of shaped) {
    const last = clusters.at(-1)
    if (last?.[0]?.cluster === glyph.cluster) last.push(glyph)
    else clusters.push([glyph])
  }
  return clusters
}

/** More parts than any letter has. A text can have any number of marks on one letter. */
const maxParts = 32

function placeParts(shaped: readonly ShapedGlyph[]): { parts: GlyphPart[]; advance: number } {
  let advance = 0
  const parts = shaped.map((glyph) => {
    const x = advance + glyph.dx
    advance += glyph.advance
    return { id: glyph.id, x, y: glyph.dy }
  })
  return { parts: parts.slice(0, maxParts), advance }
}

/** Move each mark to the middle of its base character, unless HarfBuzz has positioned it. */
export function centreMarks(fonts: Fonts, glyphs: readonly Glyph[]): void {
  let base: Glyph | undefined
  for (const glyph of glyphs) {
    if (!glyph.isMark) base = glyph
    else if (base && glyph.id !== null) {
      const [left, right] = getGlyphExtent(fonts.getSlice(glyph.font), glyph.id)
      const offset = (base.width - left - right) / 2
      glyph.x = base.x + limitOffset(offset)
    }
  }
}
