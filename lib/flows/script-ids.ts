import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from './structure.ts'

/** Replace the ids of script templates. A template without a new id is left out. */
export function replaceScriptIds(structure: TreeStructure, newIds: ReadonlyMap<string, string>): TreeStructure {
  const replaceId = <N extends FlowNode | FlowStep>({ script_template_id: old, ...node }: N) => {
    const id = old ? newIds.get(old) : undefined
    return { ...node, ...(id ? { script_template_id: id } : {}) } as N
  }
  const replaceInNode = (node: FlowNode): FlowNode => {
    const { children, ...rest } = replaceId(node)
    return { ...rest, ...(children ? { children: children.map(replaceInNode) } : {}) }
  }
  return isStepList(structure) ? { steps: structure.steps.map(replaceId) } : replaceInNode(structure)
}
