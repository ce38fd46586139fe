import { Problem } from '#problem.ts'
import type { Budget } from '#rules/budget.ts'
import { maskValues } from '#rules/masking/mask-values.ts'
import type { Report } from './report.ts'

/** The maximum number of characters masked in one report. Masking more would take longer than a request may. */
const maxMaskedCharacters = 6_000_000
/** Of an ordinary text, measured. */
const stepsPerCharacter = 15
/** Longer texts hardly ever repeat, so their masked form is not cached. */
const maxCachedLength = 200

/** Thrown if a report could not be masked. The report must not be exported then. */
export class MaskingError extends Error {}

/** Return the report with all texts masked, so that all formats hide the same values. Throw a MaskingError on any failure, and 422 when it takes too much work. */
export function maskReport(report: Report, mask: (text: string) => string, budget: Budget): Report {
  let characterCount = 0
  const maskedByText = new Map<string, string>()
  const maskText = (text: string): string => {
    characterCount += text.length
    budget.spend(text.length * stepsPerCharacter)
    if (characterCount > maxMaskedCharacters) throw new MaskingError('The report is too long to be masked')
    if (text.length > maxCachedLength) return mask(text)
    const masked = maskedByText.get(text) ?? mask(text)
    maskedByText.set(text, masked)
    return masked
  }
  try {
    return maskValues(report, maskText) as Report
  } catch (error) {
    // The message of the cause may contain a secret from the report, so only its name is logged.
    throw error instanceof MaskingError || error instanceof Problem
      ? error
      : new MaskingError(`Masking failed: ${error instanceof Error ? error.name : 'unknown'}`)
  }
}
