import { escapeHtml } from '#rules/text/html.ts'
import { parseMarkdown } from './markdown-blocks.ts'
import { type Block, type ListItem, parsePlainText, type Span, type Table } from './text-blocks.ts'

/** Render all items and join them. Called for every line of a text, so a loop is used, which is faster than `map` and `join`. */
export function renderAll<T>(items: readonly T[], render: (item: T) => string): string {
  let html = ''
  for (const item of items) html += render(item)
  return html
}

export function renderPlainText(text: string): string {
  return text && renderAll(parsePlainText(text), renderBlock)
}

export function renderMarkdownText(text: string): string {
  return text && `<div class="text">\n${renderAll(parseMarkdown(text), renderBlock)}</div>\n`
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'code':
      return renderCode(block.text)
    case 'heading':
      return `<p dir="auto"><strong>${renderSpans(block.spans)}</strong></p>\n`
    case 'quote':
      return `<blockquote dir="auto">\n${renderAll(block.blocks, renderBlock)}</blockquote>\n`
    case 'rule':
      return '<hr>\n'
    case 'list': {
      const items = renderAll(block.items, renderItem)
      return block.start === null ? `<ul dir="auto">\n${items}</ul>\n` : `<ol dir="auto" start="${block.start}">\n${items}</ol>\n`
    }
    case 'table':
      return renderTable(block)
    case 'paragraph':
      return `<p dir="auto">${block.lines.map(renderSpans).join('\n')}</p>\n`
  }
}

function renderItem({ isChecked, blocks }: ListItem): string {
  const content = renderAll(blocks, renderBlock)
  return isChecked === null ? `<li>${content}</li>\n` : `<li class="task">${isChecked ? '☑' : '☐'} ${content}</li>\n`
}

function renderTable({ rows: [header = [], ...body] }: Table): string {
  const renderRow = (row: Span[][], tag: 'th' | 'td') =>
    `<tr>${renderAll(row, (cell) => `<${tag} dir="auto">${renderSpans(cell)}</${tag}>`)}</tr>\n`
  return `<table>\n${renderRow(header, 'th')}${renderAll(body, (row) => renderRow(row, 'td'))}</table>\n`
}

export function renderCode(text: string): string {
  return `<pre dir="auto">\n${escapeHtml(text)}</pre>\n`
}

export function renderSpans(spans: readonly Span[]): string {
  return renderAll(spans, renderSpan)
}

function renderSpan({ text, strong, emphasis, struck, code, href }: Span): string {
  let html = escapeHtml(text)
  if (code) html = `<code>${html}</code>`
  if (emphasis) html = `<em>${html}</em>`
  if (strong) html = `<strong>${html}</strong>`
  if (struck) html = `<s>${html}</s>`
  // Masking can change an address.
  const isSafe = href !== undefined && /^(?:https?:\/\/|mailto:)/i.test(href)
  return isSafe ? `<a href="${escapeHtml(href)}" rel="noopener noreferrer">${html}</a>` : html
}
