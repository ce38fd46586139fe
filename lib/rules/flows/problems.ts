import type { FallbackStep, FlowNode, FlowStep } from './structure.ts'

/** A problem with a flow, described for the technician who edits it. */
export interface FlowProblem {
  /** The node or step with the problem; null when the problem concerns the whole flow. */
  node_id: string | null
  /** The path of the value, such as `tree_structure.children[0].options[1].next_node_id`. */
  path: string
  message: string
}

/** Return a problem with a property of a node; an empty `property` means the node itself. */
export function problemAt(
  { id }: { id: string },
  nodePath: string,
  property: string,
  message: string,
): FlowProblem {
  return { node_id: id, path: property ? `${nodePath}.${property}` : nodePath, message }
}

/** Return a problem when the title is missing. `kind` names the node in the message. */
export function validateTitle(
  node: FlowNode | FlowStep | FallbackStep,
  nodePath: string,
  kind: string,
): FlowProblem[] {
  return node.title?.trim() ? [] : [problemAt(node, nodePath, 'title', `This ${kind} has no title`)]
}
