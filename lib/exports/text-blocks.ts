import { type CodeBlock, findCodeBlocks } from '../text/code-fences.ts'

// Splits a long text into blocks, which every export format renders in its own way.

export interface Span {
  text: string
  style?: 'strong' | 'code' | 'link'
  /** The address; only a link has one. */
  href?: string
}
export type Block =
  | { kind: 'code'; text: string; language: string }
  | { kind: 'paragraph'; lines: Span[][] }
  /** `depth` is 0 for an item of the outermost list. */
  | { kind: 'item'; marker: string; depth: number; spans: Span[] }
  | { kind: 'heading'; spans: Span[] }

/** Parse a text that a technician typed: only fenced code blocks have a meaning. */
export function parsePlainText(text: string): Block[] {
  return parseBlocks(text, false)
}

/** Parse a markdown text: headings, list items, bold text, links and code. Other markup stays in the text as it is. */
export function parseMarkdown(text: string): Block[] {
  return parseBlocks(text, true)
}

function parseBlocks(text: string, isMarkdown: boolean): Block[] {
  const blocks: Block[] = []
  const lines = splitLines(text)
  const codeBlocks = text.includes('```') || text.includes('~~~') ? findCodeBlocks(lines).blocks : []
  let codeBlockIndex = 0
  /** The lines of the paragraph that the next line continues. */
  let openParagraph: Span[][] | null = null
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as string
    const codeBlock: CodeBlock | undefined = codeBlocks[codeBlockIndex]
    if (codeBlock?.from === index) {
      blocks.push({ kind: 'code', text: lines.slice(codeBlock.from + 1, codeBlock.to).join('\n'), language: parseLanguage(line) })
      openParagraph = null
      codeBlockIndex++
      index = codeBlock.to
      continue
    }
    const block = isMarkdown ? parseHeadingOrItem(line) : null
    if (block || line.trim() === '') {
      if (block) blocks.push(block)
      openParagraph = null
      continue
    }
    const spans = isMarkdown ? parseSpans(line) : [{ text: line }]
    if (openParagraph) openParagraph.push(spans)
    else {
      openParagraph = [spans]
      blocks.push({ kind: 'paragraph', lines: openParagraph })
    }
  }
  return blocks
}

const headingLine = /^ {0,3}#{1,6}[ \t]+(\S.*)$/
const itemLine = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(\S.*)$/
const maxItemDepth = 4

function parseHeadingOrItem(line: string): Block | null {
  const heading = headingLine.exec(line)?.[1]
  if (heading !== undefined) return { kind: 'heading', spans: parseSpans(heading) }
  const [, indent = '', marker = '', content] = itemLine.exec(line) ?? []
  if (content === undefined) return null
  const indentWidth = indent.replaceAll('\t', '    ').length
  const depth = Math.min(maxItemDepth, Math.floor(indentWidth / 2))
  return { kind: 'item', marker: /\d/.test(marker) ? marker : '-', depth, spans: parseSpans(content) }
}

/** Split a text at \n, \r\n and \r. */
export function splitLines(text: string): string[] {
  return (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).split('\n')
}

function parseLanguage(fenceLine: string): string {
  return /[`~]{3,}[ \t]*([\w+#.-]{1,40})/.exec(fenceLine)?.[1] ?? ''
}

/** Markup inside a line. The groups are: code, bold text, link label, link address. */
const inlineMarkup = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^[\]\n]{1,500})\]\(((?:https?:\/\/|mailto:)[^()\s[\]<>]{1,2000})\)/g

function parseSpans(line: string): Span[] {
  // Most lines have no markup, and this check is faster than the regular expression.
  if (!line.includes('`') && !line.includes('**') && !line.includes('](')) return [{ text: line }]
  const spans: Span[] = []
  let end = 0
  for (const match of line.matchAll(inlineMarkup)) {
    if (match.index > end) spans.push({ text: line.slice(end, match.index) })
    end = match.index + match[0].length
    const [, code, strong, label, href] = match
    if (code !== undefined) spans.push({ text: code, style: 'code' })
    else if (strong !== undefined) spans.push({ text: strong, style: 'strong' })
    else spans.push({ text: label ?? '', style: 'link', href: href ?? '' })
  }
  if (end < line.length) spans.push({ text: line.slice(end) })
  return spans
}

/** Return the text of the spans without styles. A link becomes `label (address)`. */
export function formatSpans(spans: readonly Span[]): string {
  return spans.map(({ text, style, href }) => (style === 'link' && href !== text ? `${text} (${href})` : text)).join('')
}

/** Join the parts that are not empty. */
export function joinNonEmpty(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== '').join(separator)
}
