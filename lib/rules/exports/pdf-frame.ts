import { drawImage, drawOperators, drawTextLine, formatNumber, type JpegImage } from '#rules/pdf/document.ts'
import type { TextLine } from '#rules/pdf/line-layout.ts'
import { margin, type PageLayout, page, type TextStyle, toRuns, wrapText } from '#rules/pdf/page-layout.ts'
import { darkenForWhite, parseHexColour } from '#rules/text/colour.ts'

// The header and the footer of each page, with the branding of the team.

/** The design of a team's documents. */
export interface Branding {
  company: string
  /** `#rrggbb`, or null for the default colour. */
  colour: string | null
  footer: string | null
  logo: JpegImage | null
}

const defaultBrandColour = '#1d4ed8'
const pageFrameStyle: TextStyle = { size: 8, colour: '0.38 0.43 0.49' }
const headerRuleY = page.height - 66
/** The middle of the space above the rule. */
const headerMiddleY = page.height - 43
const footerTopY = 50
const footerLineHeight = 11
const maxFooterLines = 3
const pageNumberY = 40
const right = page.width - margin
const contentWidth = page.width - 2 * margin
const maxTitleWidth = contentWidth / 3
const gap = 8

/**
 * Create a function that draws the header with the logo, the company and, from the second page on, the title,
 * and the footer with its text and the page number. The texts of all pages are broken into lines once.
 */
export function createPageFrame(
  layout: PageLayout,
  { company, colour, footer, logo }: Branding,
  title: string,
): (pageIndex: number) => void {
  const { document } = layout
  const brandColour = parseBrandColour(colour)
  const companyX = margin + (logo ? getLogoSize(logo).width + gap : 0)
  const companyLines = wrapCompany(layout, company, right - maxTitleWidth - gap - companyX)
  const wrap = (text: string, width: number) => wrapText(layout, toRuns(text), pageFrameStyle, width)
  const [titleLine] = wrap(title, maxTitleWidth)
  const footerLines = wrap(footer ?? '', contentWidth - 90).slice(0, maxFooterLines)
  return (pageIndex) => {
    // Nobody wants it read out on each page.
    document.element = null
    drawOperators(
      document,
      `${brandColour} RG 1.5 w ${margin} ${headerRuleY} m ${right} ${headerRuleY} l S`,
      pageIndex,
    )
    if (logo) drawImage(document, logo, { x: margin, y: logoY, ...getLogoSize(logo) }, pageIndex)
    drawCompany(layout, companyLines, { x: companyX, colour: brandColour, pageIndex })
    if (pageIndex > 0) drawRightAligned(layout, titleLine, headerMiddleY - 3, pageIndex)
    const [pageNumber] = wrap(`Page ${pageIndex + 1} of ${document.pages.length}`, contentWidth)
    drawRightAligned(layout, pageNumber, pageNumberY, pageIndex)
    for (const [index, line] of footerLines.entries()) {
      const y = footerTopY - index * footerLineHeight
      drawTextLine(document, line, margin, y, pageFrameStyle.size, pageFrameStyle, pageIndex)
    }
  }
}

/** The sizes to try, with the number of lines that fit above the rule. */
const companySizes = [
  { size: 11, maxLines: 2 },
  { size: 8, maxLines: 4 },
  { size: 6, maxLines: 6 },
]

interface CompanyPlace {
  x: number
  colour: string
  pageIndex: number
}

interface CompanyLines {
  lines: TextLine[]
  size: number
}

/** Break the name of the company into lines, in the largest size in which all of it fits. */
function wrapCompany(layout: PageLayout, company: string, width: number): CompanyLines {
  let lines: TextLine[] = []
  let size = 0
  for (const candidate of companySizes) {
    size = candidate.size
    lines = wrapText(layout, toRuns(company), { ...pageFrameStyle, size }, width)
    if (lines.length <= candidate.maxLines) break
  }
  return { lines, size }
}

function drawCompany(
  layout: PageLayout,
  { lines, size }: CompanyLines,
  { x, colour, pageIndex }: CompanyPlace,
): void {
  const lineHeight = size * 1.15
  const top = headerMiddleY + ((lines.length - 1) * lineHeight) / 2 - size * 0.3
  for (const [index, line] of lines.entries())
    drawTextLine(layout.document, line, x, top - index * lineHeight, size, { colour, bold: true }, pageIndex)
}

/** Draw a line in the style of the page frame. */
function drawRightAligned(
  layout: PageLayout,
  line: TextLine | undefined,
  y: number,
  pageIndex: number,
): void {
  if (!line) return
  const width = (line.width * pageFrameStyle.size) / 1000
  drawTextLine(layout.document, line, right - width, y, pageFrameStyle.size, pageFrameStyle, pageIndex)
}

const maxLogoWidth = 110
const maxLogoHeight = 34
const logoY = page.height - 60

/** Return the size of the logo in points. */
function getLogoSize(logo: JpegImage): { width: number; height: number } {
  const scale = Math.min(maxLogoWidth / logo.width, maxLogoHeight / logo.height)
  return { width: logo.width * scale, height: logo.height * scale }
}

/** Convert `#rrggbb` to `r g b`, each from 0 to 1, dark enough to be read on white. */
export function parseBrandColour(hexColour: string | null): string {
  return darkenForWhite(parseHexColour(hexColour ?? defaultBrandColour))
    .map(formatNumber)
    .join(' ')
}
