import { Problem } from '#problem.ts'
import { getStepsLeft, pause } from '#rules/budget.ts'
import type { Markdown } from '#rules/markup/markdown.ts'
import { maskStored } from '#rules/masking/mask.ts'
import { maskValues } from '#rules/masking/mask-values.ts'
import { changeDescriptions } from './descriptions.ts'
import type { Report } from './report.ts'

/** Longer texts hardly ever repeat, so their masked form is not cached. */
const maxCachedLength = 200

/** Thrown if a report could not be masked. The report must not be exported then. */
export class MaskingError extends Error {}

/**
 * Return the report with all texts masked, so that all formats hide the same values. A text that takes too
 * much work is left out; half of what is left stays for the rendering. Throw a MaskingError on any failure.
 */
export async function maskReport(report: Report, maskStoredText = maskStored): Promise<Report> {
  const reserve = getStepsLeft() / 2
  const maskedByText = new Map<string, string>()
  const descriptions = new Set<string>()
  changeDescriptions(report, (description: Markdown) => {
    descriptions.add(description)
    return description
  })
  const maskAny = (text: string): string =>
    maskStoredText(text, { reserve, form: descriptions.has(text) ? 'markdown' : 'any' })
  const maskText = (text: string): string => {
    if (text.length > maxCachedLength) return maskAny(text)
    const masked = maskedByText.get(text) ?? maskAny(text)
    maskedByText.set(text, masked)
    return masked
  }
  try {
    const { steps, ...rest } = report
    const maskedReport = {
      ...(maskValues(rest, maskText) as Omit<Report, 'steps'>),
      steps: [] as Report['steps'],
    }
    for (const step of steps) {
      await pause()
      maskedReport.steps.push(maskValues(step, maskText) as Report['steps'][number])
    }
    return maskedReport
  } catch (error) {
    if (error instanceof Problem) throw error
    // The message of the cause may contain a secret from the report, so only its name is logged.
    throw new MaskingError(`Masking failed: ${error instanceof Error ? error.name : 'unknown'}`)
  }
}
