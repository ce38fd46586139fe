import type { StructureElement } from './structure.ts'

/**
 * The kind of a text decides which fonts come first: `ja` has Japanese shapes of Han characters, `mono` a
 * fixed width.
 */
export type TextKind = 'text' | 'ja' | 'mono'

/** How a part of a text looks, and what it belongs to. */
export interface RunStyle {
  /** By default the element that is written. */
  element?: StructureElement
  bold?: boolean
  italic?: boolean
  struck?: boolean
  /** By default that of the text around it. */
  kind?: TextKind
  /** `r g b`, each from 0 to 1; by default that of the text around it. */
  colour?: string
}

/** A component of a glyph, with its position in font units. */
export interface GlyphPart {
  id: number
  x: number
  y: number
}

/** A glyph of a line. Its width and position are in thousandths of the font size. */
export interface Glyph {
  /** The characters it stands for. */
  text: string
  /** The number of UTF-16 units of the source that it stands for. */
  sourceLength: number
  /** The index of the font slice. */
  font: number
  /** The glyph of the font, or null for a letter that is put together from several. */
  id: number | null
  parts: readonly GlyphPart[]
  width: number
  /** The embedding level of the Unicode bidirectional algorithm. Odd levels run from right to left. */
  level: number
  /** The distance from the left end of the line. */
  x: number
  /** Whether the line may end here: at a space, which is then not shown, or after the glyph. */
  lineBreak: 'space' | 'after' | null
  /** Whether it is a mark that is centred over its letter, because its position is not known. */
  isMark: boolean
  style: RunStyle
}

/** The glyphs of a text, without its place in a document. */
export type ShapedWord = Omit<Glyph, 'level' | 'style'>[]
