import { maxNodeLength } from './blocks.ts'
import { deriveTitle } from './derive-title.ts'
import type { Segment } from './segments.ts'

export const nodeKinds = ['section', 'step', 'note', 'decision', 'solution'] as const
export type NodeKind = (typeof nodeKinds)[number]

/** A part of an article that can become a part of a flow. */
export interface KbNode {
  id: string
  parent_id: string | null
  /** Its place in reading order; the first node is 0. */
  position: number
  kind: NodeKind
  title: string
  /** The text of the article. */
  content: string
}

/** A proposal of the model to combine the segments `first` to `last` (the first segment is 1) into one node. */
export interface NodeProposal {
  first: number
  last: number
  /** An option belongs to the decision before it. */
  kind: 'step' | 'note' | 'decision' | 'option' | 'solution'
  title: string
}

const maxTitleLength = 300

/** A node without an id and a parent. */
interface Group {
  kind: NodeProposal['kind'] | 'section'
  level: number
  title: string
  content: string
}

/**
 * Build the nodes of an article. Every segment becomes part of exactly one node, in order and unchanged. Proposals can only combine and
 * name segments.
 */
export function buildNodes(segments: readonly Segment[], proposals: readonly NodeProposal[], newId: () => string): KbNode[] {
  return assignParents(removeIncompleteDecisions(groupSegments(segments, proposals)), newId)
}

/** Group the segments of valid proposals. Every other segment becomes a group of its own. */
function groupSegments(segments: readonly Segment[], proposals: readonly NodeProposal[]): Group[] {
  const groups: Group[] = []
  let groupedCount = 0
  const addUngroupedUntil = (end: number) => {
    for (const segment of segments.slice(groupedCount, end)) groups.push(createGroup(segment))
    groupedCount = end
  }
  for (const { first, last, kind, title } of proposals.toSorted((a, b) => a.first - b.first)) {
    const proposedSegments = segments.slice(first - 1, last)
    const content = proposedSegments.map(({ text }) => text).join('\n\n')
    const isExistingRange = proposedSegments.length > 0 && proposedSegments.length === last - first + 1
    const overlapsEarlierGroup = first <= groupedCount
    const hasSection = proposedSegments.some((segment) => segment.kind === 'section')
    if (!isExistingRange || overlapsEarlierGroup || hasSection || content.length > maxNodeLength) continue
    addUngroupedUntil(first - 1)
    const proposedTitle = title.replace(/\s+/g, ' ').trim().slice(0, maxTitleLength)
    groups.push({ kind, level: 0, title: proposedTitle || deriveTitle(content), content })
    groupedCount = last
  }
  addUngroupedUntil(segments.length)
  return groups
}

/** A section has only a title. A heading that is too long for a title is its content. */
function createGroup({ kind, level, text }: Segment): Group {
  const fitsIntoTitle = kind === 'section' && text.length <= maxTitleLength
  return { kind, level, title: fitsIntoTitle ? text : deriveTitle(text), content: fitsIntoTitle ? '' : text }
}

/** A decision needs at least two options after it, and an option needs a decision. Others become steps. */
function removeIncompleteDecisions(groups: readonly Group[]): Group[] {
  let isAfterDecision = false
  return groups.map((group, index) => {
    const hasTwoOptions = groups[index + 1]?.kind === 'option' && groups[index + 2]?.kind === 'option'
    const isCompleteDecision = group.kind === 'decision' && hasTwoOptions
    const isOptionOfDecision = group.kind === 'option' && isAfterDecision
    isAfterDecision = isCompleteDecision || isOptionOfDecision
    const needsDecision = group.kind === 'decision' || group.kind === 'option'
    return needsDecision && !isAfterDecision ? { ...group, kind: 'step' } : group
  })
}

/** An option is below its decision; every other node is below the heading it belongs to. */
function assignParents(groups: readonly Group[], newId: () => string): KbNode[] {
  const openSections: { id: string; level: number }[] = []
  let decisionId: string | null = null
  return groups.map(({ kind, level, title, content }, position) => {
    const id = newId()
    if (kind === 'section') while ((openSections.at(-1)?.level ?? 0) >= level) openSections.pop()
    const parentId = kind === 'option' ? decisionId : (openSections.at(-1)?.id ?? null)
    if (kind === 'section') openSections.push({ id, level })
    if (kind === 'decision') decisionId = id
    else if (kind !== 'option') decisionId = null
    return { id, parent_id: parentId, position, kind: kind === 'option' ? 'step' : kind, title, content }
  })
}
