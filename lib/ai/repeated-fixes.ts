import type { AiSessionRow } from '../db/rows/ai-session.ts'
import { measureSimilarity, normaliseWords } from '../text/similarity.ts'

/** The texts of fixes that a technician has tried without success. */
export interface TriedFixes {
  titles: string[]
  /** Steps of a guided session that proposed a fix and have a response. */
  steps: string[]
}

// Two wordings of one fix are more alike than this, and two fixes for one device are less.
const sameTitle = 0.7
const sameText = 0.75

type TriedCase = Pick<AiSessionRow, 'suggested_fixes' | 'steps'>

/** Return the fixes of a session that did not help. A step whose fix is recorded as successful, partial or pending is none of them. */
export function listTriedFixes({ suggested_fixes, steps }: TriedCase, reportsFailure = false): TriedFixes {
  const hasFailed = (status: string) => status === 'applied_failed' || status === 'dismissed'
  const openFix = reportsFailure ? suggested_fixes.findLast(({ status }) => status === 'proposed') : undefined
  const helped = suggested_fixes.filter(({ status }) => status !== 'proposed' && !hasFailed(status))
  const answered = steps.filter(
    ({ kind, response, text }) => kind === 'fix' && response !== null && !helped.some((fix) => contains(text, fix.title)),
  )
  const proposed = suggested_fixes.filter(({ title }) => answered.some(({ text }) => contains(text, title)))
  const failed = suggested_fixes.filter(({ status }) => hasFailed(status))
  return {
    titles: [...failed, ...proposed, ...(openFix ? [openFix] : [])].map(({ title }) => title),
    steps: answered.map(({ text }) => text),
  }
}

/** Return whether a proposed fix, with the text of its step, is one that was tried. A fix for another device or version is not. */
export function isRepeatedFix(fix: { title: string; description: string } | null, text: string, { titles, steps }: TriedFixes): boolean {
  if (!fix) return steps.some((step) => isAlike(step, text, sameText))
  return (
    titles.some((title) => isAlike(title, fix.title, sameTitle)) ||
    steps.some((step) => isAlike(step, text, sameText) || isAlike(step, fix.description, sameText))
  )
}

function isAlike(a: string, b: string, minSimilarity: number): boolean {
  return listNumbers(a) === listNumbers(b) && measureSimilarity(a, b) >= minSimilarity
}

/** Return the words of a text that contain a digit, such as those of a device's name. */
function listNumbers(text: string): string {
  const words = normaliseWords(text).split(' ')
  return [...new Set(words.filter((word) => /\d/.test(word)))].sort().join(' ')
}

function contains(text: string, title: string): boolean {
  return ` ${normaliseWords(text)} `.includes(` ${normaliseWords(title)} `)
}
