import { nodeCharacters } from './blocks.ts'
import type { Piece } from './pieces.ts'
import { titleOf } from './titles.ts'

export const nodeKinds = ['section', 'step', 'note', 'decision', 'solution'] as const
export type NodeKind = (typeof nodeKinds)[number]

/** Part of an article on its way to a flow. `content` is the article's own text, `position` its place in reading order from 0. */
export interface KbNode {
  id: string
  parent_id: string | null
  position: number
  kind: NodeKind
  title: string
  content: string
}

/** What somebody makes of the pieces with these numbers, which begin at 1: one node. An option belongs to the decision before it. */
export interface Proposal {
  first: number
  last: number
  kind: 'step' | 'note' | 'decision' | 'option' | 'solution'
  title: string
}

interface Group {
  kind: Proposal['kind'] | 'section'
  level: number
  title: string
  content: string
}

/** The nodes of an article. Each piece is in one of them, in its order and whole, whatever was proposed: proposals only group and name. */
export function nodesOf(pieces: readonly Piece[], proposals: readonly Proposal[], newId: () => string): KbNode[] {
  return placed(settled(groupsOf(pieces, proposals)), newId)
}

/** A proposal holds where it names pieces that follow one another, no section among them and none that an earlier one has; the rest stays as it is. */
function groupsOf(pieces: readonly Piece[], proposals: readonly Proposal[]): Group[] {
  const groups: Group[] = []
  let at = 0
  const untilNow = (end: number) => {
    for (const piece of pieces.slice(at, end)) groups.push(alone(piece))
    at = end
  }
  for (const { first, last, kind, title } of proposals.toSorted((a, b) => a.first - b.first)) {
    const taken = pieces.slice(first - 1, last)
    const content = taken.map(({ text }) => text).join('\n\n')
    const holds = first > at && taken.length === last - first + 1 && taken.length > 0 && taken.every((piece) => piece.kind !== 'section')
    if (!holds || content.length > nodeCharacters) continue
    untilNow(first - 1)
    groups.push({ kind, level: 0, title: title.replace(/\s+/g, ' ').trim().slice(0, 300) || titleOf(content), content })
    at = last
  }
  untilNow(pieces.length)
  return groups
}

/** A section is called by its heading alone, unless that is no title any more. */
function alone({ kind, level, text }: Piece): Group {
  const isTitle = kind === 'section' && text.length <= 300
  return { kind, level, title: isTitle ? text : titleOf(text), content: isTitle ? '' : text }
}

/** Who decides has two answers at least, and an answer somebody who asks. */
function settled(groups: readonly Group[]): Group[] {
  const settledGroups: Group[] = []
  let open = false
  for (const [index, group] of groups.entries()) {
    const asks = group.kind === 'decision' && groups[index + 1]?.kind === 'option' && groups[index + 2]?.kind === 'option'
    const stays = group.kind === 'decision' ? asks : group.kind !== 'option' || open
    settledGroups.push(stays ? group : { ...group, kind: 'step' })
    open = asks || (open && group.kind === 'option')
  }
  return settledGroups
}

function placed(groups: readonly Group[], newId: () => string): KbNode[] {
  const sections: { id: string; level: number }[] = []
  let decision: string | null = null
  return groups.map(({ kind, level, title, content }, position) => {
    const id = newId()
    if (kind === 'section') while ((sections.at(-1)?.level ?? 0) >= level) sections.pop()
    const parent_id = kind === 'option' ? decision : (sections.at(-1)?.id ?? null)
    if (kind === 'section') sections.push({ id, level })
    decision = kind === 'decision' ? id : kind === 'option' ? decision : null
    return { id, parent_id, position, kind: kind === 'option' ? 'step' : kind, title, content }
  })
}
