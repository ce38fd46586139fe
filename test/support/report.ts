import type { Report, ReportStep } from '#rules/exports/report.ts'
import type { Markdown } from '#rules/markup/markdown.ts'

/** The same with literals for the markdown. */
type Literal<T> = T extends Markdown ? string : T extends object ? { [Key in keyof T]: Literal<T[Key]> } : T
export type ReportFields = Partial<Literal<Report>>
export type StepFields = Partial<Literal<ReportStep>>

/** Return a report in which everything except `fields` and the title is empty. */
export function createReport(fields: ReportFields): Report {
  const emptySections = {
    facts: [],
    variables: [],
    steps: [],
    fallbacks: [],
    customSteps: [],
    evidence: [],
    pendingStep: null,
    end: null,
  }
  return {
    title: 'Printer offline',
    description: '',
    ...emptySections,
    notes: '',
    nextSteps: '',
    ...fields,
  } as Report
}
