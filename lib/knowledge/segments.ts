import { ArticleError, type Block, maxNodeLength } from './blocks.ts'

const maxNodes = 100

/** A heading, or text that belongs together. Each segment becomes a node or a part of one. */
export interface Segment {
  kind: 'section' | 'step' | 'note' | 'decision' | 'option'
  /** 1 to 6 for a section, otherwise 0. */
  level: number
  text: string
}

/**
 * Split an article into at most 100 segments that contain all blocks in order. Code and tables are joined to the text before them. If
 * there are too many segments, the shortest neighbours are merged. If that is not enough, the lowest headings become text.
 */
export function splitIntoSegments(blocks: readonly Block[]): Segment[] {
  for (let lowestLevel = 6; lowestLevel >= 0; lowestLevel--) {
    const segments = createSegments(blocks, lowestLevel)
    // Sections cannot be merged.
    if (segments.filter(({ kind }) => kind === 'section').length > maxNodes) continue
    const mergedSegments = mergeShortest(segments)
    if (mergedSegments.length <= maxNodes) return markDecisions(mergedSegments)
  }
  throw new ArticleError(`The article does not fit into ${maxNodes} nodes`)
}

/** Headings up to `lowestLevel` become sections, lower ones become notes. */
function createSegments(blocks: readonly Block[], lowestLevel: number): Segment[] {
  const segments: Segment[] = []
  for (const { kind, level, text } of blocks) {
    const lastSegment = segments.at(-1)
    const belongsToLast = (kind === 'code' || kind === 'table') && lastSegment && canAppend(lastSegment, text)
    if (kind === 'heading' && level <= lowestLevel) segments.push({ kind: 'section', level, text })
    else if (belongsToLast) segments[segments.length - 1] = append(lastSegment, text, kind === 'code')
    else if (kind === 'heading') segments.push({ kind: 'note', level: 0, text: `${'#'.repeat(level)} ${text}` })
    else segments.push({ kind: kind === 'code' || kind === 'item' ? 'step' : 'note', level: 0, text })
  }
  return segments
}

const separator = '\n\n'

function canAppend(segment: Segment, text: string): boolean {
  return segment.kind !== 'section' && segment.text.length + separator.length + text.length <= maxNodeLength
}

/** With a step in it, the whole segment is a step. */
function append(segment: Segment, text: string, isStep: boolean): Segment {
  return { ...segment, kind: isStep ? 'step' : segment.kind, text: segment.text + separator + text }
}

/** Merge pairs of neighbours, the shortest first, until there are few enough segments or no pair fits into a node. */
function mergeShortest(initialSegments: readonly Segment[]): readonly Segment[] {
  let segments = initialSegments
  while (segments.length > maxNodes) {
    const pairStarts = findShortestPairs(segments, segments.length - maxNodes)
    if (pairStarts.size === 0) break
    segments = segments.flatMap((segment, index) => {
      const next = segments[index + 1]
      if (pairStarts.has(index) && next) return append(segment, next.text, next.kind === 'step')
      const wasMerged = pairStarts.has(index - 1)
      return wasMerged ? [] : segment
    })
  }
  return segments
}

/** Return the index of the first segment of each pair to merge. There are at most `maxPairs`, and no two pairs share a segment. */
function findShortestPairs(segments: readonly Segment[], maxPairs: number): Set<number> {
  const pairs = segments.flatMap((segment, start) => {
    const next = segments[start + 1]
    const canMerge = next && next.kind !== 'section' && canAppend(segment, next.text)
    return canMerge ? { start, length: segment.text.length + next.text.length } : []
  })
  const pairStarts = new Set<number>()
  for (const { start } of pairs.toSorted((a, b) => a.length - b.length)) {
    if (pairStarts.size === maxPairs) break
    if (!pairStarts.has(start - 1) && !pairStarts.has(start + 1)) pairStarts.add(start)
  }
  return pairStarts
}

const conditionalItem = /^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+[*_]{0,2}(?:if|when|in case)\b/i
const minOptions = 2

/** Mark questions that are followed by at least two items such as `- If …` as decisions, and the items as their options. */
function markDecisions(segments: readonly Segment[]): Segment[] {
  const markedSegments = segments.map((segment) => ({ ...segment }))
  for (let index = 0; index < markedSegments.length; index++) {
    const firstOption = index + 1
    let end = firstOption
    while (conditionalItem.test(markedSegments[end]?.text ?? '') && markedSegments[end]?.kind !== 'section') end++
    const question = markedSegments[index] as Segment
    const isQuestion = /[:?]\**$/.test(question.text.trim()) && question.kind === 'note'
    if (end - firstOption < minOptions || !isQuestion) continue
    question.kind = 'decision'
    for (const option of markedSegments.slice(firstOption, end)) option.kind = 'option'
    index = end - 1
  }
  return markedSegments
}
