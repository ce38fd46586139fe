import type { StepAnswer } from './step-navigation.ts'
import type { FlowNode, FlowStep, TreeStructure } from './structure.ts'
import type { Subflow, SubflowOutcome } from './subflow-schema.ts'
import { walkAll } from './walk.ts'

/** How many levels of sub-flows a flow may have below it. */
export const maxSubflowDepth = 5

/** A step that runs another flow. */
export interface SubflowReference {
  node: FlowNode | FlowStep
  path: string
  subflow: Subflow
}

/** Return the steps that run another flow, in reading order. */
export function listSubflows(structure: TreeStructure | null): SubflowReference[] {
  if (!structure) return []
  return Array.from(walkAll(structure)).flatMap(({ node, path }) =>
    'subflow' in node && node.subflow ? [{ node, path, subflow: node.subflow }] : [],
  )
}

/** Return the sub-flow in normal form: without empty parts. */
export function normaliseSubflow({ tree_id, inputs, outputs, options }: Subflow): Subflow {
  const chosenOptions = Object.fromEntries(Object.entries(options ?? {}).filter(([, id]) => id))
  return {
    tree_id: tree_id.toLowerCase(),
    ...(inputs && Object.keys(inputs).length > 0 ? { inputs } : {}),
    ...(outputs && Object.keys(outputs).length > 0 ? { outputs } : {}),
    ...(Object.keys(chosenOptions).length > 0 ? { options: chosenOptions } : {}),
  }
}

/** The outcome of a step for that of its sub-flow. */
const stepOutcomes: Record<SubflowOutcome, 'done' | 'failed' | null> = {
  resolved: 'done',
  unresolved: 'failed',
  escalated: null,
  cancelled: null,
}

/**
 * Return the answer to a step whose sub-flow has completed with this outcome. A decision is answered with the
 * option of the outcome, any other step with `done` for `resolved` and `failed` for `unresolved`. Return null
 * if a technician must answer it.
 */
export function getSubflowAnswer(step: FlowNode | FlowStep, outcome: SubflowOutcome): StepAnswer | null {
  // A technician must provide the evidence, and ask for the approval.
  if (step.evidence?.length || step.approval) return null
  if (step.type === 'decision') {
    const optionId = step.subflow?.options?.[outcome]
    return optionId && 'options' in step && step.options?.some(({ id }) => id === optionId)
      ? { option_id: optionId }
      : null
  }
  const stepOutcome = stepOutcomes[outcome]
  return stepOutcome && { outcome: stepOutcome }
}
