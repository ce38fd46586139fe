import type { FallbackStep, FlowNode, FlowStep } from './structure.ts'

/** One thing wrong with a flow, in a technician's words. */
export interface FlowProblem {
  /** The node or step it is about; null when it is about the flow. */
  node_id: string | null
  /** Where, as `tree_structure.children[0].options[1].next_node_id`. */
  path: string
  message: string
}

export function at({ id }: { id: string }, path: string, field: string, message: string): FlowProblem {
  return { node_id: id, path: field ? `${path}.${field}` : path, message }
}

export function titleErrors(node: FlowNode | FlowStep | FallbackStep, path: string, what: string): FlowProblem[] {
  return node.title?.trim() ? [] : [at(node, path, 'title', `This ${what} has no title`)]
}
