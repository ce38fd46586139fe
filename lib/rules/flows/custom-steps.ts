import { type FlowNode, type FlowStep, isStepList, type StepList, type TreeStructure } from './structure.ts'
import { walkAll } from './walk.ts'

/** A step that the technician added during a session; the flow does not have it. */
export interface CustomStep {
  /** The step after which it was done. */
  after_step_id: string
  title: string
  description: string
}

/** A custom step with the id that it gets in the flow. */
interface CustomStepWithId {
  id: string
  afterStepId: string
  title: string
  description: string
}

/**
 * Return the flow with the custom steps of a session inserted, in the order they were done.
 * In a tree each custom step becomes an action. It is inserted on the branch that the session took. It is
 * inserted before a decision without an answer, and before a solution, because nothing may follow a solution.
 *
 * @param optionIdByDecision the option that the session chose at each decision
 */
export function insertCustomSteps(
  structure: TreeStructure,
  customSteps: readonly CustomStep[],
  optionIdByDecision: ReadonlyMap<string, string | null>,
): TreeStructure {
  const usedIds = new Set([...walkAll(structure)].map(({ node }) => node.id))
  const stepsWithIds = customSteps.map(({ after_step_id, title, description }) => ({
    id: reserveId(usedIds),
    afterStepId: after_step_id,
    title,
    description,
  }))
  return isStepList(structure)
    ? insertIntoSteps(structure, stepsWithIds)
    : insertIntoTree(structure, stepsWithIds, optionIdByDecision)
}

/** Return the first free id of `custom-1`, `custom-2` … and add it to `usedIds`. */
function reserveId(usedIds: Set<string>): string {
  let n = 1
  while (usedIds.has(`custom-${n}`)) n++
  usedIds.add(`custom-${n}`)
  return `custom-${n}`
}

function insertIntoSteps({ steps }: StepList, customSteps: readonly CustomStepWithId[]): StepList {
  const endIndex = steps.findIndex(({ type }) => type === 'procedure_end')
  const stepsBeforeEnd = endIndex < 0 ? steps : steps.slice(0, endIndex)
  // Nothing may follow the end, so a custom step done after it is inserted before it.
  const insertions = customSteps.map(({ afterStepId, ...content }) => ({
    after:
      stepsBeforeEnd.find(
        ({ id, fallback_steps }) =>
          id === afterStepId || fallback_steps?.some((step) => step.id === afterStepId),
      ) ?? stepsBeforeEnd.at(-1),
    step: { type: 'procedure_step' as const, ...content },
  }))
  return {
    steps: steps.flatMap((step) => [
      step,
      ...insertions.filter(({ after }) => after === step).map((insertion): FlowStep => insertion.step),
    ]),
  }
}

function insertIntoTree(
  root: FlowNode,
  customSteps: readonly CustomStepWithId[],
  optionIdByDecision: ReadonlyMap<string, string | null>,
): FlowNode {
  const insertAround = (node: FlowNode): FlowNode => {
    const stepsAfterNode = customSteps.filter(({ afterStepId }) => afterStepId === node.id)
    const nextId = findNextChildId(node, optionIdByDecision)
    const children = (node.children ?? []).map((child) =>
      chainActions(child.id === nextId ? stepsAfterNode : [], insertAround(child)),
    )
    const newIdByChildId = new Map(node.children?.map(({ id }, index) => [id, children[index]?.id ?? id]))
    const linkedNode = { ...replaceLinks(node, newIdByChildId), ...(children.length > 0 ? { children } : {}) }
    return nextId ? linkedNode : chainActions(stepsAfterNode, linkedNode)
  }
  return insertAround(root)
}

/** Return the child that the session took, or the only child it can take. */
function findNextChildId(
  node: FlowNode,
  optionIdByDecision: ReadonlyMap<string, string | null>,
): string | undefined {
  const nextId =
    node.type === 'decision'
      ? node.options?.find(({ id }) => id === optionIdByDecision.get(node.id))?.next_node_id
      : node.next_node_id
  return nextId && node.children?.some(({ id }) => id === nextId) ? nextId : undefined
}

/** Return the node with its links pointing to the new ids of its children. */
function replaceLinks(node: FlowNode, newIdByChildId: ReadonlyMap<string, string>): FlowNode {
  const replaceLink = <T extends { next_node_id?: string | null | undefined }>(linked: T): T =>
    linked.next_node_id
      ? { ...linked, next_node_id: newIdByChildId.get(linked.next_node_id) ?? linked.next_node_id }
      : linked
  return { ...replaceLink(node), ...(node.options ? { options: node.options.map(replaceLink) } : {}) }
}

/** Return the actions as a chain in which each leads to the next, and the last to `lastNode`. */
function chainActions(actions: readonly CustomStepWithId[], lastNode: FlowNode): FlowNode {
  return actions.reduceRight<FlowNode>(
    (next, { id, title, description }) => ({
      id,
      type: 'action',
      title,
      description,
      next_node_id: next.id,
      children: [next],
    }),
    lastNode,
  )
}
