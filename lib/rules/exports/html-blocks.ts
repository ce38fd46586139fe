import { type Block, type ListItem, parsePlainText, type Span, type Table } from '#rules/markup/blocks.ts'
import type { Markdown } from '#rules/markup/markdown.ts'
import { parseMarkdown } from '#rules/markup/parse-blocks.ts'
import { type Html, html } from '#rules/text/html.ts'

export function renderPlainText(text: string): Html[] {
  return text ? parsePlainText(text).map(renderBlock) : []
}

export function renderMarkdownText(text: Markdown): Html | false {
  return text !== '' && html`<div class="text">\n${parseMarkdown(text).map(renderBlock)}</div>\n`
}

function renderBlock(block: Block): Html {
  switch (block.kind) {
    case 'code':
      return renderCode(block.text)
    case 'heading':
      return html`<p dir="auto"><strong>${renderSpans(block.spans)}</strong></p>\n`
    case 'quote':
      return html`<blockquote dir="auto">\n${block.blocks.map(renderBlock)}</blockquote>\n`
    case 'rule':
      return html`<hr>\n`
    case 'list': {
      const items = block.items.map(renderItem)
      return block.start === null
        ? html`<ul dir="auto">\n${items}</ul>\n`
        : html`<ol dir="auto" start="${block.start}">\n${items}</ol>\n`
    }
    case 'table':
      return renderTable(block)
    case 'paragraph':
      return html`<p dir="auto">${block.lines.map((line, index) => html`${index > 0 && '\n'}${renderSpans(line)}`)}</p>\n`
  }
}

function renderItem({ isChecked, blocks }: ListItem): Html {
  const content = blocks.map(renderBlock)
  return isChecked === null
    ? html`<li>${content}</li>\n`
    : html`<li class="task">${isChecked ? '☑' : '☐'} ${content}</li>\n`
}

function renderTable({ rows: [header = [], ...body] }: Table): Html {
  const head = header.map((cell) => html`<th scope="col" dir="auto">${renderSpans(cell)}</th>`)
  const lines = body.map(
    (row) => html`<tr>${row.map((cell) => html`<td dir="auto">${renderSpans(cell)}</td>`)}</tr>\n`,
  )
  return html`<table>\n<tr>${head}</tr>\n${lines}</table>\n`
}

export function renderCode(text: string): Html {
  return html`<pre dir="auto">\n${text}</pre>\n`
}

export function renderSpans(spans: readonly Span[]): (Html | string)[] {
  return spans.map(renderSpan)
}

function renderSpan({ text, strong, emphasis, struck, code, href }: Span): Html | string {
  let span: Html | string = text
  if (code) span = html`<code>${span}</code>`
  if (emphasis) span = html`<em>${span}</em>`
  if (strong) span = html`<strong>${span}</strong>`
  if (struck) span = html`<s>${span}</s>`
  // Masking can change an address.
  const isSafe = href !== undefined && /^(?:https?:\/\/|mailto:)/i.test(href)
  return isSafe ? html`<a href="${href}" rel="noopener noreferrer">${span}</a>` : span
}
