import type { FlowNode, FlowStep } from '#rules/flows/structure.ts'

// Small valid parts of flows, for tests of one rule.

export function createSolution(id: string, fields: Partial<FlowNode> = {}): FlowNode {
  return { id, type: 'solution', title: id, description: '', ...fields }
}

export function createStep(id: string, fields: Partial<FlowStep> = {}): FlowStep {
  return { id, type: 'procedure_step', title: id, description: 'x', ...fields }
}

export function createEnd(fields: Partial<FlowStep> = {}): FlowStep {
  return createStep('end', { type: 'procedure_end', title: 'Done', description: '', ...fields })
}

/** Return a chain of nodes, each below the one before it. */
export function createChain(depth: number): FlowNode {
  return Array.from({ length: depth - 1 }).reduceRight<FlowNode>(
    (child, _, n) => ({
      id: `n${n}`,
      type: 'action',
      title: 'x',
      description: '',
      next_node_id: child.id,
      children: [child],
    }),
    createSolution('last'),
  )
}
