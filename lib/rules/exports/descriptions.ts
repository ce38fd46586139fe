import type { Markdown } from '#rules/markup/markdown.ts'
import type { Report, ReportStep } from './report.ts'

/** Return the report with all descriptions changed, in their order. */
export function changeDescriptions(report: Report, change: (description: Markdown) => Markdown): Report {
  const changePart = <T extends { description: Markdown }>(part: T): T => ({
    ...part,
    description: change(part.description),
  })
  const changeStep = (step: ReportStep): ReportStep => ({
    ...changePart(step),
    headers: step.headers.map(changePart),
    customSteps: step.customSteps.map(changePart),
  })
  return {
    ...changePart(report),
    steps: report.steps.map(changeStep),
    pendingStep: report.pendingStep && changeStep(report.pendingStep),
    end: report.end && { ...changePart(report.end), headers: report.end.headers.map(changePart) },
    customSteps: report.customSteps.map(changePart),
  }
}
