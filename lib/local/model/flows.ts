import { everythingOf, type Facts, type Outline, type OutlineNode, type Said } from './case.ts'
import { bestOf, scores, wordsOf } from './words.ts'

const textOf = ({ title, description, options }: OutlineNode) => [title, description, ...options.map(({ label }) => label)].join('\n')

/** The flow that fits best. Its name and description say more than what stands inside. */
export function fittingFlow(facts: Facts, said: readonly Said[]): Outline | undefined {
  const flows = facts.flows ?? []
  const text = everythingOf(facts, said)
  const titles = flows.map(({ name, description, category }) => `${name} ${name} ${description} ${category ?? ''}`)
  const heads = scores(text, titles)
  const bodies = scores(
    text,
    flows.map(({ nodes }) => nodes.map(textOf).join('\n')),
  )
  // What was said last is what it is about now.
  const latest = scores(answersOf(said).at(-1) ?? '', titles)
  const totals = flows.map((_, at) => (heads[at] ?? 0) * 1.5 + (bodies[at] ?? 0) + (latest[at] ?? 0) * 3)
  const best = Math.max(0, ...totals)
  return best > 0.5 ? flows[totals.indexOf(best)] : undefined
}

/** Where the answers so far lead in a flow: each answers the node it meets, and one that fits no option leaves it there. */
export function follow({ nodes }: Outline, answers: readonly string[]): OutlineNode | undefined {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  let at = nodes[0]
  for (const answer of answers) {
    if (!at) return undefined
    if (at.kind === 'decision') at = byId.get(at.options[chosen(at, answer)]?.leads_to ?? '') ?? at
    else if (at.next) at = byId.get(at.next) ?? at
  }
  return at
}

function chosen({ options }: OutlineNode, answer: string): number {
  const exact = options.findIndex(({ label }) => answer.toLowerCase().trim() === label.toLowerCase().trim())
  if (exact >= 0) return exact
  const began = options.findIndex(({ label }) => answer.toLowerCase().startsWith((label.split(/[:,.]/)[0] ?? label).toLowerCase()))
  return began >= 0
    ? began
    : bestOf(
        answer,
        options.map(({ label }) => label),
      )
}

/** The way's end that fits best among those that a node leads to. */
export function likelyEnd(flow: Outline, from: OutlineNode | undefined, text: string): OutlineNode | undefined {
  const ways = waysFrom(flow, from ?? flow.nodes[0])
  const best = bestOf(
    text,
    ways.map((way) => way.map(textOf).join('\n')),
  )
  return ways[Math.max(best, 0)]?.at(-1)
}

function waysFrom({ nodes }: Outline, from: OutlineNode | undefined): OutlineNode[][] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const ways: OutlineNode[][] = []
  const walk = (node: OutlineNode | undefined, way: OutlineNode[]) => {
    if (!node || way.includes(node) || way.length > 50) return
    const next = [...way, node]
    const onward = node.kind === 'decision' ? node.options.map(({ leads_to }) => leads_to) : node.next ? [node.next] : []
    if (onward.length === 0) ways.push(next)
    for (const id of onward) walk(byId.get(id), next)
  }
  walk(from, [])
  return ways
}

/** Whether somebody asks to be told what to do. */
export function wantsFix(text: string): boolean {
  const asked = new Set(wordsOf(text))
  return ['fix', 'solution', 'solve', 'suggest', 'suggestion', 'repair', 'resolve', 'script', 'remedy'].some((word) =>
    wordsOf(word).some((stemmed) => asked.has(stemmed)),
  )
}

export const answersOf = (said: readonly Said[]): string[] => said.filter(({ role }) => role === 'user').map(({ text }) => text)
