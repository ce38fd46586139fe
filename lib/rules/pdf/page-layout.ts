import {
  createDocument,
  drawImage,
  drawOperators,
  drawTextLine,
  formatNumber,
  type ImageBox,
  type JpegImage,
  type PdfDocument,
} from './document.ts'
import type { Fonts } from './fonts.ts'
import type { RunStyle, TextKind } from './glyph.ts'
import { breakIntoLines, type TextLine, type TextRun } from './line-layout.ts'
import { formatTextString } from './objects.ts'
import { addElement, type StructureElement, type StructureType } from './structure.ts'

/** The size of a page (A4) and its margin, in points. */
export const page = { width: 595, height: 842 }
export const margin = 54
/** The text area of a page: the distances of its upper and lower end from the bottom of the page. */
export const contentTop = page.height - 84
export const contentBottom = 74

export const lineHeightFactor = 1.42
/** The space on the left and right of a text with a background. */
const backgroundPadding = 6
const imageGap = 4
const barColour = '0.8 0.84 0.88'

/** All lengths are in points. */
export interface TextStyle {
  size: number
  /** `r g b`, each from 0 to 1. */
  colour: string
  bold?: boolean
  /** The distance from the left margin. */
  indent?: number
  spaceAfter?: number
  /** By default that of the layout. */
  kind?: TextKind
  /** The colour of the background: `r g b`. */
  background?: string
  /**
   * A new page starts if fewer points than this would be left below the text. It keeps a heading together
   * with its text.
   */
  minSpaceBelow?: number
  /** The distances of vertical bars from the left margin. They mark quotes. */
  bars?: readonly number[]
  /**
   * The level of a heading: 1 for the title, or `within` for one inside of a text. A level that would leave out
   * another one is lowered.
   */
  heading?: number | 'within'
}

/** Text that fills the pages from top to bottom. */
export interface PageLayout {
  document: PdfDocument
  kind: TextKind
  /** The current position on the last page, from its bottom. */
  y: number
  /** The level of the last heading that was not within a text. */
  level: number
}

export function createPageLayout(fonts: Fonts, kind: TextKind): PageLayout {
  return { document: createDocument(fonts), kind, y: contentTop, level: 0 }
}

export function addSpace(layout: PageLayout, points: number): void {
  layout.y -= points
}

/** Write the lines of a text and wrap them. Start a new page when the current one is full. */
export function writeText(layout: PageLayout, text: string, style: TextStyle): void {
  writeLines(layout, text.split(/\r\n?|\n/).map(toRuns), style)
}

/** Write lines of runs, wrap them, and start new pages. */
export function writeLines(
  layout: PageLayout,
  lines: readonly (readonly TextRun[])[],
  style: TextStyle,
): void {
  writeElement(layout, openHeading(layout, lines, style), () => {
    for (const line of lines) writeParagraph(layout, line, style)
  })
  layout.y -= style.spaceAfter ?? 0
}

/** Write a part of the document as an element below the current one. */
export function writeElement(
  { document }: PageLayout,
  type: StructureType,
  write: (element: StructureElement) => void,
  entries = '',
): void {
  const parent = document.element
  document.element = addElement(parent, type, entries)
  write(document.element)
  document.element = parent
}

/** Return the type of a text. Add the bookmark of a heading, which must fit on its page. */
function openHeading(
  layout: PageLayout,
  lines: readonly (readonly TextRun[])[],
  { heading, size, minSpaceBelow = 0 }: TextStyle,
): StructureType {
  if (heading === undefined) return 'P'
  if (heading === 'within') return `H${Math.min(6, layout.level + 1)}`
  const height = size * lineHeightFactor
  requireSpace(layout, height + minSpaceBelow)
  layout.level = Math.min(heading, layout.level + 1)
  const title = lines.flatMap((runs) => runs.map(({ text }) => text)).join(' ')
  const page = layout.document.pages.length - 1
  layout.document.bookmarks.push({
    title: title.slice(0, maxBookmark),
    level: layout.level,
    page,
    y: layout.y,
  })
  return `H${layout.level}`
}

const maxBookmark = 200

// One object for all, so that neighbouring texts with the same look are one run.
const plainStyle: RunStyle = {}

export function toRuns(text: string): TextRun[] {
  return [{ text, style: plainStyle }]
}

/** Start a new page unless `height` points are left. Return whether it did. */
export function requireSpace(layout: PageLayout, height: number): boolean {
  if (layout.y - height >= contentBottom) return false
  layout.document.pages.push([])
  layout.y = contentTop
  return true
}

function writeParagraph(layout: PageLayout, runs: readonly TextRun[], style: TextStyle): void {
  const { size, indent = 0, minSpaceBelow = 0, background, bars = [] } = style
  const padding = background ? backgroundPadding : 0
  const boxLeft = margin + indent
  const boxWidth = page.width - 2 * margin - indent
  const textWidth = boxWidth - 2 * padding
  const lineHeight = size * lineHeightFactor
  for (const line of wrapText(layout, runs, style, textWidth)) {
    requireSpace(layout, lineHeight + minSpaceBelow)
    layout.y -= lineHeight
    const boxBottom = formatNumber(layout.y - size * 0.4)
    for (const bar of bars)
      drawOperators(
        layout.document,
        `${barColour} rg ${margin + bar} ${boxBottom} 2 ${formatNumber(lineHeight)} re f`,
      )
    if (background) {
      drawOperators(
        layout.document,
        `${background} rg ${boxLeft} ${boxBottom} ${boxWidth} ${formatNumber(lineHeight)} re f`,
      )
    }
    const textLeft = boxLeft + padding
    const x = line.isRightToLeft ? textLeft + textWidth - (line.width * size) / 1000 : textLeft
    drawTextLine(layout.document, line, x, layout.y, size, style)
  }
}

/** Return the lines of a text that has no line breaks. `maxWidth` is in points. */
export function wrapText(
  { document, kind }: PageLayout,
  runs: readonly TextRun[],
  style: TextStyle,
  maxWidth: number,
): TextLine[] {
  return breakIntoLines(document.fonts, runs, style.kind ?? kind, (maxWidth * 1000) / style.size)
}

const maxImageHeight = 360

/** Draw an image below the text, as wide as the text at most. `description` is read out instead of it. */
export function writeImage(
  layout: PageLayout,
  image: JpegImage,
  { indent, description }: { indent: number; description: string },
): void {
  // Three quarters of a point per pixel is the size on a screen.
  const scale = Math.min(
    0.75,
    (page.width - 2 * margin - indent) / image.width,
    maxImageHeight / image.height,
  )
  const [width, height] = [image.width * scale, image.height * scale]
  requireSpace(layout, height + imageGap)
  layout.y -= height
  const box = { x: margin + indent, y: layout.y, width, height }
  writeElement(
    layout,
    'Figure',
    () => drawImage(layout.document, image, box),
    describeFigure(description, box),
  )
  layout.y -= imageGap
}

/** Return the entries of a figure: what is read out, and where it is on its page. */
export function describeFigure(description: string, { x, y, width, height }: ImageBox): string {
  const box = [x, y, x + width, y + height].map(formatNumber).join(' ')
  return `/Alt ${formatTextString(description)}/A<</O/Layout/BBox[${box}]>>`
}

/** Draw a horizontal line from `indent` to the right margin. */
export function drawRule(layout: PageLayout, colour: string, indent = 0): void {
  requireSpace(layout, 8)
  layout.y -= 4
  const y = formatNumber(layout.y)
  drawOperators(
    layout.document,
    `${colour} RG 0.8 w ${margin + indent} ${y} m ${page.width - margin} ${y} l S`,
  )
  layout.y -= 4
}
