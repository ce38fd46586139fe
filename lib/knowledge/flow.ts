import { normaliseStructure } from '../flows/normalise.ts'
import type { FlowNode, FlowStep, TreeStructure, TreeType } from '../flows/structure.ts'
import type { KbNode } from './nodes.ts'
import { type Branch, branchesOf, inOrder } from './order.ts'

/** The flow that nodes make up, in normal form, each once and under its own id; of none it is null. What is wrong with it is for validation to say. */
export function flowOf(nodes: readonly KbNode[], type: TreeType): TreeStructure | null {
  const branches = branchesOf(nodes)
  if (branches.length === 0) return null
  return normaliseStructure(type === 'troubleshooting' ? chained(branches) : { steps: stepsOf(inOrder(branches)) })
}

function stepsOf(nodes: readonly KbNode[]): FlowStep[] {
  const steps = nodes.map(
    (node): FlowStep => ({ id: node.id, type: node.kind === 'section' ? 'section_header' : 'procedure_step', ...textsOf(node) }),
  )
  return [...steps, { id: 'end', type: 'procedure_end', title: 'Done', description: '' }]
}

/** One after the other, the last one a solution. Ways that parted do not meet again, so what follows a decision follows its last option. */
function chained(branches: readonly Branch<KbNode>[]): FlowNode {
  const [first, ...rest] = branches as [Branch<KbNode>, ...Branch<KbNode>[]]
  const { node, children } = first
  const base = { id: node.id, ...textsOf(node) }
  if (node.kind === 'decision') {
    const answers = children.map((child) => ({ label: child.node.title, next: chained([child]) }))
    if (rest.length > 0) answers.push({ label: 'Go on', next: chained(rest) })
    const options = answers.map(({ label, next }) => ({ label, next_node_id: next.id }))
    return { ...base, type: 'decision', options, children: answers.map(({ next }) => next) }
  }
  const following = [...children, ...rest]
  if (following.length === 0) return { ...base, type: 'solution' }
  const next = chained(following)
  return { ...base, type: 'action', next_node_id: next.id, children: [next] }
}

/** A text that says no more than the title is not said twice. */
function textsOf({ title, content }: KbNode): { title: string; description: string } {
  const said = content.replace(/^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+/, '').trim()
  return { title, description: said === title.trim() ? '' : content }
}
