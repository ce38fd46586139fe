import { canSpend, spend } from '#rules/budget.ts'
import type { Block, Lines, ListItem, Span, Table } from '#rules/markup/blocks.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import { measureMarkup } from '#rules/markup/markup-work.ts'
import { parseMarkdown } from '#rules/markup/parse-blocks.ts'
import { writeBlocks } from '#rules/markup/write-blocks.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import { changeVerb } from './mask-labelled.ts'
import { headerCell } from './mask-tables.ts'
import { detectTraits, trait } from './mask-traits.ts'
import { maskLines } from './mask-values.ts'
import { isSecretLabel, looksSecret, maskLabelledValue } from './secret-labels.ts'

// What is masked is what is shown: the rules judge the texts that our parser reads from the markup, and a label
// together with the value that the markup has put apart from it.

type MaskText = (text: string) => string

/** Markup that may hide a value, or stand inside of one. */
const hidingMarkup = /[\\&*_~`[\]<|]/
const mark = /(\[masked [^\]\n]{1,30}\])/
/** A mark that cannot be read as the text of a link needs no escapes. */
const escapedMark = /\\\[(masked [^\]\\\n]{1,30})\\\](?![[(])/g

/**
 * Mask what a markdown text shows. One in which something was masked is written anew. Spend the work of
 * parsing it; a text that takes more than is left becomes a mark.
 */
export function maskMarkdown(text: string, maskText: MaskText): string {
  const isMarkup = hidingMarkup.test(text) || (text.includes('\n') && detectTraits(text) & labelTraits)
  if (!isMarkup) return maskText(text)
  const { steps } = measureMarkup(text)
  if (!canSpend(steps)) return shortenedMark
  spend(steps)
  const masker = new BlockMasker(maskText)
  const blocks = masker.maskBlocks(parseMarkdown(toMarkdown(text)), '')
  return masker.isChanged ? writeBlocks(blocks, 'heading').replace(escapedMark, '[$1]') : text
}

/** A text without these names no secret. */
const labelTraits = trait.secretName | trait.nonAscii
const maxLabelLength = 120
const maxLabelWords = 6
/** More words are a text about a secret, unless the label ends with a colon. */
const maxValueWords = 4
/** In a table, more words are a sentence about the secret. */
const maxCellWords = 3

class BlockMasker {
  isChanged = false
  /** The line that is shown before the next text. */
  #previous = ''
  #heading = ''
  readonly #maskText: MaskText

  constructor(maskText: MaskText) {
    this.#maskText = maskText
  }

  /** Mask blocks in their order. `owner` is the line before the list or the quote that they belong to. */
  maskBlocks(blocks: readonly Block[], owner: string): Block[] {
    return blocks.map((block) => this.#maskBlock(block, owner))
  }

  #maskBlock(block: Block, owner: string): Block {
    switch (block.kind) {
      case 'rule':
        return block
      case 'quote':
        return { ...block, blocks: this.maskBlocks(block.blocks, this.#previous) }
      case 'list': {
        const label = this.#previous || owner
        return {
          ...block,
          items: block.items.map(
            (item): ListItem => ({ ...item, blocks: this.maskBlocks(item.blocks, label) }),
          ),
        }
      }
      case 'table':
        return this.#maskTable(block)
      case 'code':
        return { ...block, text: this.#maskShown(block.text, owner) }
      case 'paragraph':
        return { ...block, lines: this.#maskSpans(block.lines, (text) => this.#maskShown(text, owner)) }
      case 'heading': {
        const [spans = []] = this.#maskSpans([block.spans], (text) => this.#maskShown(text, owner))
        this.#heading = this.#previous
        return { ...block, spans }
      }
    }
  }

  /** Mask a shown text with the lines that may name its secret. */
  #maskShown(text: string, owner: string): string {
    const besidePrevious = maskBeside(this.#previous, text, this.#maskText)
    const masked = [owner, this.#heading].reduce((rest, label) => maskBelow(label, rest), besidePrevious)
    this.#previous = readLastLine(text)
    return this.#note(text, masked)
  }

  #maskTable(table: Table): Table {
    const texts = table.rows.map((cells) => cells.map(joinSpans))
    const rows = table.rows.map((cells, row) =>
      cells.map((spans, column) => {
        const labels = [row > 0 ? (texts[0]?.[column] ?? '') : '', texts[row]?.[column - 1] ?? '']
        const maskCell = (text: string) => {
          const label = labels.find(
            (label) => headerCell.test(label.trim()) && isLabel(label, maxCellWords) && isSecretLabel(label),
          )
          const isValue = label !== undefined && (row > 0 || looksSecret(text.trim()))
          const masked = this.#maskText(text)
          return this.#note(text, isValue ? maskLabelledValue(label, masked) : masked)
        }
        return this.#maskSpans([spans], maskCell).flat()
      }),
    )
    this.#previous = ''
    return { ...table, rows }
  }

  /** Mask the text of spans, and the addresses and the titles of links. */
  #maskSpans(lines: Lines, maskText: MaskText): Lines {
    const safeLines = lines.map((spans) => spans.map((span) => this.#maskSpan(span)))
    const text = safeLines.map(joinSpans).join('\n')
    const masked = maskText(text)
    return masked === text ? safeLines : spread(safeLines, text, masked)
  }

  /** Mask a span of code, which a sentence around it would hide, and the target of a link. */
  #maskSpan(span: Span): Span {
    const { href, title } = span
    if (span.code) return { ...span, text: this.#note(span.text, this.#maskText(span.text)) }
    if (href === undefined) return span
    const isTitleSafe = title === undefined || this.#note(title, this.#maskText(title)) === title
    return {
      ...span,
      href: this.#note(href, this.#maskText(href)),
      title: isTitleSafe ? title : undefined,
    }
  }

  #note(text: string, masked: string): string {
    this.isChanged ||= masked !== text
    return masked
  }
}

const joinSpans = (spans: readonly Span[]): string => spans.map(({ text }) => text).join('')

function readLastLine(text: string): string {
  const line = text.slice(text.trimEnd().lastIndexOf('\n') + 1).trim()
  return line.length <= maxLabelLength ? line : ''
}

/** Return whether a line that names a secret is its label, and not a sentence about it. */
function isLabel(line: string, maxWords = maxLabelWords): boolean {
  return (
    line !== '' &&
    (detectTraits(line) & labelTraits) !== 0 &&
    !/[.!?…]$/.test(line) &&
    !changeVerb.test(line) &&
    line.trim().split(/\s+/).length <= maxWords
  )
}

/** Mask a text alone and as if the line before it stood beside it. */
function maskBeside(line: string, text: string, maskText: MaskText): string {
  const alone = maskText(text)
  const [first = '', ...others] = alone.trim().split(/\s+/, maxValueWords + 1)
  const isValue = others.length < maxValueWords || /[:：=]$/.test(line) || looksSecret(first)
  if (!isValue || !isLabel(line)) return maskBelow(line, alone)
  const label = `${line.replace(/[\s:：=]+$/, '')}: `
  const masked = maskText(label + alone)
  return masked.startsWith(label) ? masked.slice(label.length) : alone
}

/** Mask the lines of a text that look like a secret, if a line somewhere above it names one. */
function maskBelow(line: string, text: string): string {
  return line !== '' && isSecretLabel(line) ? maskLines(line, text) : text
}

/** Give the parts of a masked text the styles that they had. */
function spread(lines: Lines, text: string, masked: string): Lines {
  const spans = lines.flatMap((line, index) => (index === 0 ? line : [{ text: '\n' }, ...line]))
  const parts = masked.split(mark)
  const result: Span[] = []
  let position = 0
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      result.push({ text: part })
      continue
    }
    const start = index === parts.length - 1 ? text.lastIndexOf(part) : text.indexOf(part, position)
    // Masking also removes invisible characters.
    if (start < position) return masked.split('\n').map((line) => [{ text: line }])
    result.push(...sliceSpans(spans, start, start + part.length))
    position = start + part.length
  }
  return splitAtLineBreaks(result)
}

function sliceSpans(spans: readonly Span[], start: number, end: number): Span[] {
  const slices: Span[] = []
  let position = 0
  for (const span of spans) {
    const text = span.text.slice(Math.max(0, start - position), Math.max(0, end - position))
    if (text !== '') slices.push({ ...span, text })
    position += span.text.length
  }
  return slices
}

function splitAtLineBreaks(spans: readonly Span[]): Lines {
  const lines: Lines = [[]]
  for (const span of spans)
    for (const [index, text] of span.text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (text !== '') lines.at(-1)?.push({ ...span, text })
    }
  return lines
}
