import { canSpend, spend } from '#rules/budget.ts'
import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from '#rules/flows/structure.ts'
import { walkSteps } from '#rules/flows/walk.ts'
import { createStepFinding, type Finding, getName } from './finding.ts'
import { placeNodes, toPointer } from './flow-patch.ts'

type Step = FlowNode | FlowStep

/** The words with which a title says that something is destroyed. */
const destroys =
  /^(?:(?:delete|erase|wipe|purge|destroy|overwrite|reimage|re-image|factory[ -]reset)\b|format\b.{0,30}\b(?:dis[ck]|drive|volume|partition|stick|card|computer|laptop|pc)\b|drop\b.{0,30}\b(?:table|database|schema|index|collection)\b)/i
/** What is made again by itself. */
const isMadeAgain = /\b(?:cache[sd]?|temp|temporary|cookies?|jobs?|queues?|spool|copy|copies)\b/i
/** The words of a way back. */
const returns =
  /\b(?:back(?:ed)?[ -]?ups?|snapshots?|checkpoints?|restor(?:e|es|ed|ing)|roll(?:ed)?[ -]?back|undo|undone|recover(?:y|ed)?|recycle bin|export(?:ed)?|archived?)\b/i

/**
 * Return the steps whose title says that they destroy something, without an approval and without a way back: at
 * the step, or at a step on the path to it. A step with a script is left out: a script of medium or high risk
 * needs an approval to be rendered, and one of low risk deletes nothing.
 */
export function findDestructiveSteps(structure: TreeStructure): Finding[] {
  const steps = isStepList(structure) ? listSteps(structure.steps) : listNodes(structure)
  const guards = new Map<Step, boolean>()
  const isGuard = (step: Step): boolean => {
    const known = guards.get(step) ?? hasWayBack(step)
    guards.set(step, known)
    return known
  }
  return steps.flatMap(({ step, path, before }) => {
    if (!isDestructive(step) || [step, ...before()].some(isGuard)) return []
    const message = `“${getName(step)}” has neither an approval nor a way back, such as a backup before it`
    const value = { roles: ['team_admin', 'account_admin'] }
    const patch = [{ op: 'add' as const, path: `${toPointer(path)}/approval`, value }]
    return [createStepFinding('destructive_step', step, message, { path, patch })]
  })
}

interface PlacedStep {
  step: Step
  path: string
  /** List the steps on the path to it. */
  before: () => Step[]
}

function listSteps(steps: readonly FlowStep[]): PlacedStep[] {
  return Array.from(walkSteps(steps), ({ node, path }, index) => ({
    step: node,
    path,
    before: () => steps.slice(0, index),
  }))
}

function listNodes(root: FlowNode): PlacedStep[] {
  const parents = new Map<FlowNode, FlowNode | undefined>()
  return Array.from(placeNodes(root), ({ node, path, parent }) => {
    parents.set(node, parent)
    return { step: node, path, before: () => listAncestors(node, parents) }
  })
}

function listAncestors(node: FlowNode, parents: ReadonlyMap<FlowNode, FlowNode | undefined>): FlowNode[] {
  const ancestors: FlowNode[] = []
  for (let above = parents.get(node); above; above = parents.get(above)) ancestors.push(above)
  return ancestors
}

function isDestructive({ type, title, script_template_id }: Step): boolean {
  const isDone = type === 'action' || type === 'solution' || type === 'procedure_step'
  return isDone && !script_template_id && destroys.test(title ?? '') && !isMadeAgain.test(title ?? '')
}

/** Characters that are looked through in one step. */
const charactersPerStep = 2

/**
 * Return whether a step has an approval or a way back. One whose text takes too much work to read counts as
 * if it had.
 */
function hasWayBack(step: Step): boolean {
  if (step.approval) return true
  const fallbacks = 'fallback_steps' in step ? (step.fallback_steps ?? []) : []
  if (fallbacks.length > 0 || step.subflow) return true
  const text = `${step.title ?? ''}\n${step.description ?? ''}`
  const steps = Math.ceil(text.length / charactersPerStep)
  if (!canSpend(steps)) return true
  spend(steps)
  return returns.test(text)
}
