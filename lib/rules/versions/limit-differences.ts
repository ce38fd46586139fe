import type { ChangeObject } from 'diff'
import { getStepsLeft, spend } from '#rules/budget.ts'

// A comparison takes time and memory in proportion to the square of the differences. What has more of them is
// shown as replaced.
const maxDifferences = 1000
/** Of each pair of differences, measured. */
const stepsPerPair = 10
/** Left for the passes over two versions of the largest size. */
const reservedSteps = 10_000_000
/**
 * The part of the rest that one text may take, so that a long comparison gets coarse only little by little.
 */
const share = 0.7

/**
 * Run a comparison with as many differences as the budget allows, and count what it took. Return undefined if
 * there are more.
 */
export function compareWithin<T>(
  compare: (options: { maxEditLength: number }) => ChangeObject<T>[] | undefined,
): ChangeObject<T>[] | undefined {
  const steps = Math.max(0, getStepsLeft() - reservedSteps) * share
  const maxEditLength = Math.min(maxDifferences, Math.floor(Math.sqrt(steps / stepsPerPair)))
  const changes = compare({ maxEditLength })
  const differences = changes
    ? changes.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0)
    : maxEditLength
  spend(differences * differences * stepsPerPair)
  return changes
}
