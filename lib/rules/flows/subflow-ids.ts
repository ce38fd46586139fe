import { changeSteps } from './change-steps.ts'
import type { FlowNode, FlowStep, TreeStructure } from './structure.ts'

/** Replace the ids of sub-flows. A sub-flow without a new id is left out, so its step is answered by hand. */
export function replaceSubflowIds(
  structure: TreeStructure,
  newIds: ReadonlyMap<string, string>,
): TreeStructure {
  return changeSteps(structure, <N extends FlowNode | FlowStep>({ subflow, ...node }: N) => {
    const tree_id = subflow ? newIds.get(subflow.tree_id) : undefined
    return { ...node, ...(subflow && tree_id ? { subflow: { ...subflow, tree_id } } : {}) } as N
  })
}
