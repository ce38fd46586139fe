import type { AssetsPort } from '../assets/assets.ts'
import { PdfFile, type Picture, short } from './pdf-file.ts'
import { Flow, type Look, margin, page } from './pdf-flow.ts'
import { loadFonts, type Order } from './pdf-fonts.ts'
import { charactersOf } from './pdf-text.ts'
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
export async function pdfOf(report: Report, branding: Branding, assets: AssetsPort): Promise<Uint8Array<ArrayBuffer>> {
  const order: Order = hasKana(report) ? 'ja' : 'text'
  const fonts = await loadFonts(assets, charactersIn(report, branding, order))
  const file = new PdfFile(fonts)
  const flow = new Flow(file, fonts, order)
  new Writer(flow, colourOf(branding.colour)).write(report)
  frame(flow, branding, report.title)
  return file.bytes(page, { title: report.title, author: branding.company }, branding.logo)
}

class Writer {
  readonly #flow: Flow
  readonly #colour: string

  constructor(flow: Flow, colour: string) {
    this.#flow = flow
    this.#colour = colour
  }

  write(report: Report): void {
    this.#flow.text(report.title, { size: 20, colour: this.#colour, bold: true, after: 6 })
    this.#written(report.description, 0)
    this.#facts(report.facts)
    this.#section('Details', report.variables, () => this.#facts(report.variables))
    this.#section('Steps', report.steps, (step) => this.#step(step))
    this.#section('Also tried', report.fallbacks, (one) => this.#fallback(one, 0))
    this.#section('Also done', report.additions, (one) => this.#addition(one, 0))
    this.#section('Supporting data', report.evidence, (one) => this.#evidence(one, 0))
    this.#section('Notes', report.notes ? [report.notes] : [], (text) => this.#typed(text, 0))
    this.#section('Next steps', report.nextSteps ? [report.nextSteps] : [], (text) => this.#typed(text, 0))
  }

  #section<T>(title: string, items: readonly T[], each: (item: T) => void): void {
    if (items.length === 0) return
    this.#flow.space(12)
    this.#flow.text(title, { size: 14, colour: this.#colour, bold: true, keep: 40 })
    this.#flow.rule(this.#colour)
    if (title === 'Details') each(items[0] as T)
    else for (const item of items) each(item)
  }

  #facts(facts: readonly Fact[]): void {
    for (const { label, value } of facts) this.#flow.text(`${label}: ${value}`, { ...body, after: 1 })
  }

  #step({ number, title, description, answer, time, note, fallbacks, additions, evidence }: Step): void {
    this.#flow.space(5)
    this.#flow.text(`${number}. ${title}`, { size: 11, colour: ink, bold: true, after: 2, keep: 26 })
    this.#written(description, 14)
    this.#flow.text(`${answer} – ${time}`, { ...body, colour: this.#colour, bold: true, indent: 14 })
    this.#typed(note, 14)
    for (const one of fallbacks) this.#fallback(one, 14)
    for (const one of additions) this.#addition(one, 14)
    for (const one of evidence) this.#evidence(one, 14)
  }

  #fallback({ title, outcome, note }: Fallback, indent: number): void {
    this.#flow.text(`Instead: ${title} – ${outcome}`, { ...body, indent })
    this.#typed(note, indent + 14)
  }

  #addition({ title, description, source }: Addition, indent: number): void {
    this.#flow.text(`Also done: ${title} (${source})`, { ...body, indent })
    this.#written(description, indent + 14)
  }

  #evidence({ kind, title, content }: Evidence, indent: number): void {
    this.#flow.text(kind === 'screenshot' ? `[Screenshot: ${title}]` : title, { ...aside, bold: true, indent, keep: 14 })
    if (kind === 'text') this.#code(content, indent)
    else if (content) this.#typed(content, indent)
  }

  #typed(text: string, indent: number): void {
    for (const block of text ? typedBlocks(text) : []) this.#block(block, indent)
  }

  #written(text: string, indent: number): void {
    for (const block of text ? writtenBlocks(text) : []) this.#block(block, indent)
  }

  #block(block: Block, indent: number): void {
    if (block.kind === 'code') this.#code(block.text, indent)
    else if (block.kind === 'title') this.#flow.text(plainText(block.spans), { ...body, bold: true, indent })
    else if (block.kind === 'plain') this.#flow.text(block.lines.map(plainText).join('\n'), { ...body, indent })
    else {
      const sign = block.marker === '-' ? '•' : block.marker
      this.#flow.text(`${sign} ${plainText(block.spans)}`, { ...body, after: 1, indent: indent + 10 + block.depth * 12 })
    }
  }

  #code(text: string, indent: number): void {
    this.#flow.text(text, { size: 8.5, colour: ink, order: 'mono', back: paper, indent, after: 6 })
  }
}

/** Whose document it is at the head of every page, and at its foot what they say and which page it is. */
function frame(flow: Flow, { company, colour, footer, logo }: Branding, title: string): void {
  const { file } = flow
  const look: Look = { size: 8, colour: quiet }
  const head = page.height - 46
  const room = page.width - 2 * margin
  for (let n = 0; n < file.pages; n++) {
    const line = `${colourOf(colour)} RG 1.5 w ${margin} ${page.height - 66} m ${page.width - margin} ${page.height - 66} l S`
    file.draw(line, n)
    const left = margin + (logo ? drawLogo(flow, logo, n) + 8 : 0)
    const [name] = flow.lines(company, { ...look, size: 11 }, room / 2)
    if (name) file.drawLine(name, left, head, 11, { colour: colourOf(colour), bold: true }, n)
    const [shown] = n > 0 ? flow.lines(title, look, room / 3) : []
    if (shown) file.drawLine(shown, page.width - margin - (shown.width * 8) / 1000, head, 8, look, n)
    const [number] = flow.lines(`Page ${n + 1} of ${file.pages}`, look, room)
    if (number) file.drawLine(number, page.width - margin - (number.width * 8) / 1000, 40, 8, look, n)
    for (const [index, said] of flow
      .lines(footer ?? '', look, room - 90)
      .slice(0, 3)
      .entries())
      file.drawLine(said, margin, 50 - index * 11, 8, look, n)
  }
}

/** Points it takes from left to right. */
function drawLogo({ file }: Flow, { width, height }: Picture, n: number): number {
  const scale = Math.min(110 / width, 34 / height)
  file.draw(`q ${short(width * scale)} 0 0 ${short(height * scale)} ${margin} ${page.height - 60} cm /Logo Do Q`, n)
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
