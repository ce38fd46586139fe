import { findLongestRun } from '#rules/text/code-fences.ts'
import type { Block, List, Span, Table } from './blocks.ts'
import { escapeMarkdown, type Markdown, toMarkdown, trimBlanks } from './markdown.ts'

/** How headings are written: as headings, or as bold lines below the headings of a document. */
export type HeadingStyle = 'heading' | 'bold'

/** Write blocks as CommonMark. What could be read as markup is escaped; code is unchanged. */
export function writeBlocks(blocks: readonly Block[], style: HeadingStyle): Markdown {
  return toMarkdown(renderBlocks(blocks, style))
}

function renderBlocks(blocks: readonly Block[], style: HeadingStyle, isInItem = false): string {
  let markdown = ''
  for (const [index, block] of blocks.entries()) {
    const previousBlock = blocks[index - 1]
    if (index > 0)
      markdown += isInItem && previousBlock?.kind === 'paragraph' && canFollowParagraph(block) ? '\n' : '\n\n'
    // Without a comment between them, two lists would become one.
    if (previousBlock?.kind === 'list' && block.kind === 'list') markdown += '<!-- -->\n\n'
    markdown += renderBlock(block, style)
  }
  return markdown
}

/** A list with another first number than 1 would continue the paragraph. */
function canFollowParagraph(block: Block): boolean {
  return block.kind === 'list' && (block.start === null || block.start === 1)
}

function renderBlock(block: Block, style: HeadingStyle): string {
  switch (block.kind) {
    case 'code':
      return renderCodeBlock(block.text, block.language)
    case 'heading':
      return style === 'bold'
        ? `**${renderSpans(block.spans.map((span) => ({ ...span, strong: false })))}**`
        : `${'#'.repeat(block.level)} ${renderSpans(block.spans)}`
    case 'quote':
      return renderBlocks(block.blocks, style).replace(/^/gm, '> ')
    case 'rule':
      return '---'
    case 'list':
      return renderList(block, style)
    case 'table':
      return renderTable(block)
    case 'paragraph':
      return block.lines.map((spans) => trimBlanks(renderSpans(spans))).join('  \n')
  }
}

function renderList({ start, items }: List, style: HeadingStyle): string {
  const renderedItems = items.map(({ isChecked, blocks }, index) => {
    const marker = start === null ? '-' : `${start + index}.`
    const task = isChecked === null ? '' : isChecked ? '[x] ' : '[ ] '
    return `${marker} ${task}${renderBlocks(blocks, style, true).replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length + 1)}`)}`
  })
  return renderedItems.join('\n')
}

function renderTable({ rows }: Table): string {
  const lines = rows.map((row) => `| ${row.map(renderCell).join(' | ')} |`)
  lines.splice(1, 0, `|${' --- |'.repeat(rows[0]?.length ?? 0)}`)
  return lines.join('\n')
}

/** Render a cell on one line. A pipe ends a cell even inside of code. */
function renderCell(spans: readonly Span[]): string {
  return renderSpans(
    spans.map((span) => (span.code && span.text.includes('|') ? { ...span, code: false } : span)),
  )
}

/** Render a code block whose fence is longer than any run of backticks in the text. */
export function renderCodeBlock(text: string, language: string): string {
  const fence = '`'.repeat(Math.max(2, findLongestRun(text, '`')) + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

function renderSpans(spans: readonly Span[]): string {
  let markdown = ''
  for (const span of spans) {
    // With an exclamation mark before it, the link would be an image, which viewers load from the address.
    if (span.href !== undefined && markdown.endsWith('!')) markdown = `${markdown.slice(0, -1)}\\!`
    markdown += renderSpan(span)
  }
  return markdown
}

export function renderSpan({ text, strong, emphasis, struck, code, href }: Span): string {
  const content = code ? renderCodeSpan(text) : escapeMarkdown(text)
  const marker = `${struck ? '~~' : ''}${strong ? '**' : ''}${emphasis ? '*' : ''}`
  const styled = marker === '' ? content : surround(content, marker)
  return href !== undefined && isSafeAddress(href) ? `[${styled}](<${href}>)` : styled
}

/** Put the text between markers. Blanks stay outside, because a marker beside a blank is text. */
function surround(text: string, marker: string): string {
  const content = text.trim()
  const [before, after] = text.split(content)
  return content === ''
    ? text
    : `${before}${marker}${content}${Array.from(marker).reverse().join('')}${after}`
}

/** Render code between backticks that are longer than any run of backticks in it. */
function renderCodeSpan(text: string): string {
  const fence = '`'.repeat(findLongestRun(text, '`') + 1)
  const padding = /^[ `]|[ `]$/.test(text) ? ' ' : ''
  return `${fence}${padding}${text}${padding}${fence}`
}

/** Masking can leave spaces and brackets in an address. */
function isSafeAddress(href: string): boolean {
  return /^(?:https?:\/\/|mailto:)[^\s<>\\]+$/i.test(href)
}
