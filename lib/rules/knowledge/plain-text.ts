import { spend } from '#rules/budget.ts'
import { escapeInline, escapeMarkdown, toMarkdown } from '#rules/markup/markdown.ts'
import { type Block, createBlockWriter } from './blocks.ts'

/** Looking for markers and underlines. */
const stepsPerLine = 50
const itemStart = /^ {0,3}(?:[-*•–]|\(?\d{1,3}[.)]|step \d{1,3}[:.)]?)\s+\S/i
const headingUnderline = /^(?:={3,}|-{3,})\s*$/

/**
 * Read the blocks of a text without markup. Empty lines separate blocks, markers and numbers start items,
 * underlines make headings.
 */
export function readPlainText(text: string): Block[] {
  const writer = createBlockWriter()
  const lines = text.split('\n')
  spend(lines.length * stepsPerLine + text.length)
  let blockKind: 'item' | 'text' = 'text'
  let blockLines: string[] = []
  let fence = ''
  const endBlock = () => {
    writer.add(blockKind, toMarkdown(blockLines.join('\n').trimEnd()))
    blockKind = 'text'
    blockLines = []
  }
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    const nextLine = lines[index + 1] ?? ''
    const [mark = ''] = /^ {0,3}(?:`{3}|~{3})/.exec(line) ?? []
    if (fence !== '' || mark !== '') {
      if (fence === '') fence = mark.trim()
      else if (fence === mark.trim()) fence = ''
      blockLines.push(line)
      continue
    }
    const isBlank = line.trim() === ''
    if (!isBlank && blockLines.length === 0 && headingUnderline.test(nextLine)) {
      writer.add('heading', line.trim(), nextLine.startsWith('=') ? 1 : 2)
      // Skip the underline.
      index++
      continue
    }
    // After an empty line, an indented line still belongs to the item.
    const itemContinues = blockKind === 'item' && /^\s{2,}\S/.test(nextLine)
    if (isBlank && !itemContinues) endBlock()
    if (itemStart.test(line)) {
      endBlock()
      blockKind = 'item'
    }
    if (!isBlank || blockLines.length > 0) blockLines.push(escapeLine(line, blockLines.length === 0))
  }
  endBlock()
  return writer.blocks
}

const lineMarker = /^\s*(?:[-*•–]|\(?\d{1,3}[.)])\s+/

/**
 * Escape a line but not its marker. A block that starts with an indented line is code, which needs no escape.
 */
function escapeLine(line: string, isFirst: boolean): string {
  if (isFirst && /^(?: {4}|\t)/.test(line)) return line
  const [marker = ''] = lineMarker.exec(line) ?? []
  return marker + (marker === '' ? escapeMarkdown(line) : escapeInline(line.slice(marker.length)))
}
