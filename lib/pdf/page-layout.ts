import { createDocument, drawOperators, drawTextLine, formatNumber, type PdfDocument } from './document.ts'
import type { Fonts, TextKind } from './fonts.ts'
import { breakIntoLines, type TextLine } from './line-layout.ts'

/** The size of a page (A4) and its margin, in points. */
export const page = { width: 595, height: 842 }
export const margin = 54
/** The text area of a page: the distances of its upper and lower end from the bottom of the page. */
const contentTop = page.height - 84
const contentBottom = 74

const lineHeightFactor = 1.42
/** The space on the left and right of a text with a background. */
const backgroundPadding = 6

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
  /** A new page starts if fewer points than this would be left below the text. It keeps a heading together with its text. */
  minSpaceBelow?: number
}

/** Text that fills the pages from top to bottom. */
export interface PageLayout {
  document: PdfDocument
  kind: TextKind
  /** The current position on the last page, from its bottom. */
  y: number
}

export function createPageLayout(fonts: Fonts, kind: TextKind): PageLayout {
  return { document: createDocument(fonts), kind, y: contentTop }
}

export function addSpace(layout: PageLayout, points: number): void {
  layout.y -= points
}

/** Write the lines of a text and wrap them. Start a new page when the current one is full. */
export function writeText(layout: PageLayout, text: string, style: TextStyle): void {
  for (const line of text.split(/\r\n?|\n/)) writeParagraph(layout, line, style)
  layout.y -= style.spaceAfter ?? 0
}

function writeParagraph(layout: PageLayout, text: string, style: TextStyle): void {
  const { size, indent = 0, minSpaceBelow = 0, background } = style
  const padding = background ? backgroundPadding : 0
  const boxLeft = margin + indent
  const boxWidth = page.width - 2 * margin - indent
  const textWidth = boxWidth - 2 * padding
  const lineHeight = size * lineHeightFactor
  for (const line of wrapText(layout, text, style, textWidth)) {
    if (layout.y - lineHeight - minSpaceBelow < contentBottom) {
      layout.document.pages.push([])
      layout.y = contentTop
    }
    layout.y -= lineHeight
    if (background) {
      const boxBottom = formatNumber(layout.y - size * 0.4)
      drawOperators(layout.document, `${background} rg ${boxLeft} ${boxBottom} ${boxWidth} ${formatNumber(lineHeight)} re f`)
    }
    const textLeft = boxLeft + padding
    const x = line.isRightToLeft ? textLeft + textWidth - (line.width * size) / 1000 : textLeft
    drawTextLine(layout.document, line, x, layout.y, size, style)
  }
}

/** Return the lines of a text that has no line breaks. `maxWidth` is in points. */
export function wrapText({ document, kind }: PageLayout, text: string, style: TextStyle, maxWidth: number): TextLine[] {
  return breakIntoLines(document.fonts, text, style.kind ?? kind, (maxWidth * 1000) / style.size)
}

/** Draw a horizontal line between the margins. */
export function drawRule(layout: PageLayout, colour: string): void {
  layout.y -= 4
  const y = formatNumber(layout.y)
  drawOperators(layout.document, `${colour} RG 0.8 w ${margin} ${y} m ${page.width - margin} ${y} l S`)
  layout.y -= 4
}
