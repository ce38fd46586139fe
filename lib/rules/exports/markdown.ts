import { joinNonEmpty, parsePlainText, splitLines } from '#rules/markup/blocks.ts'
import { escapeMarkdown, type Markdown } from '#rules/markup/markdown.ts'
import { parseMarkdown } from '#rules/markup/parse-blocks.ts'
import { renderCodeBlock, renderSpan, writeBlocks } from '#rules/markup/write-blocks.ts'
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
import { addName } from './text.ts'

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
  return joinParts([
    `**Also tried:** ${escapeMarkdown(title)} – ${escapeMarkdown(outcome)}`,
    renderPlainText(note),
  ])
}

function renderCustomStep({ title, description, source }: ReportCustomStep): string {
  return joinParts([
    `**Also done:** ${escapeMarkdown(title)} (${escapeMarkdown(source)})`,
    renderMarkdownText(description),
  ])
}

function renderEvidence({ kind, title: plainTitle, content, by }: Evidence): string {
  const title = addName(plainTitle, by)
  switch (kind) {
    case 'screenshot':
      return joinParts([`**Screenshot:** ${escapeMarkdown(title)}`, renderPlainText(content)])
    case 'text':
      return `**${escapeMarkdown(title)}**\n\n${renderCodeBlock(content, '')}`
  }
}

function renderPlainText(text: string): string {
  return writeBlocks(parsePlainText(text), 'bold')
}

function renderMarkdownText(text: Markdown): string {
  return writeBlocks(parseMarkdown(text), 'bold')
}
