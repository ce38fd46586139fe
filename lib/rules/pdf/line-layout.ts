import bidiFactory from 'bidi-js'
import type { Fonts } from './fonts.ts'
import type { Glyph, RunStyle, TextKind } from './glyph.ts'
import { centreMarks, createGlyph, isInvisible, missingCharacter, shapeGlyphs } from './glyphs.ts'
import { addWordBreaks, closingPunctuation, ideograph } from './line-breaks.ts'

// Breaks a text into lines of glyphs and positions the glyphs, from right to left where the script requires
// it.

const bidi = bidiFactory()

/** A part of a text with one style. */
export interface TextRun {
  text: string
  style: RunStyle
}
export interface TextLine {
  /** In reading order. */
  glyphs: Glyph[]
  width: number
  isRightToLeft: boolean
}

// Nobody sees them, so nothing is drawn for them. Joiners change how their neighbours are drawn.
const invisibleCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|(?!\u200c|\u200d)\p{Default_Ignorable_Code_Point}/gu
const rightToLeftCharacter =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** Compose the characters of a text (NFC), expand tabs and remove invisible characters. */
function normaliseText(text: string): string {
  return text.normalize('NFC').replace(/\t/g, '    ').replace(invisibleCharacters, '').toWellFormed()
}

/** Add all code points that are needed to show a text. */
export function addCodePoints(text: string, codePoints: Set<number>): void {
  codePoints.add(missingCharacter).add(0x20)
  for (const character of normaliseText(text)) codePoints.add(character.codePointAt(0) ?? 0)
}

/** Break a text without line breaks into lines of at most `maxWidth` thousandths of the font size. */
export function breakIntoLines(
  fonts: Fonts,
  runs: readonly TextRun[],
  kind: TextKind,
  maxWidth: number,
): TextLine[] {
  const visibleRuns = runs.map(({ text, style }) => ({ text: normaliseText(text), style }))
  const visibleText = visibleRuns.map(({ text }) => text).join('')
  const embedding = rightToLeftCharacter.test(visibleText)
    ? bidi.getEmbeddingLevels(visibleText, 'auto')
    : null
  const levels = embedding?.levels ?? new Uint8Array(visibleText.length)
  const paragraphLevel = embedding?.paragraphs[0]?.level ?? 0
  const glyphs: Glyph[] = []
  let start = 0
  for (const { text, style } of visibleRuns) {
    addGlyphs(fonts, glyphs, {
      text,
      style: { ...style, kind: style.kind ?? kind },
      levels: levels.subarray(start, start + text.length),
    })
    start += text.length
  }
  addWordBreaks(glyphs, visibleText)
  const lines = wrapGlyphs(glyphs, maxWidth, kind === 'mono').map((lineGlyphs) =>
    positionGlyphs(lineGlyphs, paragraphLevel),
  )
  for (const line of lines) centreMarks(fonts, line.glyphs)
  return lines
}

interface LevelledRun extends TextRun {
  style: RunStyle & { kind: TextKind }
  /** The embedding level of each UTF-16 unit. */
  levels: Uint8Array
}

/**
 * Add the glyphs of a run. Characters of a script that needs shaping are shaped together, up to the next
 * character of another font.
 */
function addGlyphs(fonts: Fonts, glyphs: Glyph[], { text, style, levels }: LevelledRun): void {
  for (let index = 0; index < text.length; ) {
    const code = text.codePointAt(index) ?? 0
    const level = levels[index] ?? 0
    const match = fonts.find(code, style.kind)
    if (match?.slice.isComplex) {
      const end = findShapedEnd(fonts, { text, style, levels }, index, match.index)
      for (const glyph of shapeGlyphs(fonts, match.index, text.slice(index, end), level, style))
        glyphs.push(glyph)
      index = end
      continue
    }
    const character = String.fromCodePoint(code)
    // From right to left, a bracket is shown as its mirror image.
    const mirroredCode = isRightToLeft(level)
      ? bidi.getMirroredCharacter(character)?.codePointAt(0)
      : undefined
    glyphs.push(
      createGlyph(fonts, { text: character, code: mirroredCode ?? code, level, style }, glyphs.at(-1)),
    )
    index += character.length
  }
}

const mark = /^\p{M}/u

/** Return the end of the characters that are shaped together: they have the same font and level. */
function findShapedEnd(
  fonts: Fonts,
  { text, style, levels }: LevelledRun,
  start: number,
  fontIndex: number,
): number {
  let end = start
  while (end < text.length && levels[end] === levels[start]) {
    const code = text.codePointAt(end) ?? 0
    const character = String.fromCodePoint(code)
    const hasGlyph = fonts.find(code, style.kind)?.index === fontIndex
    const joinsPrevious =
      isInvisible(character) || (mark.test(character) && fonts.getSlice(fontIndex).glyphs.has(code))
    if (!hasGlyph && !joinsPrevious) break
    end += character.length
  }
  return end
}

function isRightToLeft(level: number): boolean {
  return (level & 1) === 1
}

/**
 * Split the glyphs into lines. A line ends at the last possible break. A word that is longer than a line is
 * split anywhere. With `keepSpaces`, spaces count towards the width, which preserves the indentation of code.
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
  // Spaces at the end of a line stand outside of its width: on the left if the paragraph runs from right to
  // left.
  for (const glyph of trailingSpaces) {
    glyph.level = paragraphLevel
    glyph.x = isParagraphRightToLeft ? -glyph.width : x
    if (!isParagraphRightToLeft) x += glyph.width
  }
  return { glyphs, width, isRightToLeft: isParagraphRightToLeft }
}

/**
 * Return the glyphs from left to right. This is rule L2 of UAX #9: from the highest level down, reverse each
 * run of at least that level.
 */
function sortVisually(glyphs: readonly Glyph[]): Glyph[] {
  const sortedGlyphs = [...glyphs]
  const highestLevel = glyphs.reduce((highest, { level }) => Math.max(highest, level), 0)
  for (let level = highestLevel; level > 0; level--) {
    for (let start = 0; start < sortedGlyphs.length; start++) {
      if ((sortedGlyphs[start]?.level ?? 0) < level) continue
      let end = start
      while (end < sortedGlyphs.length && (sortedGlyphs[end]?.level ?? 0) >= level) end++
      sortedGlyphs.splice(start, end - start, ...sortedGlyphs.slice(start, end).reverse())
      start = end
    }
  }
  return sortedGlyphs
}
