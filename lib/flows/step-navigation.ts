import { fillPlaceholders } from './placeholders.ts'
import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from './structure.ts'
import { walkAll, walkNodes } from './walk.ts'

// How a flow is gone through: which step comes first, what answers it, what follows.

export const outcomes = ['done', 'skipped', 'failed'] as const

/** A decision is answered by one of its options, everything else by how it went. */
export interface StepAnswer {
  option_id?: string | undefined
  outcome?: (typeof outcomes)[number] | undefined
}

export interface Progress {
  answered: number
  /** Of a tree: with the longest way that is left. */
  total: number
  percent: number
}

/** What a technician is asked next, with its placeholders filled. */
export interface CurrentStep {
  id: string
  type: string
  title: string
  description: string
  options: { id: string; label: string }[]
  fallback_steps: { id: string; title: string; description: string }[]
}

/** Headings and the end are read, not answered. */
const isAsked = ({ type }: FlowStep) => type === 'procedure_step'

export function firstStep(structure: TreeStructure): string | null {
  return isStepList(structure) ? (structure.steps.find(isAsked)?.id ?? null) : structure.id
}

/** A node or step that takes an answer. */
export function findStep(structure: TreeStructure, id: string): FlowNode | FlowStep | undefined {
  if (isStepList(structure)) return structure.steps.find((step) => step.id === id && isAsked(step))
  for (const { node } of walkNodes(structure)) if (node.id === id) return node
  return undefined
}

/** All that takes an answer, by its id: for whoever needs more than one, since a search of each takes the square of them. */
export function stepsById(structure: TreeStructure): Map<string, FlowNode | FlowStep> {
  if (isStepList(structure)) return new Map(structure.steps.filter(isAsked).map((step) => [step.id, step]))
  const found = new Map<string, FlowNode>()
  const left = [structure]
  for (let node = left.pop(); node; node = left.pop()) {
    found.set(node.id, node)
    left.push(...(node.children ?? []))
  }
  return found
}

/** Whether anything of the flow has this id, headings and fallback steps included. */
export function hasStep(structure: TreeStructure, id: string): boolean {
  for (const { node } of walkAll(structure)) if (node.id === id) return true
  return false
}

/** Where an answer does not fit its step; null when it does. */
export function misfit(step: FlowNode | FlowStep, { option_id, outcome }: StepAnswer): { field: keyof StepAnswer; msg: string } | null {
  if (step.type !== 'decision') {
    if (option_id !== undefined) return { field: 'option_id', msg: `This ${step.type} has no options; it is answered by its outcome` }
    return outcome === undefined ? { field: 'outcome', msg: `Say how this ${step.type} went` } : null
  }
  if (outcome !== undefined) return { field: 'outcome', msg: 'A decision is answered by one of its options' }
  const has = 'options' in step && step.options?.some(({ id }) => id === option_id)
  return has ? null : { field: 'option_id', msg: 'No such option of this decision' }
}

/** The step that follows an answer; null at the end. */
export function stepAfter(structure: TreeStructure, id: string, optionId?: string | null): string | null {
  if (isStepList(structure)) {
    const at = structure.steps.findIndex((step) => step.id === id)
    return structure.steps.slice(at + 1).find(isAsked)?.id ?? null
  }
  const node = findStep(structure, id) as FlowNode | undefined
  const next = node?.type === 'decision' ? node.options?.find((option) => option.id === optionId)?.next_node_id : node?.next_node_id
  return node?.children?.find((child) => child.id === next)?.id ?? null
}

/** How many answers the longest way from a step takes, its own included; 0 at the end. */
export function remainingFrom(structure: TreeStructure, id: string | null): number {
  if (id === null) return 0
  if (isStepList(structure)) {
    const at = structure.steps.findIndex((step) => step.id === id)
    return structure.steps.slice(at).filter(isAsked).length
  }
  const node = findStep(structure, id) as FlowNode | undefined
  return node ? longest(node) : 0
}

function longest({ options, next_node_id, children }: FlowNode): number {
  const reached = new Set([next_node_id, ...(options ?? []).map((option) => option.next_node_id)])
  const below = (children ?? []).filter((child) => reached.has(child.id)).map(longest)
  return 1 + Math.max(0, ...below)
}

/** 100 % at the end and never before. */
export function progressOf(answered: number, remaining: number): Progress {
  const total = answered + remaining
  return { answered, total, percent: total === 0 ? 100 : Math.floor((answered * 100) / total) }
}

export function showStep(step: FlowNode | FlowStep, values: Readonly<Record<string, unknown>>): CurrentStep {
  const words = ({ id, title, description }: Pick<FlowStep, 'id' | 'title' | 'description'>) => ({
    id,
    title: fillPlaceholders(title ?? '', values),
    description: fillPlaceholders(description ?? '', values),
  })
  return {
    ...words(step),
    type: step.type,
    options: 'options' in step ? (step.options ?? []).map(({ id = '', label }) => ({ id, label })) : [],
    fallback_steps: 'fallback_steps' in step ? (step.fallback_steps ?? []).map(words) : [],
  }
}
