import { drawOperators, drawTextLine, formatNumber, type JpegImage, type PdfDocument, serializeDocument } from '../pdf/document.ts'
import { loadFonts, type ReadAsset, type TextKind } from '../pdf/fonts.ts'
import { addCodePoints } from '../pdf/line-layout.ts'
import {
  addSpace,
  createPageLayout,
  drawRule,
  margin,
  type PageLayout,
  page,
  type TextStyle,
  wrapText,
  writeText,
} from '../pdf/page-layout.ts'
import type { Evidence, Fact, Report, ReportCustomStep, ReportFallback, ReportStep } from './report.ts'
import { type Block, formatSpans, parseMarkdown, parsePlainText } from './text-blocks.ts'

/** The design of a team's documents. */
export interface Branding {
  company: string
  /** `#rrggbb`, or null for the default colour. */
  colour: string | null
  footer: string | null
  logo: JpegImage | null
}

const defaultBrandColour = '#1d4ed8'
const textColour = '0.12 0.16 0.2'
const mutedColour = '0.38 0.43 0.49'
const codeBackground = '0.955 0.965 0.975'
const bodyStyle: TextStyle = { size: 10, colour: textColour, spaceAfter: 3 }
const evidenceTitleStyle: TextStyle = { size: 9, colour: mutedColour, spaceAfter: 3, bold: true, minSpaceBelow: 14 }
const codeStyle: TextStyle = { size: 8.5, colour: textColour, kind: 'mono', background: codeBackground, spaceAfter: 6 }
const pageFrameStyle: TextStyle = { size: 8, colour: mutedColour }
/** The indentation of the content of a step, in points. */
const stepIndent = 14

/** Render a report as PDF with the branding of the team. */
export async function renderPdf(report: Report, branding: Branding, readAsset: ReadAsset): Promise<Uint8Array<ArrayBuffer>> {
  const kind: TextKind = hasKana(report) ? 'ja' : 'text'
  const fonts = await loadFonts(readAsset, collectCodePoints(report, branding, kind))
  const layout = createPageLayout(fonts, kind)
  writeReport({ layout, brandColour: parseColour(branding.colour) }, report)
  for (let index = 0; index < layout.document.pages.length; index++) drawPageFrame(layout, branding, report.title, index)
  return serializeDocument(layout.document, { ...page, title: report.title, author: branding.company, logo: branding.logo })
}

interface Writer {
  layout: PageLayout
  /** The colour of headings: `r g b`, each from 0 to 1. */
  brandColour: string
}

function writeReport(writer: Writer, report: Report): void {
  writeText(writer.layout, report.title, { size: 20, colour: writer.brandColour, bold: true, spaceAfter: 6 })
  writeMarkdown(writer, report.description, 0)
  writeFacts(writer, report.facts)
  writeSection(writer, 'Details', report.variables, (fact) => writeFact(writer, fact))
  writeSection(writer, 'Steps', report.steps, (step) => writeStep(writer, step))
  writeSection(writer, 'Also tried', report.fallbacks, (fallback) => writeFallback(writer, fallback, 0))
  writeSection(writer, 'Also done', report.customSteps, (customStep) => writeCustomStep(writer, customStep, 0))
  writeSection(writer, 'Supporting data', report.evidence, (evidence) => writeEvidence(writer, evidence, 0))
  writeSection(writer, 'Notes', report.notes ? [report.notes] : [], (text) => writePlainText(writer, text, 0))
  writeSection(writer, 'Next steps', report.nextSteps ? [report.nextSteps] : [], (text) => writePlainText(writer, text, 0))
}

function writeSection<T>(writer: Writer, title: string, items: readonly T[], writeItem: (item: T) => void): void {
  if (items.length === 0) return
  addSpace(writer.layout, 12)
  writeText(writer.layout, title, { size: 14, colour: writer.brandColour, bold: true, minSpaceBelow: 40 })
  drawRule(writer.layout, writer.brandColour)
  for (const item of items) writeItem(item)
}

function writeFacts(writer: Writer, facts: readonly Fact[]): void {
  for (const fact of facts) writeFact(writer, fact)
}

function writeFact({ layout }: Writer, { label, value }: Fact): void {
  writeText(layout, `${label}: ${value}`, { ...bodyStyle, spaceAfter: 1 })
}

function writeStep(writer: Writer, step: ReportStep): void {
  const { layout, brandColour } = writer
  addSpace(layout, 5)
  writeText(layout, `${step.number}. ${step.title}`, { size: 11, colour: textColour, bold: true, spaceAfter: 2, minSpaceBelow: 26 })
  writeMarkdown(writer, step.description, stepIndent)
  const answerStyle = { ...bodyStyle, colour: brandColour, bold: true, indent: stepIndent }
  writeText(layout, `${step.answer} – ${step.durationAndTime}`, answerStyle)
  writePlainText(writer, step.note, stepIndent)
  for (const fallback of step.fallbacks) writeFallback(writer, fallback, stepIndent)
  for (const customStep of step.customSteps) writeCustomStep(writer, customStep, stepIndent)
  for (const evidence of step.evidence) writeEvidence(writer, evidence, stepIndent)
}

function writeFallback(writer: Writer, { title, outcome, note }: ReportFallback, indent: number): void {
  writeText(writer.layout, `Also tried: ${title} – ${outcome}`, { ...bodyStyle, indent })
  writePlainText(writer, note, indent + stepIndent)
}

function writeCustomStep(writer: Writer, { title, description, source }: ReportCustomStep, indent: number): void {
  writeText(writer.layout, `Also done: ${title} (${source})`, { ...bodyStyle, indent })
  writeMarkdown(writer, description, indent + stepIndent)
}

function writeEvidence(writer: Writer, { kind, title, content }: Evidence, indent: number): void {
  writeText(writer.layout, kind === 'screenshot' ? `[Screenshot: ${title}]` : title, { ...evidenceTitleStyle, indent })
  if (kind === 'text') writeCode(writer, content, indent)
  else writePlainText(writer, content, indent)
}

function writePlainText(writer: Writer, text: string, indent: number): void {
  for (const block of text ? parsePlainText(text) : []) writeBlock(writer, block, indent)
}

function writeMarkdown(writer: Writer, text: string, indent: number): void {
  for (const block of text ? parseMarkdown(text) : []) writeBlock(writer, block, indent)
}

function writeBlock(writer: Writer, block: Block, indent: number): void {
  const { layout } = writer
  if (block.kind === 'code') writeCode(writer, block.text, indent)
  else if (block.kind === 'heading') writeText(layout, formatSpans(block.spans), { ...bodyStyle, bold: true, indent })
  else if (block.kind === 'paragraph') writeText(layout, block.lines.map(formatSpans).join('\n'), { ...bodyStyle, indent })
  else {
    const marker = block.marker === '-' ? '•' : block.marker
    const itemIndent = indent + 10 + block.depth * 12
    writeText(layout, `${marker} ${formatSpans(block.spans)}`, { ...bodyStyle, spaceAfter: 1, indent: itemIndent })
  }
}

function writeCode({ layout }: Writer, text: string, indent: number): void {
  writeText(layout, text, { ...codeStyle, indent })
}

const headerY = page.height - 46
const headerRuleY = page.height - 66
const footerTopY = 50
const footerLineHeight = 11
const maxFooterLines = 3
const pageNumberY = 40
const right = page.width - margin
const contentWidth = page.width - 2 * margin

/** Draw the header with the logo, the company and, from the second page on, the title. Draw the footer with its text and the page number. */
function drawPageFrame(layout: PageLayout, { company, colour, footer, logo }: Branding, title: string, pageIndex: number): void {
  const { document } = layout
  const brandColour = parseColour(colour)
  drawOperators(document, `${brandColour} RG 1.5 w ${margin} ${headerRuleY} m ${right} ${headerRuleY} l S`, pageIndex)
  const companyX = margin + (logo ? drawLogo(document, logo, pageIndex) + 8 : 0)
  const companySize = 11
  const [companyLine] = wrapText(layout, company, { ...pageFrameStyle, size: companySize }, contentWidth / 2)
  if (companyLine) drawTextLine(document, companyLine, companyX, headerY, companySize, { colour: brandColour, bold: true }, pageIndex)
  if (pageIndex > 0) drawRightAligned(layout, title, contentWidth / 3, headerY, pageIndex)
  drawRightAligned(layout, `Page ${pageIndex + 1} of ${document.pages.length}`, contentWidth, pageNumberY, pageIndex)
  const footerLines = wrapText(layout, footer ?? '', pageFrameStyle, contentWidth - 90).slice(0, maxFooterLines)
  for (const [index, line] of footerLines.entries()) {
    const y = footerTopY - index * footerLineHeight
    drawTextLine(document, line, margin, y, pageFrameStyle.size, pageFrameStyle, pageIndex)
  }
}

/** Draw the first line of a text in the style of the page frame. */
function drawRightAligned(layout: PageLayout, text: string, maxWidth: number, y: number, pageIndex: number): void {
  const [line] = wrapText(layout, text, pageFrameStyle, maxWidth)
  if (!line) return
  const width = (line.width * pageFrameStyle.size) / 1000
  drawTextLine(layout.document, line, right - width, y, pageFrameStyle.size, pageFrameStyle, pageIndex)
}

const maxLogoWidth = 110
const maxLogoHeight = 34
const logoY = page.height - 60

/** Draw the logo and return its width in points. */
function drawLogo(document: PdfDocument, { width, height }: JpegImage, pageIndex: number): number {
  const scale = Math.min(maxLogoWidth / width, maxLogoHeight / height)
  const size = `${formatNumber(width * scale)} 0 0 ${formatNumber(height * scale)}`
  drawOperators(document, `q ${size} ${margin} ${logoY} cm /Logo Do Q`, pageIndex)
  return width * scale
}

/** Convert `#rrggbb` to `r g b`, each from 0 to 1. */
function parseColour(hexColour: string | null): string {
  const parseChannel = (start: number) => {
    const channel = Number.parseInt((hexColour ?? defaultBrandColour).slice(start, start + 2), 16)
    return formatNumber(channel / 255)
  }
  return [1, 3, 5].map(parseChannel).join(' ')
}

/** Return whether the report contains kana. They occur only in Japanese, so Han characters then need their Japanese shapes. */
function hasKana(report: Report): boolean {
  return /[\u3040-\u30ff]/.test(JSON.stringify(report))
}

/** Return the code points of all texts by kind of font. Code can contain any of them, so the fonts for code are loaded for all too. */
function collectCodePoints(report: Report, { company, footer }: Branding, kind: TextKind): Map<TextKind, Set<number>> {
  const codePoints = new Set<number>()
  const collect = (value: unknown): void => {
    if (typeof value === 'string') addCodePoints(value, codePoints)
    else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) collect(item)
  }
  const printableAscii = Array.from({ length: 95 }, (_, n) => String.fromCharCode(n + 32)).join('')
  collect([report, company, footer, printableAscii, '–•'])
  return new Map([
    [kind, codePoints],
    ['mono', codePoints],
  ])
}
