import type { Outline, OutlineNode } from './facts.ts'
import { findBestIndex } from './text.ts'

/**
 * Follow a flow from its root, one node per answer, and return the current node. An answer that fits no
 * option is skipped.
 */
export function followAnswers(flow: Outline, answers: readonly string[]): OutlineNode | undefined {
  let current = flow.nodes[0]
  for (const answer of answers) if (current) current = followAnswer(flow, current, answer) ?? current
  return current
}

function followAnswer(
  flow: Outline,
  { kind, options, next }: OutlineNode,
  answer: string,
): OutlineNode | undefined {
  const labels = options.map(({ label }) => label)
  // An answer often begins with a label, such as “Yes, since this morning”.
  const start = labels.findIndex((label) =>
    answer.toLowerCase().startsWith(label.toLowerCase().split(/[:,.]/)[0] ?? ''),
  )
  const index = start >= 0 ? start : findBestIndex(answer, labels)
  return findNode(flow, kind === 'decision' ? options[index]?.leads_to : next)
}

/** Follow a flow to an end. At a decision take the option whose label and next node share most with the text. */
export function findLikelyEnd(
  flow: Outline,
  from: OutlineNode | undefined,
  text: string,
): OutlineNode | undefined {
  const visited = new Set<OutlineNode>()
  let current = from ?? flow.nodes[0]
  while (current && !visited.has(current)) {
    visited.add(current)
    const { options, next } = current
    const branches = options.map(({ label, leads_to }) => {
      const node = findNode(flow, leads_to)
      return `${label} ${node?.title} ${node?.description}`
    })
    const best = Math.max(0, findBestIndex(text, branches))
    const following = findNode(flow, options[best]?.leads_to ?? next)
    if (!following) break
    current = following
  }
  return current
}

function findNode({ nodes }: Outline, id: string | null | undefined): OutlineNode | undefined {
  return nodes.find((node) => node.id === id)
}
