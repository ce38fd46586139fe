import { changeSteps } from './change-steps.ts'
import type { FlowNode, FlowStep, TreeStructure } from './structure.ts'

/** Replace the ids of script templates. A template without a new id is left out. */
export function replaceScriptIds(
  structure: TreeStructure,
  newIds: ReadonlyMap<string, string>,
): TreeStructure {
  return changeSteps(structure, <N extends FlowNode | FlowStep>({ script_template_id: old, ...node }: N) => {
    const id = old ? newIds.get(old) : undefined
    return { ...node, ...(id ? { script_template_id: id } : {}) } as N
  })
}
