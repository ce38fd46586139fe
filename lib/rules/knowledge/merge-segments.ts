import { deriveTitle } from './derive-title.ts'
import { appendText, canAppend, type MergeScope, maxNodes, type Segment } from './segment.ts'

/** Merge each unit into one segment as far as it fits. Decisions and their options stay on their own. */
export function foldUnits(segments: readonly Segment[]): Segment[] {
  const mergedSegments: Segment[] = []
  for (const segment of segments) {
    const last = mergedSegments.at(-1)
    const isSameUnit = last?.isInUnit && segment.isInUnit && !segment.startsUnit
    if (
      isSameUnit &&
      !isDecisionOrOption(last) &&
      !isDecisionOrOption(segment) &&
      canAppend(last, segment.text)
    )
      mergedSegments[mergedSegments.length - 1] = merge(last, segment)
    else mergedSegments.push(segment)
  }
  return mergedSegments
}

function isDecisionOrOption({ kind }: Segment): boolean {
  return kind === 'decision' || kind === 'option'
}

/**
 * Return the index of the first segment of each pair to merge. There are at most `maxPairs`, and no two pairs
 * share a segment. Parts of one section come first, then sections of the lowest level.
 */
export function findShortestPairs(
  segments: readonly Segment[],
  maxPairs: number,
  scope: MergeScope,
): Set<number> {
  const pairs = segments.flatMap((segment, start) => {
    const next = segments[start + 1]
    if (!next || next.kind === 'section' || !canAppend(segment, next.text)) return []
    if (scope !== 'decisions' && (isDecisionOrOption(segment) || isDecisionOrOption(next))) return []
    if (scope === 'parts' && next.startsUnit) return []
    return {
      start,
      length: segment.text.length + next.text.length,
      boundary: next.startsUnit ? 7 - next.level : 0,
    }
  })
  const firstBoundary = pairs.reduce((min, { boundary }) => Math.min(min, boundary), Number.POSITIVE_INFINITY)
  const candidates = pairs.filter(({ boundary }) => boundary === firstBoundary)
  const pairStarts = new Set<number>()
  for (const { start } of candidates.toSorted((a, b) => a.length - b.length)) {
    if (pairStarts.size === maxPairs) break
    if (!pairStarts.has(start - 1) && !pairStarts.has(start + 1)) pairStarts.add(start)
  }
  return pairStarts
}

/** Merge each pair that starts at one of the indexes. */
export function mergePairs(segments: readonly Segment[], pairStarts: ReadonlySet<number>): Segment[] {
  return segments.flatMap((segment, index) => {
    const next = segments[index + 1]
    if (pairStarts.has(index) && next) return merge(segment, next)
    const wasMerged = pairStarts.has(index - 1)
    return wasMerged ? [] : segment
  })
}

const firstLine = (text: string) => text.split('\n', 1)[0] ?? ''

/** Merge two segments. A merged decision and its options become a step. */
function merge(segment: Segment, next: Segment): Segment {
  const questions = [segment, next].flatMap(({ kind, text, mergedQuestions = [] }) =>
    kind === 'decision' ? [firstLine(text), ...mergedQuestions] : mergedQuestions,
  )
  const headings = [
    ...(segment.mergedHeadings ?? []),
    ...(next.startsUnit ? [firstLine(next.text)] : []),
    ...(next.mergedHeadings ?? []),
  ]
  const hasStep = [segment, next].some(({ kind }) => kind !== 'note')
  const merged = appendText(segment, next.text, hasStep ? 'step' : 'note')
  return {
    ...merged,
    partCount: segment.partCount + next.partCount,
    ...(questions.length > 0 ? { mergedQuestions: questions } : {}),
    ...(headings.length > 0 ? { mergedHeadings: headings } : {}),
  }
}

const maxNames = 3
const mergeReason = `because an article has at most ${maxNodes} nodes`

/** Return whether a warning is one of `describeMerges`. */
export const isMergeWarning = (warning: string): boolean => warning.includes(mergeReason)

/** Return a sentence for each segment that had to be merged. */
export function describeMerges(segments: readonly Segment[]): string[] {
  return segments.flatMap(({ text, partCount, mergedHeadings = [], mergedQuestions = [] }) => {
    if (partCount < 2) return []
    const subject =
      mergedHeadings.length > 0
        ? `${listNames([firstLine(text), ...mergedHeadings])} are one node, ${mergeReason}.`
        : `“${deriveTitle(text)}”: its ${partCount} parts are one node, ${mergeReason}.`
    const loss =
      mergedQuestions.length > 0 ? ` It is no decision any more: ${listNames(mergedQuestions)}.` : ''
    return subject + loss
  })
}

/** Return the titles of at most three texts, and how many there are more. */
export function listNames(texts: readonly string[]): string {
  const names = texts.slice(0, maxNames).map((text) => `“${deriveTitle(text)}”`)
  const rest = texts.length - names.length
  if (rest > 0) return `${names.join(', ')} and ${rest} more`
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : (names[0] ?? '')
}
