import { bytesOf, draw, drawLine, type Picture, type Sheets, short } from '../pdf/file.ts'
import { loadFonts, type Order, type ReadAsset } from '../pdf/fonts.ts'
import { beginFlow, type Flow, type Look, linesOf, margin, page, rule, space, write } from '../pdf/layout.ts'
import { charactersOf } from '../pdf/text.ts'
import { type Block, plainText, typedBlocks, writtenBlocks } from './prose.ts'
import type { Addition, Evidence, Fact, Fallback, Report, Step } from './report.ts'

/** How a team's documents look. */
export interface Branding {
  company: string
  /** `#rrggbb`; null for the house's own. */
  colour: string | null
  footer: string | null
  logo: Picture | null
}

const ink = '0.12 0.16 0.2'
const quiet = '0.38 0.43 0.49'
const paper = '0.955 0.965 0.975'
const body: Look = { size: 10, colour: ink, after: 3 }
const aside: Look = { size: 9, colour: quiet, after: 3 }

/** A report as PDF, in the look of its team. */
export async function pdfOf(report: Report, branding: Branding, readAsset: ReadAsset): Promise<Uint8Array<ArrayBuffer>> {
  const order: Order = hasKana(report) ? 'ja' : 'text'
  const fonts = await loadFonts(readAsset, charactersIn(report, branding, order))
  const flow = beginFlow(fonts, order)
  writeReport({ flow, colour: colourOf(branding.colour) }, report)
  for (let n = 0; n < flow.sheets.pages.length; n++) frame(flow, branding, report.title, n)
  return bytesOf(flow.sheets, { ...page, title: report.title, author: branding.company, logo: branding.logo })
}

/** What is written on. */
interface Writing {
  flow: Flow
  /** Of headings: `r g b`. */
  colour: string
}

function writeReport(to: Writing, report: Report): void {
  write(to.flow, report.title, { size: 20, colour: to.colour, bold: true, after: 6 })
  written(to, report.description, 0)
  facts(to, report.facts)
  section(to, 'Details', report.variables, () => facts(to, report.variables))
  section(to, 'Steps', report.steps, (one) => step(to, one))
  section(to, 'Also tried', report.fallbacks, (one) => fallback(to, one, 0))
  section(to, 'Also done', report.additions, (one) => addition(to, one, 0))
  section(to, 'Supporting data', report.evidence, (one) => evidence(to, one, 0))
  section(to, 'Notes', report.notes ? [report.notes] : [], (text) => typed(to, text, 0))
  section(to, 'Next steps', report.nextSteps ? [report.nextSteps] : [], (text) => typed(to, text, 0))
}

function section<T>(to: Writing, title: string, items: readonly T[], each: (item: T) => void): void {
  if (items.length === 0) return
  space(to.flow, 12)
  write(to.flow, title, { size: 14, colour: to.colour, bold: true, keep: 40 })
  rule(to.flow, to.colour)
  if (title === 'Details') each(items[0] as T)
  else for (const item of items) each(item)
}

function facts(to: Writing, list: readonly Fact[]): void {
  for (const { label, value } of list) write(to.flow, `${label}: ${value}`, { ...body, after: 1 })
}

function step(to: Writing, { number, title, description, answer, time, note, fallbacks, additions, evidence: shown }: Step): void {
  space(to.flow, 5)
  write(to.flow, `${number}. ${title}`, { size: 11, colour: ink, bold: true, after: 2, keep: 26 })
  written(to, description, 14)
  write(to.flow, `${answer} – ${time}`, { ...body, colour: to.colour, bold: true, indent: 14 })
  typed(to, note, 14)
  for (const one of fallbacks) fallback(to, one, 14)
  for (const one of additions) addition(to, one, 14)
  for (const one of shown) evidence(to, one, 14)
}

function fallback(to: Writing, { title, outcome, note }: Fallback, indent: number): void {
  write(to.flow, `Instead: ${title} – ${outcome}`, { ...body, indent })
  typed(to, note, indent + 14)
}

function addition(to: Writing, { title, description, source }: Addition, indent: number): void {
  write(to.flow, `Also done: ${title} (${source})`, { ...body, indent })
  written(to, description, indent + 14)
}

function evidence(to: Writing, { kind, title, content }: Evidence, indent: number): void {
  write(to.flow, kind === 'screenshot' ? `[Screenshot: ${title}]` : title, { ...aside, bold: true, indent, keep: 14 })
  if (kind === 'text') code(to, content, indent)
  else if (content) typed(to, content, indent)
}

function typed(to: Writing, text: string, indent: number): void {
  for (const one of text ? typedBlocks(text) : []) block(to, one, indent)
}

function written(to: Writing, text: string, indent: number): void {
  for (const one of text ? writtenBlocks(text) : []) block(to, one, indent)
}

function block(to: Writing, one: Block, indent: number): void {
  if (one.kind === 'code') code(to, one.text, indent)
  else if (one.kind === 'title') write(to.flow, plainText(one.spans), { ...body, bold: true, indent })
  else if (one.kind === 'plain') write(to.flow, one.lines.map(plainText).join('\n'), { ...body, indent })
  else {
    const sign = one.marker === '-' ? '•' : one.marker
    write(to.flow, `${sign} ${plainText(one.spans)}`, { ...body, after: 1, indent: indent + 10 + one.depth * 12 })
  }
}

function code(to: Writing, text: string, indent: number): void {
  write(to.flow, text, { size: 8.5, colour: ink, order: 'mono', back: paper, indent, after: 6 })
}

/** Whose document it is at the head of a page, and at its foot what they say and which page it is. */
function frame(flow: Flow, { company, colour, footer, logo }: Branding, title: string, n: number): void {
  const { sheets } = flow
  const look: Look = { size: 8, colour: quiet }
  const [head, right, room] = [page.height - 46, page.width - margin, page.width - 2 * margin]
  draw(sheets, `${colourOf(colour)} RG 1.5 w ${margin} ${page.height - 66} m ${right} ${page.height - 66} l S`, n)
  const left = margin + (logo ? drawLogo(sheets, logo, n) + 8 : 0)
  const [name] = linesOf(flow, company, { ...look, size: 11 }, room / 2)
  if (name) drawLine(sheets, name, left, head, 11, { colour: colourOf(colour), bold: true }, n)
  const [shown] = n > 0 ? linesOf(flow, title, look, room / 3) : []
  if (shown) drawLine(sheets, shown, right - (shown.width * 8) / 1000, head, 8, look, n)
  const [number] = linesOf(flow, `Page ${n + 1} of ${sheets.pages.length}`, look, room)
  if (number) drawLine(sheets, number, right - (number.width * 8) / 1000, 40, 8, look, n)
  const said = linesOf(flow, footer ?? '', look, room - 90).slice(0, 3)
  for (const [index, line] of said.entries()) drawLine(sheets, line, margin, 50 - index * 11, 8, look, n)
}

/** Points it takes from left to right. */
function drawLogo(sheets: Sheets, { width, height }: Picture, n: number): number {
  const scale = Math.min(110 / width, 34 / height)
  draw(sheets, `q ${short(width * scale)} 0 0 ${short(height * scale)} ${margin} ${page.height - 60} cm /Logo Do Q`, n)
  return width * scale
}

function colourOf(hex: string | null): string {
  const [red, green, blue] = [1, 3, 5].map((at) => short(Number.parseInt((hex ?? '#1d4ed8').slice(at, at + 2), 16) / 255))
  return `${red} ${green} ${blue}`
}

function hasKana(report: Report): boolean {
  return /[\u3040-\u30ff]/.test(JSON.stringify(report))
}

/** All that is shown; code is looked up in both orders, since it may stand anywhere. */
function charactersIn(report: Report, { company, footer }: Branding, order: Order): Map<Order, Set<number>> {
  const codes = new Set<number>()
  const gather = (value: unknown): void => {
    if (typeof value === 'string') charactersOf(value, codes)
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) gather(one)
  }
  gather([report, company, footer, Array.from({ length: 95 }, (_, n) => String.fromCharCode(n + 32)).join(''), '–•'])
  return new Map([
    [order, codes],
    ['mono', codes],
  ])
}
