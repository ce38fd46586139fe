import { type FlowNode, type FlowStep, isStepList, type StepList, type TreeStructure } from './structure.ts'
import { walkAll } from './walk.ts'

/** A step somebody did that the flow does not have. */
export interface CustomStep {
  /** The step it was done after. */
  after_step_id: string
  title: string
  description: string
}

interface Extra {
  id: string
  after: string
  title: string
  description: string
}

/**
 * A flow with the custom steps of a session at their places, in the order they were done. In a tree they are actions: on the way that was
 * `taken` (option by decision), before a decision that was not answered, and before a solution, which nothing may follow.
 */
export function withCustomSteps(
  structure: TreeStructure,
  custom: readonly CustomStep[],
  taken: ReadonlyMap<string, string | null>,
): TreeStructure {
  const known = new Set([...walkAll(structure)].map(({ node }) => node.id))
  const extras = custom.map(({ after_step_id, title, description }) => ({ id: freeId(known), after: after_step_id, title, description }))
  return isStepList(structure) ? intoSteps(structure, extras) : intoTree(structure, extras, taken)
}

/** The first of `custom-1`, `custom-2` … that is not taken; it is from then on. */
function freeId(known: Set<string>): string {
  let n = 1
  while (known.has(`custom-${n}`)) n++
  known.add(`custom-${n}`)
  return `custom-${n}`
}

function intoSteps({ steps }: StepList, extras: readonly Extra[]): StepList {
  const end = steps.findIndex(({ type }) => type === 'procedure_end')
  const before = end < 0 ? steps : steps.slice(0, end)
  // Nothing may follow the end: what was done there comes before it.
  const placed = extras.map(({ after, ...words }) => ({
    after: before.find(({ id, fallback_steps }) => id === after || fallback_steps?.some((step) => step.id === after)) ?? before.at(-1),
    step: { type: 'procedure_step' as const, ...words },
  }))
  return { steps: steps.flatMap((step) => [step, ...placed.filter(({ after }) => after === step).map((extra): FlowStep => extra.step)]) }
}

function intoTree(root: FlowNode, extras: readonly Extra[], taken: ReadonlyMap<string, string | null>): FlowNode {
  const place = (node: FlowNode): FlowNode => {
    const own = extras.filter(({ after }) => after === node.id)
    const target = targetOf(node, taken)
    const children = (node.children ?? []).map((child) => chain(child.id === target ? own : [], place(child)))
    const moved = new Map(node.children?.map(({ id }, index) => [id, children[index]?.id ?? id]))
    const here = { ...turned(node, moved), ...(children.length > 0 ? { children } : {}) }
    return target ? here : chain(own, here)
  }
  return place(root)
}

/** The child the way went on to, or must go on to. */
function targetOf(node: FlowNode, taken: ReadonlyMap<string, string | null>): string | undefined {
  const next = node.type === 'decision' ? node.options?.find(({ id }) => id === taken.get(node.id))?.next_node_id : node.next_node_id
  return next && node.children?.some(({ id }) => id === next) ? next : undefined
}

/** A node whose ways lead to what now stands before its children. */
function turned(node: FlowNode, moved: ReadonlyMap<string, string>): FlowNode {
  const turn = <T extends { next_node_id?: string | null | undefined }>(way: T): T =>
    way.next_node_id ? { ...way, next_node_id: moved.get(way.next_node_id) ?? way.next_node_id } : way
  return { ...turn(node), ...(node.options ? { options: node.options.map(turn) } : {}) }
}

/** Actions that lead one to the next and at last to a node. */
function chain(extras: readonly Extra[], last: FlowNode): FlowNode {
  return extras.reduceRight<FlowNode>(
    (next, { id, title, description }) => ({ id, type: 'action', title, description, next_node_id: next.id, children: [next] }),
    last,
  )
}
