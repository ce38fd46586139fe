import { maxNodeLength } from './blocks.ts'
import { deriveTitle } from './derive-title.ts'
import type { Segment } from './segment.ts'

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
  /** The node's part of the article. Empty for a section whose heading is its title. */
  content: string
}

export const proposedKinds = ['step', 'note', 'decision', 'option', 'solution'] as const
/**
 * A proposal of the model to combine the segments `first` to `last` (the first segment is 1) into one node.
 */
export interface NodeProposal {
  first: number
  last: number
  /** An option belongs to the decision before it. */
  kind: (typeof proposedKinds)[number]
  title: string
}

const maxTitleLength = 300

/** A future node, before it gets an id, a parent and a position. */
interface Group {
  kind: NodeProposal['kind'] | 'section'
  level: number
  title: string
  content: string
}

/**
 * Build the nodes of an article. Every segment becomes part of exactly one node, in order and unchanged.
 * Proposals can only combine segments and set the kind and title of the node.
 */
export function buildNodes(
  segments: readonly Segment[],
  proposals: readonly NodeProposal[],
  newId: () => string,
): KbNode[] {
  return assignParents(convertIncompleteDecisions(groupSegments(segments, proposals)), newId)
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
    const crossesHeading = proposedSegments.some(
      ({ kind, startsUnit }, index) => kind === 'section' || (startsUnit && index > 0),
    )
    if (!isExistingRange || overlapsEarlierGroup || crossesHeading || content.length > maxNodeLength) continue
    addUngroupedUntil(first - 1)
    const proposedTitle = title.replace(/\s+/g, ' ').trim().slice(0, maxTitleLength)
    groups.push({ kind, level: 0, title: proposedTitle || deriveTitle(content), content })
    groupedCount = last
  }
  addUngroupedUntil(segments.length)
  return groups
}

/**
 * Create the group of one segment. The heading of a section becomes its title, or its content if it is too
 * long for a title.
 */
function createGroup({ kind, level, text }: Segment): Group {
  const fitsIntoTitle = kind === 'section' && text.length <= maxTitleLength
  return { kind, level, title: fitsIntoTitle ? text : deriveTitle(text), content: fitsIntoTitle ? '' : text }
}

/** Turn decisions with fewer than two options, and options without a decision, into steps. */
function convertIncompleteDecisions(groups: readonly Group[]): Group[] {
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

/**
 * Assign ids and parents. The parent of an option is its decision, the parent of any other node the heading
 * above it.
 */
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
