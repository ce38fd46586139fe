import { type Block, type List, parsePlainText, type Span, splitLines } from '#rules/markup/blocks.ts'
import type { Markdown } from '#rules/markup/markdown.ts'
import { parseMarkdown } from '#rules/markup/parse-blocks.ts'
import type { RunStyle } from '#rules/pdf/glyph.ts'
import type { TextRun } from '#rules/pdf/line-layout.ts'
import {
  drawRule,
  type PageLayout,
  type TextStyle,
  writeElement,
  writeLines,
  writeText,
} from '#rules/pdf/page-layout.ts'
import { addElement } from '#rules/pdf/structure.ts'
import { writeTable } from '#rules/pdf/table-layout.ts'

export const textColour = '0.12 0.16 0.2'
const quoteColour = '0.24 0.3 0.35'
const linkColour = '0.11 0.31 0.85'
const ruleColour = '0.8 0.84 0.88'
const codeBackground = '0.955 0.965 0.975'
export const bodyStyle: TextStyle = { size: 10, colour: textColour, spaceAfter: 3 }
const codeStyle: TextStyle = {
  size: 8.5,
  colour: textColour,
  kind: 'mono',
  background: codeBackground,
  spaceAfter: 6,
}
const [itemIndent, quoteIndent] = [12, 10]
/** Deeper lists and quotes are not indented further, so that a line has room for its text. */
const maxIndent = 200

export function writePlainText(layout: PageLayout, text: string, indent: number): void {
  for (const block of text ? parsePlainText(text) : []) writeBlock(layout, block, { ...bodyStyle, indent })
}

export function writeMarkdown(layout: PageLayout, text: Markdown, indent: number): void {
  for (const block of text ? parseMarkdown(text) : []) writeBlock(layout, block, { ...bodyStyle, indent })
}

export function writeCode(layout: PageLayout, text: string, indent: number): void {
  writeText(layout, text, { ...codeStyle, indent })
}

export function writeSpans(layout: PageLayout, lines: readonly (readonly Span[])[], style: TextStyle): void {
  writeLines(layout, lines.map(toTextRuns), style)
}

function writeBlock(layout: PageLayout, block: Block, style: TextStyle): void {
  const { indent = 0, bars = [] } = style
  if (block.kind === 'code') writeCode(layout, block.text, indent)
  else if (block.kind === 'heading')
    writeSpans(layout, [block.spans], { ...style, bold: true, minSpaceBelow: 14, heading: 'within' })
  else if (block.kind === 'paragraph') writeSpans(layout, block.lines, style)
  else if (block.kind === 'rule') drawRule(layout, ruleColour, indent)
  else if (block.kind === 'list') writeList(layout, block, style)
  else if (block.kind === 'table') {
    const rows = block.rows.map((row) => row.map(toTextRuns))
    writeTable(layout, rows, { ...style, size: 9 })
  } else {
    const quoteStyle = {
      ...style,
      colour: quoteColour,
      indent: Math.min(maxIndent, indent + quoteIndent),
      bars: [...bars, indent],
    }
    writeElement(layout, 'BlockQuote', () => {
      for (const inner of block.blocks) writeBlock(layout, inner, quoteStyle)
    })
  }
}

function writeList(layout: PageLayout, { start, items }: List, style: TextStyle): void {
  const indent = Math.min(maxIndent, (style.indent ?? 0) + itemIndent)
  const writeItems = () => {
    for (const [index, { isChecked, blocks }] of items.entries()) {
      const bullet = start === null ? '•' : `${start + index}.`
      const box = isChecked ? '☑' : '☐'
      const marker = isChecked === null ? bullet : box
      const [first, ...rest] = blocks
      const [firstLine = [], ...otherLines] = first?.kind === 'paragraph' ? first.lines : []
      writeElement(layout, 'LI', (item) => {
        const label = { text: `${marker} `, style: { element: addElement(item, 'Lbl') } }
        writeElement(layout, 'LBody', () => {
          const lines = [[label, ...toTextRuns(firstLine)], ...otherLines.map(toTextRuns)]
          writeLines(layout, lines, { ...style, indent, spaceAfter: 1 })
          for (const block of first && first.kind !== 'paragraph' ? blocks : rest)
            writeBlock(layout, block, { ...style, indent })
        })
      })
    }
  }
  const numbering = start === null ? 'Disc' : 'Decimal'
  writeElement(layout, 'L', writeItems, `/A<</O/List/ListNumbering/${numbering}>>`)
}

const plainStyle: RunStyle = {}

function toTextRuns(spans: readonly Span[]): TextRun[] {
  return spans.flatMap((span) => {
    const run = { text: joinLines(span.text), style: toRunStyle(span) }
    return span.href === undefined || span.href === span.text
      ? [run]
      : [run, { text: ` (${span.href})`, style: plainStyle }]
  })
}

function joinLines(text: string): string {
  return splitLines(text).join(' ')
}

function toRunStyle({ strong, emphasis, struck, code, href }: Span): RunStyle {
  if (!strong && !emphasis && !struck && !code && href === undefined) return plainStyle
  return {
    ...(strong ? { bold: true } : {}),
    ...(emphasis ? { italic: true } : {}),
    ...(struck ? { struck } : {}),
    ...(code ? { kind: 'mono' as const } : {}),
    ...(href === undefined ? {} : { colour: linkColour }),
  }
}
