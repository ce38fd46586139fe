import type { Block, Lines, ListItem, Span, Table } from '#rules/markup/blocks.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import { measureMarkup } from '#rules/markup/markup-work.ts'
import { parseMarkdown } from '#rules/markup/parse-blocks.ts'
import { writeBlocks } from '#rules/markup/write-blocks.ts'
import { changeVerb } from './mask-labelled.ts'
import { headerCell } from './mask-tables.ts'
import { countMaskingSteps, detectTraits, trait } from './mask-traits.ts'
import { maskLines } from './mask-values.ts'
import { listMaskedParts, mark } from './reading.ts'
import { isSecretLabel, looksSecret, maskLabelledValue } from './secret-labels.ts'

// What is masked is what is shown: the rules judge the texts that our parser reads from the markup, and a label
// together with the value that the markup has put apart from it.

type MaskText = (text: string) => string

/**
 * Markup that may hide a value or stand inside of one: escapes, references, emphasis, code, links, tables and
 * quotes. An underscore inside of a word is none.
 */
const hidingMarkup =
  /\\[!-/:-@[\]-`{-~]|&(?:#|[a-z])|[*~`]|(?<![a-z\d])_|_(?![a-z\d])|\]\(|<[a-z]|\|[ \t]*:?-|-:?[ \t]*\||\n[ \t]*>/i
/** A mark that cannot be read as the text of a link needs no escapes. */
const escapedMark = /\\\[(masked [^\]\\\n]{1,30})\\\](?![[(])/g

/** Return whether markup may hide a value of a text from the rules, or part it from its label. */
export function hasHidingMarkup(text: string): boolean {
  if (hidingMarkup.test(text)) return true
  return text.includes('\n') && (detectTraits(text) & labelTraits) !== 0 && text.split('\n').some(mayBeLabel)
}

/** Return whether a line without its marks may be a label. */
const mayBeLabel = (line: string): boolean =>
  line.length <= maxLabelLength + maxMarks && isLabel(line.replace(/^[\s>#+-]+|^\s*\d{1,9}[.)]\s/, '').trim())

/**
 * Mask what a markdown text shows. If the rules hide the same in the text as it is written, it keeps its
 * markup; else it is written anew from its blocks.
 */
export function maskMarkdown(text: string, maskText: MaskText): string {
  const masker = new BlockMasker(maskText)
  const blocks = masker.maskBlocks(parseMarkdown(toMarkdown(text)), '')
  if (!masker.isChanged) return text
  const written = maskText(text)
  return listTexts(parseMarkdown(toMarkdown(written))) === listTexts(blocks)
    ? written
    : writeBlocks(blocks, 'heading').replace(escapedMark, '[$1]')
}

/** Return all texts that blocks show, and the targets of their links. */
function listTexts(blocks: readonly Block[]): string {
  return blocks.map(showBlock).join('\n')
}

function showBlock(block: Block): string {
  switch (block.kind) {
    case 'rule':
      return ''
    case 'code':
      return block.text
    case 'heading':
      return showSpans(block.spans)
    case 'paragraph':
      return block.lines.map(showSpans).join('\n')
    case 'table':
      return block.rows.flatMap((cells) => cells.map(showSpans)).join('\n')
    case 'quote':
      return listTexts(block.blocks)
    case 'list':
      return block.items.map(({ blocks }) => listTexts(blocks)).join('\n')
  }
}

const showSpans = (spans: readonly Span[]): string =>
  spans.map(({ text, href = '', title = '' }) => text + href + title).join('')

/** A text is masked as it is written, as it is shown, and then beside the line before it. */
const timesMasked = 4
/** The text, the masked text, and writing it. */
const timesParsed = 3

/** Return how many steps it takes at most to mask a text with markup as it is shown, and as it is written. */
export function countShownSteps(text: string): number {
  const lines = text.split('\n').length
  return (
    countMaskingSteps(text) * timesMasked + lines * stepsPerLabel + measureMarkup(text).steps * timesParsed
  )
}

/** A text without these names no secret. */
const labelTraits = trait.secretName | trait.nonAscii
const maxLabelLength = 120
/** Of the marks and the indentation of a line. */
const maxMarks = 40
const maxLabelWords = 6
/** The line before a text is judged with it. */
const stepsPerLabel = maxLabelLength * 30
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
    (isSecretLabel(line) || /[:：=]$/.test(line)) &&
    !mark.test(line) &&
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
  const label = `${line.replace(/(?<![\s:：=])[\s:：=]+$/, '')}: `
  const masked = maskText(label + alone)
  return masked.startsWith(label) ? masked.slice(label.length) : alone
}

/** Mask the lines of a text that look like a secret, if a line somewhere above it names one. */
function maskBelow(line: string, text: string): string {
  return line !== '' && isSecretLabel(line) ? maskLines(line, text) : text
}

/** Give the parts of a masked text the styles that they had, and a mark that of what it hides. */
function spread(lines: Lines, text: string, masked: string): Lines {
  const parts = listMaskedParts(masked, text)
  if (!parts) return masked.split('\n').map((line) => [{ text: line }])
  const spans = createSpanReader(lines)
  const result: Lines = [[]]
  let position = 0
  for (const part of parts) {
    if ('mark' in part) {
      addSpan(result, { ...spans.peek(), text: part.mark })
      continue
    }
    spans.read(part.start - position)
    for (const span of spans.read(part.text.length)) addSpan(result, span)
    position = part.start + part.text.length
  }
  return result
}

/** Read the spans of lines, and the breaks between them, by numbers of characters. */
function createSpanReader(lines: Lines) {
  const spans = lines.flatMap((line, index): Span[] => (index === 0 ? line : [{ text: '\n' }, ...line]))
  let index = 0
  let offset = 0
  return {
    /** The span of the next character. */
    peek: (): Span => spans[index] ?? { text: '' },
    read(length: number): Span[] {
      const slices: Span[] = []
      for (let left = length; left > 0 && index < spans.length; ) {
        const span = spans[index] as Span
        const text = span.text.slice(offset, offset + left)
        slices.push({ ...span, text })
        left -= text.length
        offset += text.length
        if (offset === span.text.length) [index, offset] = [index + 1, 0]
      }
      return slices
    },
  }
}

/** Add a span to the last line, and to the last span if that has the same style. */
function addSpan(lines: Lines, span: Span): void {
  for (const [index, text] of span.text.split('\n').entries()) {
    if (index > 0) lines.push([])
    const line = lines.at(-1) as Span[]
    const last = line.at(-1)
    if (last && hasSameStyle(last, span)) last.text += text
    else if (text !== '') line.push({ ...span, text })
  }
}

const hasSameStyle = ({ text: _, ...style }: Span, { text: __, ...other }: Span): boolean =>
  JSON.stringify(style) === JSON.stringify(other)
