import bidiFactory from 'bidi-js'
import { shapeArabic } from './arabic.ts'
import { getGlyphExtent } from './font-subset.ts'
import type { Fonts, TextKind } from './fonts.ts'

// Breaks a text into lines of glyphs and positions the glyphs, from right to left where the script requires it.

const bidi = bidiFactory()

/** A glyph of a line. Its width and position are in thousandths of the font size. */
export interface Glyph {
  /** The characters it stands for. */
  text: string
  /** The index of the font slice. */
  font: number
  id: number
  width: number
  /** The embedding level of the Unicode bidirectional algorithm. Odd levels run from right to left. */
  level: number
  /** The distance from the left end of the line. */
  x: number
  /** Whether the line may end here: at a space, which is then not shown, or after the glyph. */
  lineBreak: 'space' | 'after' | null
  /** Whether it is a combining mark, such as an accent or a vowel mark. */
  isMark: boolean
}
export interface TextLine {
  /** In reading order. */
  glyphs: Glyph[]
  width: number
  isRightToLeft: boolean
}

/** Shown for a character that no font has: a white square. */
const missingCharacter = 0x25a1
/** The width of a character without a glyph, so that readers of the PDF can still select it. */
const invisibleWidth = 40
const startsWithMark = /^\p{M}/u
// A line may break before and after Chinese, Japanese and Korean characters.
const ideograph =
  /[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3130-\u318f\u31a0-\u31ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef\u{20000}-\u{2fffd}]/u
// A line must not begin with closing punctuation.
const closingPunctuation = /^[\u3001\u3002\uff0c\uff0e\uff01\uff09\uff1a\uff1b\uff1f\u300d\u300f\u3011\u2019\u201d)\]}.,;:!?ー々]/
const joiner = /[\u200c\u200d]/
const invisibleCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\ufe00-\ufe0f]/g
const rightToLeftCharacter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Compose the characters of a text (NFC), expand tabs and remove invisible characters. */
function normaliseText(text: string): string {
  return text.normalize('NFC').replace(/\t/g, '    ').replace(invisibleCharacters, '').toWellFormed()
}

/** Add all code points that are needed to show a text. */
export function addCodePoints(text: string, codePoints: Set<number>): void {
  codePoints.add(missingCharacter).add(0x20)
  for (const { code, text: characters } of shapeArabic(normaliseText(text))) {
    codePoints.add(code)
    for (const character of characters) codePoints.add(character.codePointAt(0) ?? 0)
  }
}

/** Break a text without line breaks into lines of at most `maxWidth` thousandths of the font size. */
export function breakIntoLines(fonts: Fonts, text: string, kind: TextKind, maxWidth: number): TextLine[] {
  const visibleText = normaliseText(text)
  const embedding = rightToLeftCharacter.test(visibleText) ? bidi.getEmbeddingLevels(visibleText, 'auto') : null
  const levels = embedding?.levels ?? new Uint8Array(visibleText.length)
  const paragraphLevel = embedding?.paragraphs[0]?.level ?? 0
  const glyphs = createGlyphs(fonts, visibleText, levels, kind)
  const lines = wrapGlyphs(glyphs, maxWidth, kind === 'mono').map((lineGlyphs) => positionGlyphs(lineGlyphs, paragraphLevel))
  for (const line of lines) centreMarks(fonts, line)
  return lines
}

function createGlyphs(fonts: Fonts, text: string, levels: Uint8Array, kind: TextKind): Glyph[] {
  const glyphs: Glyph[] = []
  let index = 0
  for (const { text: character, code } of shapeArabic(text)) {
    const level = levels[index] ?? 0
    index += character.length
    // From right to left, a bracket is shown as its mirror image.
    const mirroredCode = isRightToLeft(level) ? bidi.getMirroredCharacter(character)?.codePointAt(0) : undefined
    glyphs.push(createGlyph(fonts, character, mirroredCode ?? code, level, kind, glyphs.at(-1)))
  }
  return glyphs
}

function isRightToLeft(level: number): boolean {
  return (level & 1) === 1
}

function createGlyph(fonts: Fonts, text: string, code: number, level: number, kind: TextKind, previous: Glyph | undefined): Glyph {
  const isMark = startsWithMark.test(text)
  const lineBreak = getLineBreak(text)
  const isInvisible = code === 0 || joiner.test(text)
  const common = { text, level, x: 0, lineBreak, isMark }
  // A space, a mark or an invisible character uses the font of the previous glyph if possible. The run of that font is then not interrupted.
  if (previous && (lineBreak === 'space' || isMark || isInvisible)) {
    const glyph = fonts.getSlice(previous.font).glyphs.get(isInvisible ? 0x20 : code)
    const width = isMark ? 0 : isInvisible ? invisibleWidth : glyph?.width
    if (glyph && width !== undefined) return { ...common, font: previous.font, id: glyph.id, width }
  }
  const originalCode = text.codePointAt(0) ?? 0
  const match = fonts.find(code, kind) ?? fonts.find(originalCode, kind)
  const glyph = match?.slice.glyphs.get(code) ?? match?.slice.glyphs.get(originalCode)
  if (match && glyph) return { ...common, font: match.index, id: glyph.id, width: isMark ? 0 : glyph.width }
  const fallback = fonts.find(missingCharacter, kind) as NonNullable<ReturnType<Fonts['find']>>
  const { id, width } = fallback.slice.glyphs.get(missingCharacter) as { id: number; width: number }
  return { ...common, text: String.fromCodePoint(missingCharacter), font: fallback.index, id, width, isMark: false }
}

function getLineBreak(character: string): Glyph['lineBreak'] {
  if (character === ' ') return 'space'
  return ideograph.test(character) || /[-\u2010\u2013/]/.test(character) ? 'after' : null
}

/**
 * Split the glyphs into lines. A line ends at the last possible break. A word that is longer than a line is split anywhere.
 * With `keepSpaces`, spaces count towards the width, which preserves the indentation of code.
 */
function wrapGlyphs(glyphs: readonly Glyph[], maxWidth: number, keepSpaces: boolean): Glyph[][] {
  const lines: Glyph[][] = []
  let lineStart = 0
  let lastBreak = 0
  let lineWidth = 0
  for (let index = 0; index < glyphs.length; index++) {
    const glyph = glyphs[index] as Glyph
    lineWidth += glyph.width
    if (lineWidth > maxWidth && index > lineStart && (glyph.lineBreak !== 'space' || keepSpaces)) {
      const lineEnd = lastBreak > lineStart ? lastBreak : index
      lines.push(glyphs.slice(lineStart, lineEnd))
      lineStart = lineEnd
      lineWidth = 0
      for (let i = lineStart; i <= index; i++) lineWidth += glyphs[i]?.width ?? 0
    }
    if (canBreakAfter(glyph, glyphs[index + 1])) lastBreak = index + 1
  }
  lines.push(glyphs.slice(lineStart))
  return lines
}

function canBreakAfter(glyph: Glyph, next: Glyph | undefined): boolean {
  if (!next) return glyph.lineBreak !== null
  if (next.isMark || closingPunctuation.test(next.text)) return false
  return glyph.lineBreak !== null || ideograph.test(next.text)
}

/** Set the position of each glyph of a line. The glyphs stay in reading order. */
function positionGlyphs(glyphs: Glyph[], paragraphLevel: number): TextLine {
  let textEnd = glyphs.length
  while (textEnd > 0 && glyphs[textEnd - 1]?.lineBreak === 'space') textEnd--
  const trailingSpaces = glyphs.slice(textEnd)
  let x = 0
  for (const glyph of sortVisually(glyphs.slice(0, textEnd))) {
    glyph.x = x
    x += glyph.width
  }
  const width = x
  const isParagraphRightToLeft = isRightToLeft(paragraphLevel)
  // Spaces at the end of a line stand outside of its width: on the left if the paragraph runs from right to left.
  for (const glyph of trailingSpaces) {
    glyph.level = paragraphLevel
    glyph.x = isParagraphRightToLeft ? -glyph.width : x
    if (!isParagraphRightToLeft) x += glyph.width
  }
  return { glyphs, width, isRightToLeft: isParagraphRightToLeft }
}

/** Return the glyphs from left to right. This is rule L2 of UAX #9: from the highest level down, reverse each run of at least that level. */
function sortVisually(glyphs: readonly Glyph[]): Glyph[] {
  const sorted = [...glyphs]
  const highestLevel = glyphs.reduce((highest, { level }) => Math.max(highest, level), 0)
  for (let level = highestLevel; level > 0; level--) {
    for (let start = 0; start < sorted.length; start++) {
      if ((sorted[start]?.level ?? 0) < level) continue
      let end = start
      while (end < sorted.length && (sorted[end]?.level ?? 0) >= level) end++
      sorted.splice(start, end - start, ...sorted.slice(start, end).reverse())
      start = end
    }
  }
  return sorted
}

/** Larger distances would make readers of the PDF take the mark for the start of another text. */
const maxMarkOffset = 180

/** Move each mark to the middle of its base character. The positioning rules of the fonts are not used. */
function centreMarks(fonts: Fonts, { glyphs }: TextLine): void {
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
