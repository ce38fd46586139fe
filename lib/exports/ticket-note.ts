import type { Addition, Evidence, Fact, Fallback, Report, Step } from './report.ts'
import { evidence, hanging, indented, oneLine, typed } from './text.ts'

/** What a note shows of a report: descriptions stay in the flow, and need no masking. */
export function briefOf(report: Report): Report {
  const bare = <T extends { description: string }>(part: T): T => ({ ...part, description: '' })
  const steps = report.steps.map((step) => ({ ...bare(step), additions: step.additions.map(bare) }))
  return { ...bare(report), steps, additions: report.additions.map(bare) }
}

/** A report as short plain text for a ticket's note: a line per step, no rulers, no blank lines within a part. */
export function ticketNoteOf(report: Report): string {
  const parts = [
    [oneLine(report.title), ...lines(report.facts)].join('\n'),
    part('Details', lines(report.variables)),
    part('Steps', report.steps.map(step)),
    part('Also tried', report.fallbacks.map(fallback)),
    part('Also done', report.additions.map(addition)),
    part('Supporting data', report.evidence.map(snippet)),
    part('Notes', [compact(typed(report.notes))]),
    part('Next steps', [compact(typed(report.nextSteps))]),
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

function part(title: string, content: readonly string[]): string {
  const said = content.filter(Boolean)
  return said.length > 0 ? [`${title}:`, ...said].join('\n') : ''
}

function lines(facts: readonly Fact[]): string[] {
  return facts.map(({ label, value }) => `${oneLine(label)}: ${hanging(value, 3)}`)
}

function step({ number, title, answer, time, note, fallbacks, additions, evidence: shown }: Step): string {
  const below = [noted(note), ...fallbacks.map(fallback), ...additions.map(addition), ...shown.map(snippet)].filter(Boolean)
  const [taken] = time.split(',')
  return [`${number}. ${oneLine(title)} -> ${oneLine(answer)} (${taken})`, ...below.map(indented)].join('\n')
}

function noted(note: string): string {
  return note && `Note: ${compact(typed(note))}`
}

function fallback({ title, outcome, note }: Fallback): string {
  return [`Instead: ${oneLine(title)} -> ${outcome}`, indented(noted(note))].filter(Boolean).join('\n')
}

function addition({ title }: Addition): string {
  return `Also: ${oneLine(title)}`
}

function snippet(shown: Evidence): string {
  return compact(evidence(shown))
}

function compact(text: string): string {
  return text.replace(/\n(?:[ \t]*\n)+/g, '\n')
}
