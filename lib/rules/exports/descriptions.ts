import type { Budget } from '#rules/budget.ts'
import type { Report, ReportStep } from './report.ts'

// Descriptions are markdown, which takes time to parse.

/** Return the report with all descriptions changed, in their order. */
export function changeDescriptions(report: Report, change: (description: string) => string): Report {
  const changePart = <T extends { description: string }>(part: T): T => ({ ...part, description: change(part.description) })
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

// A character that is markup takes up to 3 µs, any other one about 100 ns.
const stepsPerMarkup = 300
const stepsPerCharacter = 10
const markupCharacter = /[`*_~[\]|&#>\n-]/g

/** Turn the descriptions that would take more work to parse than is left into code blocks, which show their source. */
export function limitMarkup(report: Report, budget: Budget): Report {
  return changeDescriptions(report, (description) => {
    const steps = description.length * stepsPerCharacter + (description.match(markupCharacter)?.length ?? 0) * stepsPerMarkup
    if (!budget.has(steps)) return toCodeBlock(description)
    budget.spend(steps)
    return description
  })
}

function toCodeBlock(text: string): string {
  const longestRun = Math.max(2, ...Array.from(text.matchAll(/~+/g), ([run]) => run.length))
  const fence = '~'.repeat(longestRun + 1)
  return `${fence}\n${text}\n${fence}`
}
