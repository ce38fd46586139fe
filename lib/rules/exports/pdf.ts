import { pause } from '#rules/budget.ts'
import { serializeDocument } from '#rules/pdf/document.ts'
import { type FontAssets, loadFonts } from '#rules/pdf/fonts.ts'
import type { TextKind } from '#rules/pdf/glyph.ts'
import { addCodePoints } from '#rules/pdf/line-layout.ts'
import {
  addSpace,
  createPageLayout,
  drawRule,
  type PageLayout,
  page,
  writeImage,
  writeText,
} from '#rules/pdf/page-layout.ts'
import { bodyStyle, textColour, writeCode, writeMarkdown, writePlainText, writeSpans } from './pdf-blocks.ts'
import { type Branding, createPageFrame, parseBrandColour } from './pdf-frame.ts'
import type {
  Evidence,
  Fact,
  Report,
  ReportCustomStep,
  ReportFallback,
  ReportHeader,
  ReportImages,
  ReportStep,
} from './report.ts'
import { pdfWork, shortenReport } from './shorten-report.ts'
import { addName } from './text.ts'

const evidenceTitleStyle = { ...bodyStyle, size: 9, colour: '0.38 0.43 0.49', bold: true, minSpaceBelow: 14 }
/** The indentation of the content of a step, in points. */
const stepIndent = 14

interface PdfOptions {
  branding: Branding
  images: ReportImages
  assets: FontAssets
}

/** Render a report as PDF with the branding of the team. */
export async function renderPdf(
  fullReport: Report,
  { branding, images, assets }: PdfOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const report = shortenReport(fullReport, pdfWork)
  const kind: TextKind = hasKana(report) ? 'ja' : 'text'
  const fonts = await loadFonts(assets, collectCodePoints(report, branding, kind))
  const layout = createPageLayout(fonts, kind)
  await writeReport({ layout, images, brandColour: parseBrandColour(branding.colour) }, report)
  const drawPageFrame = createPageFrame(layout, branding, report.title)
  for (const index of layout.document.pages.keys()) drawPageFrame(index)
  return serializeDocument(layout.document, { ...page, title: report.title, author: branding.company })
}

interface Writer {
  layout: PageLayout
  images: ReportImages
  /** The colour of headings: `r g b`, each from 0 to 1. */
  brandColour: string
}

/** Of a page of small text. */
const stepsPerPage = 800_000

async function writeReport(writer: Writer, report: Report): Promise<void> {
  writeText(writer.layout, report.title, {
    ...{ size: 20, colour: writer.brandColour, bold: true, spaceAfter: 6 },
    heading: 1,
  })
  writeMarkdown(writer.layout, report.description, 0)
  writeFacts(writer, report.facts)
  await writeSection(writer, 'Details', report.variables, (fact) => writeFact(writer, fact))
  await writeSection(writer, 'Steps', report.steps, (step) => writeStep(writer, step))
  for (const header of report.end ? [...report.end.headers, report.end] : []) writeHeader(writer, header)
  await writeSection(writer, 'Current step', report.pendingStep ? [report.pendingStep] : [], (step) =>
    writeStep(writer, step),
  )
  await writeSection(writer, 'Also tried', report.fallbacks, (fallback) => writeFallback(writer, fallback, 0))
  await writeSection(writer, 'Also done', report.customSteps, (customStep) =>
    writeCustomStep(writer, customStep, 0),
  )
  await writeSection(writer, 'Supporting data', report.evidence, (evidence) =>
    writeEvidence(writer, evidence, 0),
  )
  await writeSection(writer, 'Notes', report.notes ? [report.notes] : [], (text) =>
    writePlainText(writer.layout, text, 0),
  )
  await writeSection(writer, 'Next steps', report.nextSteps ? [report.nextSteps] : [], (text) =>
    writePlainText(writer.layout, text, 0),
  )
}

async function writeSection<T>(
  writer: Writer,
  title: string,
  items: readonly T[],
  writeItem: (item: T) => void,
): Promise<void> {
  if (items.length === 0) return
  addSpace(writer.layout, 12)
  writeText(writer.layout, title, {
    ...{ size: 14, colour: writer.brandColour, bold: true, minSpaceBelow: 40 },
    heading: 2,
  })
  drawRule(writer.layout, writer.brandColour)
  const { pages } = writer.layout.document
  for (const item of items) {
    const pageCount = pages.length
    writeItem(item)
    await pause((pages.length - pageCount) * stepsPerPage)
  }
}

function writeFacts(writer: Writer, facts: readonly Fact[]): void {
  for (const fact of facts) writeFact(writer, fact)
}

function writeFact({ layout }: Writer, { label, value, href }: Fact, indent = 0): void {
  const lines = value.split(/\r\n?|\n/).map((text) => [{ text }])
  if (href !== undefined) lines.splice(0, lines.length, [{ text: `${value} (${href})` }])
  lines[0]?.unshift({ text: `${label}: ` })
  writeSpans(layout, lines, { ...bodyStyle, spaceAfter: 1, indent })
}

function writeHeader({ layout, brandColour }: Writer, { title, description }: ReportHeader): void {
  addSpace(layout, 6)
  writeText(layout, title, {
    ...{ size: 12, colour: brandColour, bold: true, spaceAfter: 2, minSpaceBelow: 26 },
    heading: 3,
  })
  writeMarkdown(layout, description, 0)
}

function writeStep(writer: Writer, step: ReportStep): void {
  const { layout, brandColour } = writer
  for (const header of step.headers) writeHeader(writer, header)
  addSpace(layout, 5)
  writeText(layout, `${step.number}. ${step.title}`, {
    size: 11,
    colour: textColour,
    bold: true,
    spaceAfter: 2,
    minSpaceBelow: 26,
    heading: 3,
  })
  writeMarkdown(layout, step.description, stepIndent)
  for (const detail of step.details) writeFact(writer, detail, stepIndent)
  const answerStyle = { ...bodyStyle, colour: brandColour, bold: true, indent: stepIndent }
  if (step.answer) writeText(layout, `${step.answer} – ${step.durationAndTime}`, answerStyle)
  writePlainText(layout, step.note, stepIndent)
  for (const fallback of step.fallbacks) writeFallback(writer, fallback, stepIndent)
  for (const customStep of step.customSteps) writeCustomStep(writer, customStep, stepIndent)
  for (const evidence of step.evidence) writeEvidence(writer, evidence, stepIndent)
}

function writeFallback(writer: Writer, { title, outcome, note }: ReportFallback, indent: number): void {
  writeText(writer.layout, `Also tried: ${title} – ${outcome}`, { ...bodyStyle, indent })
  writePlainText(writer.layout, note, indent + stepIndent)
}

function writeCustomStep(
  writer: Writer,
  { title, description, source }: ReportCustomStep,
  indent: number,
): void {
  writeText(writer.layout, `Also done: ${title} (${source})`, { ...bodyStyle, indent })
  writeMarkdown(writer.layout, description, indent + stepIndent)
}

function writeEvidence(
  { layout, images }: Writer,
  { kind, title, content, image, by }: Evidence,
  indent: number,
): void {
  const name = addName(title, by)
  const titles: Record<Evidence['kind'], string> = { screenshot: `[Screenshot: ${name}]`, text: name }
  const writers: Record<Evidence['kind'], typeof writeCode> = { screenshot: writePlainText, text: writeCode }
  const loadedImage = image === null ? undefined : images.get(image)
  writeText(layout, titles[kind], { ...evidenceTitleStyle, indent })
  if (loadedImage) writeImage(layout, loadedImage, { indent, description: name })
  writers[kind](layout, content, indent)
}

/**
 * Return whether the report contains kana. They occur only in Japanese, so Han characters then need their
 * Japanese shapes.
 */
function hasKana(report: Report): boolean {
  return /[\u3040-\u30ff]/.test(JSON.stringify(report))
}

/**
 * Return the code points of all texts by kind of font. Code can contain any of them, so the fonts for code
 * are loaded for all too.
 */
function collectCodePoints(
  report: Report,
  { company, footer }: Branding,
  kind: TextKind,
): Map<TextKind, Set<number>> {
  const codePoints = new Set<number>()
  const collect = (value: unknown): void => {
    if (typeof value === 'string') addCodePoints(value, codePoints)
    else if (typeof value === 'object' && value !== null)
      for (const item of Object.values(value)) collect(item)
  }
  const printableAscii = Array.from({ length: 95 }, (_, n) => String.fromCharCode(n + 32)).join('')
  collect([report, company, footer, printableAscii, '–•☐☑'])
  return new Map([
    [kind, codePoints],
    ['mono', codePoints],
  ])
}
