import { collectText, type Facts, type Outline, type OutlineNode, type Turn } from './facts.ts'
import { extractWords, findBestIndex, scoreTexts } from './text.ts'

const joinNodeText = ({ title, description, options }: OutlineNode) =>
  [title, description, ...options.map(({ label }) => label)].join('\n')

/**
 * Return the flow that fits best, or undefined if none fits. A flow's name and description count more than
 * its nodes.
 */
export function findFittingFlow(facts: Facts, turns: readonly Turn[]): Outline | undefined {
  const flows = facts.flows ?? []
  const text = collectText(facts, turns)
  const titles = flows.map(
    ({ name, description, category }) => `${name} ${name} ${description} ${category ?? ''}`,
  )
  const titleScores = scoreTexts(text, titles)
  const nodeScores = scoreTexts(
    text,
    flows.map(({ nodes }) => nodes.map(joinNodeText).join('\n')),
  )
  // The newest message counts most, because the topic may have changed.
  const newestScores = scoreTexts(listUserTexts(turns).at(-1) ?? '', titles)
  const totals = flows.map(
    (_, index) => (titleScores[index] ?? 0) * 1.5 + (nodeScores[index] ?? 0) + (newestScores[index] ?? 0) * 3,
  )
  const best = Math.max(0, ...totals)
  return best > 0.5 ? flows[totals.indexOf(best)] : undefined
}

/**
 * Follow a flow from its root, one node per answer, and return the current node. An answer that fits no
 * option is skipped.
 */
export function followAnswers({ nodes }: Outline, answers: readonly string[]): OutlineNode | undefined {
  const nodeById = new Map(nodes.map((node) => [node.id, node]))
  let current = nodes[0]
  for (const answer of answers) {
    if (!current) return undefined
    const nextId =
      current.kind === 'decision' ? current.options[findOptionIndex(current, answer)]?.leads_to : current.next
    current = nodeById.get(nextId ?? '') ?? current
  }
  return current
}

/** Return the index of the option that an answer means, or -1. */
function findOptionIndex({ options }: OutlineNode, answer: string): number {
  const exactIndex = options.findIndex(
    ({ label }) => answer.toLowerCase().trim() === label.toLowerCase().trim(),
  )
  if (exactIndex >= 0) return exactIndex
  const prefixIndex = options.findIndex(({ label }) =>
    answer.toLowerCase().startsWith((label.split(/[:,.]/)[0] ?? label).toLowerCase()),
  )
  if (prefixIndex >= 0) return prefixIndex
  return findBestIndex(
    answer,
    options.map(({ label }) => label),
  )
}

/**
 * Score each path from `from` (default: the root) against the text. Return the last node of the best path, or
 * of the first path if none matches.
 */
export function findLikelyEnd(
  flow: Outline,
  from: OutlineNode | undefined,
  text: string,
): OutlineNode | undefined {
  const paths = listPaths(flow, from ?? flow.nodes[0])
  const best = findBestIndex(
    text,
    paths.map((path) => path.map(joinNodeText).join('\n')),
  )
  return paths[Math.max(best, 0)]?.at(-1)
}

/** List the paths from a node to each end of the flow. Skip cycles and paths of more than 51 nodes. */
function listPaths({ nodes }: Outline, from: OutlineNode | undefined): OutlineNode[][] {
  const nodeById = new Map(nodes.map((node) => [node.id, node]))
  const paths: OutlineNode[][] = []
  const walk = (node: OutlineNode | undefined, path: OutlineNode[]) => {
    if (!node || path.includes(node) || path.length > 50) return
    const extended = [...path, node]
    const nextIds =
      node.kind === 'decision' ? node.options.map(({ leads_to }) => leads_to) : node.next ? [node.next] : []
    if (nextIds.length === 0) paths.push(extended)
    for (const id of nextIds) walk(nodeById.get(id), extended)
  }
  walk(from, [])
  return paths
}

/** Return whether a message asks for a fix. */
export function asksForFix(text: string): boolean {
  const words = new Set(extractWords(text))
  return ['fix', 'solution', 'solve', 'suggest', 'suggestion', 'repair', 'resolve', 'script', 'remedy'].some(
    (word) => extractWords(word).some((stem) => words.has(stem)),
  )
}

export const listUserTexts = (turns: readonly Turn[]): string[] =>
  turns.filter(({ role }) => role === 'user').map(({ text }) => text)
