import type { Content, Item } from '#rules/versions/compare.ts'
import {
  type FallbackStep,
  type Flow,
  type FlowNode,
  type FlowStep,
  type IntakeField,
  isStepList,
  type TreeStructure,
} from './structure.ts'

/** What a comparison of flows reads of a version. */
export interface FlowContent extends Flow {
  name: string
  description: string
}

/** Return the fields of a flow, its questions and its steps for a comparison. */
export function toFlowContent({
  name,
  description,
  tree_type,
  tree_structure,
  intake_form,
}: FlowContent): Content {
  const steps = tree_structure ? listSteps(tree_structure) : []
  return {
    fields: { name, description, tree_type },
    items: [...intake_form.map(toQuestion), ...steps],
    isOrdered: true,
  }
}

function toQuestion({ key, ...fields }: IntakeField): Item {
  return { list: 'questions', id: key, label: fields.label, parentId: null, fields }
}

function listSteps(structure: TreeStructure): Item[] {
  return isStepList(structure) ? structure.steps.flatMap(listStep) : listNode(structure, null)
}

function listNode({ children, ...node }: FlowNode, parentId: string | null): Item[] {
  return [toStep(node, parentId), ...(children ?? []).flatMap((child) => listNode(child, node.id))]
}

function listStep({ fallback_steps, ...step }: FlowStep): Item[] {
  return [toStep(step, null), ...(fallback_steps ?? []).map((fallback) => toStep(fallback, step.id))]
}

function toStep(
  { id, ...fields }: Omit<FlowNode, 'children'> | FlowStep | FallbackStep,
  parentId: string | null,
): Item {
  return { list: 'steps', id, label: fields.title ?? '', parentId, fields }
}
