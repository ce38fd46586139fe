import type { AiSessionRow } from '#db/rows/ai-session.ts'
import { measureSimilarity, normaliseWords } from '#rules/text/words.ts'

/** The texts of fixes that a technician has tried without success. */
export interface TriedFixes {
  titles: string[]
  /** Steps of a guided session that proposed a fix and have a response. */
  steps: string[]
}

// The similarity that two wordings of one fix have at least. Different fixes for one device have less.
const sameTitle = 0.7
const sameText = 0.75

type TriedCase = Pick<AiSessionRow, 'suggested_fixes' | 'steps'>

/**
 * Return the fixes of a session that did not help. A step is not one of them if its fix is recorded as
 * successful, partial or pending. `reportsFailure`: the newest proposed fix has failed too, although no
 * outcome is recorded yet.
 */
export function listTriedFixes({ suggested_fixes, steps }: TriedCase, reportsFailure = false): TriedFixes {
  const hasFailed = (status: string) => status === 'applied_failed' || status === 'dismissed'
  const openFix = reportsFailure ? suggested_fixes.findLast(({ status }) => status === 'proposed') : undefined
  const helpfulFixes = suggested_fixes.filter(({ status }) => status !== 'proposed' && !hasFailed(status))
  const answeredSteps = steps.filter(
    ({ kind, response, text }) =>
      kind === 'fix' && response !== null && !helpfulFixes.some((fix) => contains(text, fix.title)),
  )
  const fixesOfSteps = suggested_fixes.filter(({ title }) =>
    answeredSteps.some(({ text }) => contains(text, title)),
  )
  const failedFixes = suggested_fixes.filter(({ status }) => hasFailed(status))
  return {
    titles: [...failedFixes, ...fixesOfSteps, ...(openFix ? [openFix] : [])].map(({ title }) => title),
    steps: answeredSteps.map(({ text }) => text),
  }
}

/**
 * Return whether a proposed fix was tried before. `text` is the reply or step that proposes it. A fix for
 * another device or version is new.
 */
export function isRepeatedFix(
  fix: { title: string; description: string } | null,
  text: string,
  { titles, steps }: TriedFixes,
): boolean {
  if (!fix) return steps.some((step) => isAlike(step, text, sameText))
  return (
    titles.some((title) => isAlike(title, fix.title, sameTitle)) ||
    steps.some((step) => isAlike(step, text, sameText) || isAlike(step, fix.description, sameText))
  )
}

function isAlike(a: string, b: string, minSimilarity: number): boolean {
  return joinWordsWithDigits(a) === joinWordsWithDigits(b) && measureSimilarity(a, b) >= minSimilarity
}

/** Return the words of a text that contain a digit, such as those of a device's name. */
function joinWordsWithDigits(text: string): string {
  const words = normaliseWords(text).split(' ')
  return [...new Set(words.filter((word) => /\d/.test(word)))].sort().join(' ')
}

function contains(text: string, title: string): boolean {
  return ` ${normaliseWords(text)} `.includes(` ${normaliseWords(title)} `)
}
