import {
  type Block,
  formatSpans,
  joinNonEmpty,
  type List,
  parsePlainText,
  splitLines,
  type Table,
} from '#rules/markup/blocks.ts'
import type { Markdown } from '#rules/markup/markdown.ts'
import { parseMarkdown } from '#rules/markup/parse-blocks.ts'
import { joinLines } from '#rules/text/lines.ts'
import { sentence } from '#rules/text/sentence.ts'
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

const maxUnderlineWidth = 72
const maxLabelWidth = 24
const maxCellWidth = 40
const ruleWidth = 24

export function renderText(fullReport: Report): string {
  const report = shortenReport(fullReport, textWork)
  const title = joinLines(report.title)
  const parts = [
    `${title}\n${'='.repeat(Math.min(maxUnderlineWidth, countColumns(title)))}`,
    formatMarkdown(report.description),
    renderFacts(report.facts),
    renderSection('DETAILS', renderFacts(report.variables)),
    renderSection('STEPS', report.steps.map(renderStep).join('\n\n')),
    renderSection('CURRENT STEP', report.pendingStep ? renderStep(report.pendingStep) : ''),
    report.end ? joinNonEmpty([...report.end.headers, report.end].map(renderHeader), '\n\n') : '',
    renderSection('ALSO TRIED', report.fallbacks.map(renderFallback).join('\n')),
    renderSection('ALSO DONE', report.customSteps.map(renderCustomStep).join('\n')),
    renderSection('SUPPORTING DATA', report.evidence.map(formatEvidence).join('\n\n')),
    renderSection('NOTES', formatPlainText(report.notes)),
    renderSection('NEXT STEPS', formatPlainText(report.nextSteps)),
  ]
  return `${joinNonEmpty(parts, '\n\n')}\n`
}

function renderSection(title: string, content: string): string {
  return content && `${title}\n${'-'.repeat(title.length)}\n${content}`
}

/**
 * Render one line per fact. The values start in the same column, except after a label that is too long for
 * it.
 */
function renderFacts(facts: readonly Fact[]): string {
  const longestLabel = Math.max(0, ...facts.map(({ label }) => label.length))
  const valueColumn = Math.min(maxLabelWidth, longestLabel) + 2
  return facts
    .map(
      (fact) =>
        `${joinLines(fact.label)}: `.padEnd(valueColumn) +
        applyHangingIndent(formatFactValue(fact), valueColumn),
    )
    .join('\n')
}

/** Return the value of a fact, with the address of a link. */
export function formatFactValue({ value, href }: Fact): string {
  return href === undefined ? value : `${value} (${href})`
}

function renderHeader({ title, description }: ReportHeader): string {
  return joinNonEmpty([`== ${joinLines(title)} ==`, formatMarkdown(description)], '\n')
}

/** Indent all lines of the text except the first by `indent` spaces. */
export function applyHangingIndent(text: string, indent: number): string {
  return splitLines(text).join(`\n${' '.repeat(indent)}`)
}

function renderStep(step: ReportStep): string {
  const parts = [
    formatMarkdown(step.description),
    renderFacts(step.details),
    step.answer && `Answer: ${joinLines(step.answer)} (${step.durationAndTime})`,
    renderNote(step.note),
    ...step.fallbacks.map(renderFallback),
    ...step.customSteps.map(renderCustomStep),
    ...step.evidence.map(formatEvidence),
  ]
  const body = joinNonEmpty(
    [`${step.number}. ${joinLines(step.title)}`, indentLines(joinNonEmpty(parts, '\n'))],
    '\n',
  )
  return joinNonEmpty([...step.headers.map(renderHeader), body], '\n\n')
}

function renderNote(note: string): string {
  const content = formatPlainText(note)
  if (content === '') return ''
  return content.includes('\n') ? `Note:\n${indentLines(content)}` : `Note: ${content}`
}

function renderFallback({ title, outcome, note }: ReportFallback): string {
  return joinNonEmpty(
    [`Also tried: ${joinLines(title)} - ${outcome}`, indentLines(formatPlainText(note))],
    '\n',
  )
}

function renderCustomStep({ title, description, source }: ReportCustomStep): string {
  return joinNonEmpty(
    [`Also done: ${joinLines(title)} (${source})`, indentLines(formatMarkdown(description))],
    '\n',
  )
}

/** Return a title with who did it, if anybody is named. */
export function addName(title: string, by: string | undefined): string {
  return by ? sentence`${title} (by ${by})` : title
}

/** Return the title of a snippet or a screenshot, with its text below. */
export function formatEvidence({ kind, title, content, by }: Evidence): string {
  const name = addName(joinLines(title), by)
  const titleLines: Record<Evidence['kind'], string> = {
    screenshot: sentence`[Screenshot: ${name}]`,
    text: `${name}:`,
  }
  return joinNonEmpty([titleLines[kind], indentLines(splitLines(content).join('\n').trimEnd())], '\n')
}

/** Format a plain text, in which only fenced code blocks are markup. Code blocks are indented. */
export function formatPlainText(text: string): string {
  return formatBlocks(parsePlainText(text))
}

function formatMarkdown(text: Markdown): string {
  return formatBlocks(parseMarkdown(text))
}

function formatBlocks(blocks: readonly Block[], separator = '\n\n'): string {
  return blocks.map(formatBlock).join(separator)
}

function formatBlock(block: Block): string {
  switch (block.kind) {
    case 'code':
      return indentLines(block.text)
    case 'heading':
      return formatSpans(block.spans)
    case 'quote':
      return `> ${formatBlocks(block.blocks).replaceAll('\n', '\n> ')}`
    case 'rule':
      return '-'.repeat(ruleWidth)
    case 'list':
      return formatList(block)
    case 'table':
      return formatTable(block)
    case 'paragraph':
      return block.lines.map((spans) => formatSpans(spans).trimEnd()).join('\n')
  }
}

function formatList({ start, items }: List): string {
  const lines = items.map(({ isChecked, blocks }, index) => {
    const marker = start === null ? '-' : `${start + index}.`
    const task = isChecked === null ? '' : isChecked ? '[x] ' : '[ ] '
    return `${marker} ${task}${applyHangingIndent(formatBlocks(blocks, '\n'), marker.length + 1)}`
  })
  return lines.join('\n')
}

/** Format a table with columns of equal width. A cell that is too wide moves the rest of its row. */
function formatTable({ rows }: Table): string {
  const cells = rows.map((row) => row.map((spans) => joinLines(formatSpans(spans))))
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.min(maxCellWidth, Math.max(...cells.map((row) => countColumns(row[column] ?? '')))),
  )
  const formatRow = (row: readonly string[]) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - countColumns(cell))))
      .join(' | ')
      .trimEnd()
  const [header = [], ...body] = cells
  return [
    formatRow(header),
    widths.map((width) => '-'.repeat(width)).join('-|-'),
    ...body.map(formatRow),
  ].join('\n')
}

/** Indent all lines by three spaces, except empty lines. */
export function indentLines(text: string): string {
  if (text === '') return ''
  return `${text.startsWith('\n') ? '' : '   '}${text.replace(/\n(?=[^\n])/g, '\n   ')}`
}

/** Count the columns of a text in a monospaced font. Chinese, Japanese and Korean characters take two. */
function countColumns(text: string): number {
  const wideCharacters =
    text.match(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g) ?? []
  return Array.from(text).length + wideCharacters.length
}
