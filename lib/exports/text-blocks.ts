import { type CodeBlock, codeBlocksOf } from '../flows/markdown/fences.ts'

// Long texts as every format shows them: what a technician typed stays as it was typed, what an author wrote as markdown is read.

export interface Span {
  text: string
  as?: 'strong' | 'code' | 'link'
  href?: string
}
export type Block =
  | { kind: 'code'; text: string; language: string }
  | { kind: 'plain'; lines: Span[][] }
  | { kind: 'item'; marker: string; depth: number; spans: Span[] }
  | { kind: 'title'; spans: Span[] }

/** A text as it was typed, but for its code blocks. */
export function typedBlocks(text: string): Block[] {
  return blocksOf(text, false)
}

/** A text that is markdown: headings, lists, emphasis, links and code; everything else is shown as it stands. */
export function writtenBlocks(text: string): Block[] {
  return blocksOf(text, true)
}

const heading = /^ {0,3}#{1,6}[ \t]+(\S.*)$/
const listed = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(\S.*)$/

const greatestSign = '9'.charCodeAt(0)

function lineBlock(line: string): Block | null {
  // Most lines begin with a letter, and are neither.
  if (line.charCodeAt(0) > greatestSign) return null
  const title = heading.exec(line)?.[1]
  if (title !== undefined) return { kind: 'title', spans: spansOf(title) }
  const [, indent = '', marker = '', rest] = listed.exec(line) ?? []
  if (rest === undefined) return null
  const depth = Math.min(4, Math.floor(indent.replaceAll('\t', '    ').length / 2))
  return { kind: 'item', marker: /\d/.test(marker) ? marker : '-', depth, spans: spansOf(rest) }
}

function blocksOf(text: string, isMarkdown: boolean): Block[] {
  const blocks: Block[] = []
  const lines = linesOf(text)
  const code = text.includes('```') || text.includes('~~~') ? codeBlocksOf(lines).blocks : none
  let next = 0
  // Of the paragraph that the next line goes on with.
  let open: Span[][] | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    if (next < code.length && at === code[next]?.from) {
      const { from, to } = code[next++] as CodeBlock
      blocks.push({ kind: 'code', text: lines.slice(from + 1, to).join('\n'), language: languageOf(line) })
      open = null
      at = to
      continue
    }
    const block = isMarkdown ? lineBlock(line) : null
    if (block || isBlank(line)) {
      if (block) blocks.push(block)
      open = null
      continue
    }
    const spans = isMarkdown ? spansOf(line) : [{ text: line }]
    if (open) open.push(spans)
    else {
      open = [spans]
      blocks.push({ kind: 'plain', lines: open })
    }
  }
  return blocks
}

const none: readonly CodeBlock[] = []

function isBlank(line: string): boolean {
  const code = line.charCodeAt(0)
  // Most lines begin with what is no space.
  return code > 0x20 && code < 0xa0 ? false : line.trim() === ''
}

export function linesOf(text: string): string[] {
  return (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).split('\n')
}

function languageOf(line: string): string {
  return /[`~]{3,}[ \t]*([\w+#.-]{1,40})/.exec(line)?.[1] ?? ''
}

const inline = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^[\]\n]{1,500})\]\(((?:https?:\/\/|mailto:)[^()\s[\]<>]{1,2000})\)/g

function spansOf(line: string): Span[] {
  if (!line.includes('`') && !line.includes('**') && !line.includes('](')) return [{ text: line }]
  const spans: Span[] = []
  let from = 0
  inline.lastIndex = 0
  for (let found = inline.exec(line); found; found = inline.exec(line)) {
    if (found.index > from) spans.push({ text: line.slice(from, found.index) })
    from = found.index + found[0].length
    const [, code, strong, label, href] = found
    if (code !== undefined) spans.push({ text: code, as: 'code' })
    else if (strong !== undefined) spans.push({ text: strong, as: 'strong' })
    else spans.push({ text: label ?? '', as: 'link', href: href ?? '' })
  }
  if (from < line.length) spans.push({ text: line.slice(from) })
  return spans
}

/** What a line says where nothing can be set apart. */
export function plainText(spans: readonly Span[]): string {
  return spans.map(({ text, as, href }) => (as === 'link' && href !== text ? `${text} (${href})` : text)).join('')
}

/** Parts that say something, with so much between them. */
export function joined(parts: readonly string[], between: string): string {
  let made = ''
  for (const part of parts) if (part !== '') made += made === '' ? part : between + part
  return made
}
