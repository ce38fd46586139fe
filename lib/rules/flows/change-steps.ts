import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from './structure.ts'

/**
 * Return the structure with every node or step replaced by the result of `change`. Fallback steps stay as
 * they are.
 */
export function changeSteps(
  structure: TreeStructure,
  change: <N extends FlowNode | FlowStep>(node: N) => N,
): TreeStructure {
  const changeNode = (node: FlowNode): FlowNode => {
    const { children, ...rest } = change(node)
    return { ...rest, ...(children ? { children: children.map(changeNode) } : {}) }
  }
  return isStepList(structure)
    ? { steps: structure.steps.map((step) => change(step)) }
    : changeNode(structure)
}
