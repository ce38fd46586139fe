import { fencesOf, code as inFence } from '../flows/markdown-fences.ts'

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
  return blocksOf(text, (lines) => paragraphs(lines, (line) => [{ text: line }]))
}

/** A text that is markdown: headings, lists, emphasis, links and code; everything else is shown as it stands. */
export function writtenBlocks(text: string): Block[] {
  return blocksOf(text, (lines) => {
    const blocks: Block[] = []
    let open: string[] = []
    const close = () => {
      blocks.push(...paragraphs(open, spansOf))
      open = []
    }
    for (const line of lines) {
      const block = lineBlock(line)
      if (!block) open.push(line)
      else {
        close()
        blocks.push(block)
      }
    }
    close()
    return blocks
  })
}

const heading = /^ {0,3}#{1,6}[ \t]+(\S.*)$/
const listed = /^([ \t]*)([-*+]|\d{1,9}[.)])[ \t]+(\S.*)$/

// Most lines begin with a letter, and are neither.
const mayBegin = /^[ \t]*[-#*+\d]/

function lineBlock(line: string): Block | null {
  if (!mayBegin.test(line)) return null
  const title = heading.exec(line)?.[1]
  if (title !== undefined) return { kind: 'title', spans: spansOf(title) }
  const [, indent = '', marker = '', rest] = listed.exec(line) ?? []
  if (rest === undefined) return null
  const depth = Math.min(4, Math.floor(indent.replaceAll('\t', '    ').length / 2))
  return { kind: 'item', marker: /\d/.test(marker) ? marker : '-', depth, spans: spansOf(rest) }
}

function blocksOf(text: string, prose: (lines: string[]) => Block[]): Block[] {
  const lines = linesOf(text)
  if (!text.includes('```') && !text.includes('~~~')) return prose(lines)
  const fences = fencesOf(lines)
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const isCode = fences[at] === inFence
    const from = at
    at = isCode ? fenceEnd(lines, fences, at) : nextCode(fences, at)
    if (!isCode) blocks.push(...prose(lines.slice(from, at)))
    else blocks.push({ kind: 'code', text: lines.slice(from + 1, at - 1).join('\n'), language: languageOf(lines[from] ?? '') })
  }
  return blocks
}

export function linesOf(text: string): string[] {
  return (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text).split('\n')
}

function nextCode(fences: Uint8Array, from: number): number {
  const at = fences.indexOf(inFence, from)
  return at < 0 ? fences.length : at
}

/** Behind the closing fence: the first that is as long as the opening one. */
function fenceEnd(lines: readonly string[], fences: Uint8Array, from: number): number {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(lines[from] ?? '')?.[1] ?? ''
  for (let at = from + 1; fences[at] === inFence; at++) {
    const close = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(lines[at] ?? '')?.[1]
    if (close && close[0] === fence[0] && close.length >= fence.length) return at + 1
  }
  return lines.length
}

function languageOf(line: string): string {
  return /[`~]{3,}[ \t]*([\w+#.-]{1,40})/.exec(line)?.[1] ?? ''
}

function paragraphs(lines: readonly string[], spans: (line: string) => Span[]): Block[] {
  const blocks: { kind: 'plain'; lines: Span[][] }[] = []
  let fresh = true
  for (const line of lines) {
    if (line.trim() === '') fresh = true
    else if (fresh) {
      blocks.push({ kind: 'plain', lines: [spans(line)] })
      fresh = false
    } else blocks.at(-1)?.lines.push(spans(line))
  }
  return blocks
}

const inline = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^[\]\n]{1,500})\]\(((?:https?:\/\/|mailto:)[^()\s[\]<>]{1,2000})\)/g

function spansOf(line: string): Span[] {
  if (!/[`*[]/.test(line)) return [{ text: line }]
  const spans: Span[] = []
  let from = 0
  for (const found of line.matchAll(inline)) {
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
