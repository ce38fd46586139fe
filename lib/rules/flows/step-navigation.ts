import type { StepTimer } from './step-timer.ts'
import { type FlowNode, type FlowStep, isStepList, type StepList, type TreeStructure } from './structure.ts'
import { walkAll, walkNodes } from './walk.ts'

// The order of steps while a session runs a flow: the first step, its possible answers, and the step after an
// answer.

export const stepOutcomes = ['done', 'skipped', 'failed'] as const

/** A decision is answered with one of its options. Every other step is answered with an outcome. */
export interface StepAnswer {
  option_id?: string | undefined
  outcome?: (typeof stepOutcomes)[number] | undefined
}

/** Where a session is in its flow. */
export interface StepPosition {
  /** The step to answer next; null at the end of the flow. */
  current_step_id: string | null
  /** The number of answers on the longest path from this step. */
  remaining: number
  timer: StepTimer | null
}

export interface Progress {
  answered: number
  /** In a tree, this counts the longest remaining path. */
  total: number
  percent: number
}

/** Section headers and the end take no answer. */
function isAnswerable({ type }: FlowStep): boolean {
  return type === 'procedure_step'
}

/** Return the steps of a list that a session reaches: those of a draft below its end are none. */
function listReachableSteps({ steps }: StepList): FlowStep[] {
  const end = steps.findIndex(({ type }) => type === 'procedure_end')
  return (end < 0 ? steps : steps.slice(0, end)).filter(isAnswerable)
}

export function getFirstStepId(structure: TreeStructure): string | null {
  return isStepList(structure) ? (listReachableSteps(structure)[0]?.id ?? null) : structure.id
}

/** Return the node or step with this id if it takes an answer. */
export function findAnswerableStep(structure: TreeStructure, id: string): FlowNode | FlowStep | undefined {
  if (isStepList(structure)) return structure.steps.find((step) => step.id === id && isAnswerable(step))
  for (const { node } of walkNodes(structure)) if (node.id === id) return node
  return undefined
}

/**
 * Return all nodes or steps that take an answer, by id. Use it to look up more than one: one search per id
 * would take quadratic time.
 */
export function indexAnswerableSteps(structure: TreeStructure): Map<string, FlowNode | FlowStep> {
  if (isStepList(structure))
    return new Map(structure.steps.filter(isAnswerable).map((step) => [step.id, step]))
  const nodeById = new Map<string, FlowNode>()
  const pending = [structure]
  for (let node = pending.pop(); node; node = pending.pop()) {
    nodeById.set(node.id, node)
    for (const item of node.children ?? []) pending.push(item)
  }
  return nodeById
}

/** Return whether the flow has a node or step with this id, section headers and fallback steps included. */
export function containsStep(structure: TreeStructure, id: string): boolean {
  for (const { node } of walkAll(structure)) if (node.id === id) return true
  return false
}

/**
 * Return the field of the answer that does not fit the step, with a message. Return null if the answer fits.
 */
export function findAnswerMismatch(
  step: FlowNode | FlowStep,
  { option_id, outcome }: StepAnswer,
): { field: keyof StepAnswer; msg: string } | null {
  if (step.type !== 'decision') {
    if (option_id !== undefined)
      return { field: 'option_id', msg: `must be left out: a ${step.type} has no options` }
    return outcome === undefined ? { field: 'outcome', msg: `is required for a ${step.type}` } : null
  }
  if (outcome !== undefined)
    return { field: 'outcome', msg: 'must be left out: a decision is answered with an option' }
  const hasOption = 'options' in step && step.options?.some(({ id }) => id === option_id)
  return hasOption ? null : { field: 'option_id', msg: 'must be an option of this decision' }
}

/** Return the id of the step after an answer, or null at the end of the flow. */
export function getNextStepId(structure: TreeStructure, id: string, optionId?: string | null): string | null {
  if (isStepList(structure)) {
    const steps = listReachableSteps(structure)
    const index = steps.findIndex((step) => step.id === id)
    return index < 0 ? null : (steps[index + 1]?.id ?? null)
  }
  const node = findAnswerableStep(structure, id) as FlowNode | undefined
  return node ? getNextNodeId(node, optionId) : null
}

function getNextNodeId(
  { type, options, next_node_id, children }: FlowNode,
  optionId: string | null | undefined,
): string | null {
  const nextId =
    type === 'decision' ? options?.find((option) => option.id === optionId)?.next_node_id : next_node_id
  return children?.find((child) => child.id === nextId)?.id ?? null
}

/** The steps of a flow that take an answer, by id and in reading order, for walking through it many times. */
export interface StepIndex {
  stepById: ReadonlyMap<string, FlowNode | FlowStep>
  firstId: string | null
  /** Return what `getNextStepId` does. */
  getNextId(id: string, optionId?: string | null): string | null
}

export function indexSteps(structure: TreeStructure): StepIndex {
  const firstId = getFirstStepId(structure)
  if (isStepList(structure)) {
    const steps = listReachableSteps(structure)
    const nextIds = new Map(steps.map(({ id }, index) => [id, steps[index + 1]?.id ?? null]))
    const stepById = new Map(steps.map((step) => [step.id, step]))
    return { stepById, firstId, getNextId: (id) => nextIds.get(id) ?? null }
  }
  const stepById = new Map(Array.from(walkNodes(structure), ({ node }) => [node.id, node]))
  const getNextId = (id: string, optionId?: string | null) => {
    const node = stepById.get(id)
    return node ? getNextNodeId(node, optionId) : null
  }
  return { stepById, firstId, getNextId }
}

/**
 * Return the number of answers on the longest path from this step, including its own answer. It is 0 for
 * null, the end of the flow.
 */
export function countRemainingAnswers(structure: TreeStructure, id: string | null): number {
  if (id === null) return 0
  if (isStepList(structure)) {
    const steps = listReachableSteps(structure)
    const index = steps.findIndex((step) => step.id === id)
    return index < 0 ? 0 : steps.length - index
  }
  const node = findAnswerableStep(structure, id) as FlowNode | undefined
  return node ? getLongestPathLength(node) : 0
}

/** Return the position of a session at a step, or at the end of the flow for null. */
export function getPosition(structure: TreeStructure, id: string | null): StepPosition {
  const timer = (id === null ? null : findAnswerableStep(structure, id)?.timer) ?? null
  return { current_step_id: id, remaining: countRemainingAnswers(structure, id), timer }
}

function getLongestPathLength({ options, next_node_id, children }: FlowNode): number {
  const linkedIds = new Set([next_node_id, ...(options ?? []).map((option) => option.next_node_id)])
  const lengthsBelow = (children ?? []).filter((child) => linkedIds.has(child.id)).map(getLongestPathLength)
  return 1 + lengthsBelow.reduce((longest, length) => Math.max(longest, length), 0)
}

/** Return the progress of a session. It is 100 percent only when no answer remains. */
export function computeProgress(answered: number, remaining: number): Progress {
  const total = answered + remaining
  return { answered, total, percent: total === 0 ? 100 : Math.floor((answered * 100) / total) }
}
