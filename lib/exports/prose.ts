import { type CodeBlock, codeBlocksOf } from '../flows/markdown-fences.ts'

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
  return blocksOf(text, (line, { paragraph }) => paragraph([{ text: line }]))
}

/** A text that is markdown: headings, lists, emphasis, links and code; everything else is shown as it stands. */
export function writtenBlocks(text: string): Block[] {
  return blocksOf(text, (line, { paragraph, block }) => {
    const one = lineBlock(line)
    if (one) block(one)
    else paragraph(spansOf(line))
  })
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

/** Where a line goes: to the paragraph it continues or begins, or to a block of its own. */
interface Blocks {
  paragraph(line: Span[]): void
  block(block: Block): void
}

function blocksOf(text: string, place: (line: string, blocks: Blocks) => void): Block[] {
  const blocks: Block[] = []
  let open: Span[][] | null = null
  const into: Blocks = {
    paragraph: (line) => {
      if (open) open.push(line)
      else {
        open = [line]
        blocks.push({ kind: 'plain', lines: open })
      }
    },
    block: (block) => {
      blocks.push(block)
      open = null
    },
  }
  const lines = linesOf(text)
  const code = text.includes('```') || text.includes('~~~') ? codeBlocksOf(lines).blocks : []
  let next = 0
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string
    if (at === code[next]?.from) {
      const { from, to } = code[next++] as CodeBlock
      into.block({ kind: 'code', text: lines.slice(from + 1, to).join('\n'), language: languageOf(line) })
      at = to
    } else if (line === '' || line.trim() === '') open = null
    else place(line, into)
  }
  return blocks
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
