import { dropNulls, EditProblem, type FlowEdit } from './edit.ts'
import type { FallbackStep, FlowStep, StepList } from './structure.ts'

type Step = FlowStep | FallbackStep
interface Place {
  list: Step[]
  index: number
  /** The step whose fallback steps the list contains; undefined for the list of steps itself. */
  owner: FlowStep | undefined
}

/** Apply edits to a list of steps. Throw EditProblem. */
export function editSteps(structure: StepList, edits: readonly FlowEdit[]): StepList {
  const result = structuredClone(structure)
  for (const edit of edits) applyEdit(result.steps, edit)
  return result
}

function applyEdit(steps: FlowStep[], edit: FlowEdit): void {
  if (edit.op === 'insert') {
    insertStep(steps, edit)
    return
  }
  const { list, index, owner } = findStep(steps, edit.id)
  if (edit.op === 'update') list[index] = updateStep(list[index] as Step, edit, owner !== undefined)
  else if (edit.op === 'remove') list.splice(index, 1)
  else moveStep(steps, edit)
}

function findStep(steps: FlowStep[], id: string): Place {
  const index = steps.findIndex((step) => step.id === id)
  if (index >= 0) return { list: steps, index, owner: undefined }
  for (const owner of steps) {
    const list = owner.fallback_steps ?? []
    const fallbackIndex = list.findIndex((step) => step.id === id)
    if (fallbackIndex >= 0) return { list, index: fallbackIndex, owner }
  }
  throw new EditProblem(`There is no step ${id}`)
}

function updateStep(
  step: Step,
  { kind, title, description, estimated_minutes, group_label }: FlowEdit,
  isFallback: boolean,
): Step {
  if (isFallback) return { ...step, ...dropNulls({ title, description }) }
  const type = kind === null ? {} : { type: kind as FlowStep['type'] }
  return {
    ...(step as FlowStep),
    ...type,
    ...dropNulls({ title, description, estimated_minutes, group_label }),
  }
}

function insertStep(steps: FlowStep[], edit: FlowEdit): void {
  const { id, kind, anchor } = edit
  if (hasStep(steps, id)) throw new EditProblem(`The id ${id} is used twice`)
  const isFallback = kind === 'fallback_step'
  const step = updateStep({ id, title: '', description: '' }, edit, isFallback)
  if (isFallback && anchor !== null && !findStep(steps, anchor).owner) {
    const owner = steps[findStep(steps, anchor).index] as FlowStep
    owner.fallback_steps = [...(owner.fallback_steps ?? []), step]
  } else insertAt(steps, step, edit)
}

function hasStep(steps: readonly FlowStep[], id: string): boolean {
  return steps.some((step) => step.id === id || step.fallback_steps?.some((fallback) => fallback.id === id))
}

function moveStep(steps: FlowStep[], edit: FlowEdit): void {
  if (edit.anchor === null || edit.anchor === edit.id)
    throw new EditProblem('A move needs another step as its anchor')
  const { list, index, owner } = findStep(steps, edit.id)
  const target = findStep(steps, edit.anchor)
  if ((owner === undefined) !== (target.owner === undefined))
    throw new EditProblem('A fallback step stays with fallback steps')
  const [step] = list.splice(index, 1)
  insertAt(steps, step as Step, edit)
}

/** Insert a step before or after its anchor. Without an anchor it becomes the last one before the end. */
function insertAt(steps: FlowStep[], step: Step, { anchor, position }: FlowEdit): void {
  if (anchor !== null) {
    const { list, index } = findStep(steps, anchor)
    list.splice(position === 'before' ? index : index + 1, 0, step)
    return
  }
  const end = steps.findIndex(({ type }) => type === 'procedure_end')
  steps.splice(end < 0 ? steps.length : end, 0, step as FlowStep)
}
