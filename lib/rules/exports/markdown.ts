import { escapeMarkdown, type Markdown, trimBlanks } from '#rules/markup/markdown.ts'
import { findLongestRun } from '#rules/text/code-fences.ts'
import { parseMarkdown } from './markdown-blocks.ts'
import type {
  Evidence,
  Fact,
  Report,
  ReportCustomStep,
  ReportFallback,
  ReportHeader,
  ReportStep,
} from './report.ts'
import { shortenReport, textWork } from './shorten-report.ts'
import {
  type Block,
  joinNonEmpty,
  type List,
  parsePlainText,
  type Span,
  splitLines,
  type Table,
} from './text-blocks.ts'

/** Render a report as CommonMark. Text that could be read as markup is escaped; code blocks are unchanged. */
export function renderMarkdown(fullReport: Report): string {
  const report = shortenReport(fullReport, textWork)
  const parts = [
    `# ${escapeMarkdown(report.title)}`,
    renderMarkdownText(report.description),
    renderFacts(report.facts),
    renderSection('Details', renderFacts(report.variables)),
    renderSection('Steps', report.steps.map(renderStep).join('\n\n')),
    renderSection('Current step', report.pendingStep ? renderStep(report.pendingStep) : ''),
    report.end ? joinParts([...report.end.headers, report.end].map(renderHeader)) : '',
    renderSection('Also tried', report.fallbacks.map(renderFallback).join('\n\n')),
    renderSection('Also done', report.customSteps.map(renderCustomStep).join('\n\n')),
    renderSection('Supporting data', report.evidence.map(renderEvidence).join('\n\n')),
    renderSection('Notes', renderPlainText(report.notes)),
    renderSection('Next steps', renderPlainText(report.nextSteps)),
  ]
  return `${joinParts(parts)}\n`
}

function joinParts(parts: readonly string[]): string {
  return joinNonEmpty(parts, '\n\n')
}

function renderSection(title: string, content: string): string {
  return content && `## ${title}\n\n${content}`
}

function renderFacts(facts: readonly Fact[]): string {
  return facts.map((fact) => `- **${escapeMarkdown(fact.label)}:** ${renderValue(fact)}`).join('\n')
}

function renderValue({ value, href }: Fact): string {
  return href === undefined
    ? splitLines(value).map(renderValueLine).join('  \n')
    : renderSpan({ text: value, href })
}

function renderHeader({ title, description }: ReportHeader): string {
  return joinParts([`### ${escapeMarkdown(title)}`, renderMarkdownText(description)])
}

/** Render one line of a value. Indent every line but the first, so that it belongs to the list item. */
function renderValueLine(line: string, index: number): string {
  const text = escapeMarkdown(line.trim())
  return index > 0 && text ? `  ${text}` : text
}

function renderStep(step: ReportStep): string {
  const parts = [
    ...step.headers.map(renderHeader),
    `### ${step.number}. ${escapeMarkdown(step.title)}`,
    renderMarkdownText(step.description),
    renderFacts(step.details),
    step.answer && `**Answer:** ${escapeMarkdown(step.answer)} (${step.durationAndTime})`,
    step.note && `**Note:**\n\n${renderPlainText(step.note)}`,
    ...step.fallbacks.map(renderFallback),
    ...step.customSteps.map(renderCustomStep),
    ...step.evidence.map(renderEvidence),
  ]
  return joinParts(parts)
}

function renderFallback({ title, outcome, note }: ReportFallback): string {
  return joinParts([`**Also tried:** ${escapeMarkdown(title)} – ${outcome}`, renderPlainText(note)])
}

function renderCustomStep({ title, description, source }: ReportCustomStep): string {
  return joinParts([`**Also done:** ${escapeMarkdown(title)} (${source})`, renderMarkdownText(description)])
}

function renderEvidence({ kind, title, content }: Evidence): string {
  switch (kind) {
    case 'screenshot':
      return joinParts([`**Screenshot:** ${escapeMarkdown(title)}`, renderPlainText(content)])
    case 'text':
      return `**${escapeMarkdown(title)}**\n\n${renderCodeBlock(content, '')}`
  }
}

function renderPlainText(text: string): string {
  return renderBlocks(parsePlainText(text))
}

function renderMarkdownText(text: Markdown): string {
  return renderBlocks(parseMarkdown(text))
}

function renderBlocks(blocks: readonly Block[], isInItem = false): string {
  let markdown = ''
  for (const [index, block] of blocks.entries()) {
    const previousBlock = blocks[index - 1]
    if (index > 0)
      markdown += isInItem && previousBlock?.kind === 'paragraph' && canFollowParagraph(block) ? '\n' : '\n\n'
    // Without a comment between them, two lists would become one.
    if (previousBlock?.kind === 'list' && block.kind === 'list') markdown += '<!-- -->\n\n'
    markdown += renderBlock(block)
  }
  return markdown
}

/** A list with another first number than 1 would continue the paragraph. */
function canFollowParagraph(block: Block): boolean {
  return block.kind === 'list' && (block.start === null || block.start === 1)
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'code':
      return renderCodeBlock(block.text, block.language)
    case 'heading':
      return `**${renderSpans(block.spans.map((span) => ({ ...span, strong: false })))}**`
    case 'quote':
      return renderBlocks(block.blocks).replace(/^/gm, '> ')
    case 'rule':
      return '---'
    case 'list':
      return renderList(block)
    case 'table':
      return renderTable(block)
    case 'paragraph':
      return block.lines.map((spans) => trimBlanks(renderSpans(spans))).join('  \n')
  }
}

function renderList({ start, items }: List): string {
  const renderedItems = items.map(({ isChecked, blocks }, index) => {
    const marker = start === null ? '-' : `${start + index}.`
    const task = isChecked === null ? '' : isChecked ? '[x] ' : '[ ] '
    return `${marker} ${task}${renderBlocks(blocks, true).replace(/\n(?=[^\n])/g, `\n${' '.repeat(marker.length + 1)}`)}`
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
function renderCodeBlock(text: string, language: string): string {
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

function renderSpan({ text, strong, emphasis, struck, code, href }: Span): string {
  const content = code ? renderCodeSpan(text) : escapeMarkdown(text)
  const marker = `${struck ? '~~' : ''}${strong ? '**' : ''}${emphasis ? '*' : ''}`
  const styled = marker === '' ? content : surround(content, marker)
  return href !== undefined && isSafeAddress(href) ? `[${styled}](<${href}>)` : styled
}

/** Put the text between markers. Blanks stay outside, because a marker beside a blank is text. */
function surround(text: string, marker: string): string {
  const [, before = '', content = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(text) ?? []
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
