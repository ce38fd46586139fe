import { toMarkdown } from '#rules/markup/markdown.ts'
import { joinLines } from '#rules/text/lines.ts'
import { isolate, sentence } from '#rules/text/sentence.ts'
import { changeDescriptions } from './descriptions.ts'
import {
  type Evidence,
  type Fact,
  type Report,
  type ReportCustomStep,
  type ReportFallback,
  type ReportHeader,
  type ReportStep,
  timeTaken,
} from './report.ts'
import { shortenReport, textWork } from './shorten-report.ts'
import {
  addName,
  applyHangingIndent,
  formatEvidence,
  formatFactValue,
  formatPlainText,
  indentLines,
} from './text.ts'

/**
 * Return the report without the descriptions, which a ticket note does not show. They then need no masking.
 */
export function removeDescriptions(report: Report): Report {
  return changeDescriptions(report, () => toMarkdown(''))
}

/**
 * Render a report as short plain text for the note of a ticket: one line per step, no blank lines inside a
 * section.
 */
export function renderTicketNote(fullReport: Report): string {
  const report = leaveOutSeconds(shortenReport(fullReport, textWork))
  const sections = [
    [joinLines(report.title), ...renderFacts(report.facts)].join('\n'),
    renderSection('Details', renderFacts(report.variables)),
    renderSection('Steps', [
      ...report.steps.map(renderStep),
      ...(report.end ? [...report.end.headers, report.end].map(renderHeader) : []),
    ]),
    renderSection('Current step', report.pendingStep ? [renderStep(report.pendingStep)] : []),
    renderSection('Also tried', report.fallbacks.map(renderFallback)),
    renderSection('Also done', report.customSteps.map(renderCustomStep)),
    renderSection('Supporting data', report.evidence.map(renderEvidence)),
    renderSection('Notes', [removeBlankLines(formatPlainText(report.notes))]),
    renderSection('Next steps', [removeBlankLines(formatPlainText(report.nextSteps))]),
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

/** A duration of less than a minute says nothing to whoever reads the ticket. */
const isShort = (duration: string) => /^\d+ s$/.test(duration)

function leaveOutSeconds(report: Report): Report {
  return {
    ...report,
    facts: report.facts.filter(({ label, value }) => label !== timeTaken || !isShort(value)),
  }
}

function renderSection(title: string, items: readonly string[]): string {
  const nonEmptyItems = items.filter(Boolean)
  return nonEmptyItems.length > 0 ? [`${title}:`, ...nonEmptyItems].join('\n') : ''
}

function renderFacts(facts: readonly Fact[]): string[] {
  return facts.map(
    (fact) => `${joinLines(fact.label)}: ${isolate(applyHangingIndent(formatFactValue(fact), 3))}`,
  )
}

function renderHeader({ title }: ReportHeader): string {
  return sentence`== ${joinLines(title)} ==`
}

function renderStep(step: ReportStep): string {
  const [duration = ''] = step.durationAndTime.split(',')
  const details = [
    ...renderFacts(step.details),
    renderNote(step.note),
    ...step.fallbacks.map(renderFallback),
    ...step.customSteps.map(renderCustomStep),
    ...step.evidence.map(renderEvidence),
  ]
  const answer =
    step.answer &&
    sentence` -> ${joinLines(step.answer)}${duration && !isShort(duration) ? ` (${duration})` : ''}`
  const stepLine = sentence`${step.number}. ${joinLines(step.title)}` + answer
  return [...step.headers.map(renderHeader), stepLine, ...details.filter(Boolean).map(indentLines)].join('\n')
}

function renderNote(note: string): string {
  return note && sentence`Note: ${removeBlankLines(formatPlainText(note))}`
}

function renderFallback({ title, outcome, note }: ReportFallback): string {
  return [sentence`Also tried: ${joinLines(title)} -> ${outcome}`, indentLines(renderNote(note))]
    .filter(Boolean)
    .join('\n')
}

function renderCustomStep({ title, by }: ReportCustomStep): string {
  return sentence`Also: ${addName(joinLines(title), by)}`
}

function renderEvidence(evidence: Evidence): string {
  return removeBlankLines(formatEvidence(evidence))
}

function removeBlankLines(text: string): string {
  return text.replace(/\n(?:[ \t]*\n)+/g, '\n')
}
