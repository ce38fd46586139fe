import {
  type FallbackStep,
  type FlowNode,
  type FlowOption,
  type FlowStep,
  type IntakeField,
  isStepList,
  type TreeStructure,
} from './structure.ts'

// One normal form, so that what is stored, exported, imported and compared is the same: title and description are always there,
// what is empty is not, older names are gone, every option has its id.

export function normaliseStructure(structure: TreeStructure): TreeStructure {
  return isStepList(structure) ? { steps: structure.steps.map(normaliseStep) } : normaliseNode(structure)
}

export function normaliseForm(fields: readonly IntakeField[]): IntakeField[] {
  return fields.map(({ options, ...field }) => ({ ...present(field), ...(options?.length ? { options } : {}) }) as IntakeField)
}

function normaliseNode(node: FlowNode): FlowNode {
  const { action, solution, title, description, options, children, attachments, ...rest } = node
  return {
    ...(present(rest) as Pick<FlowNode, 'id' | 'type'>),
    title: title || (node.type === 'solution' ? solution || action : action || solution) || '',
    description: description ?? '',
    ...(options?.length ? { options: withIds(options) } : {}),
    ...(attachments?.length ? { attachments } : {}),
    ...(children?.length ? { children: children.map(normaliseNode) } : {}),
  }
}

function normaliseStep({ title, description, fallback_steps, attachments, ...rest }: FlowStep): FlowStep {
  return {
    ...(present(rest) as Pick<FlowStep, 'id' | 'type'>),
    title: title ?? '',
    description: description ?? '',
    ...(fallback_steps?.length ? { fallback_steps: fallback_steps.map(normaliseFallback) } : {}),
    ...(attachments?.length ? { attachments } : {}),
  }
}

function normaliseFallback({ id, title, description }: FallbackStep): FallbackStep {
  return { id, title: title ?? '', description: description ?? '' }
}

/** Ids that were not sent are the first free of `option-1`, `option-2` …, so that the same flow always gets the same ones. */
function withIds(options: readonly FlowOption[]): FlowOption[] {
  const taken = new Set(options.map(({ id }) => id))
  let last = 0
  const free = (): string => {
    while (taken.has(`option-${++last}`));
    return `option-${last}`
  }
  return options.map(({ id, label, next_node_id }) => ({ id: id ?? free(), label, ...(next_node_id ? { next_node_id } : {}) }))
}

/** An object without its null and undefined properties. */
function present<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null && item !== undefined)) as Partial<T>
}
