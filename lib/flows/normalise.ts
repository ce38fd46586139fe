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
// what is empty is not, older names are gone, every option has its id; what is read in one line is one line, texts break lines by \n alone.

export function normaliseStructure(structure: TreeStructure): TreeStructure {
  return isStepList(structure) ? { steps: structure.steps.map(normaliseStep) } : normaliseNode(structure)
}

export function normaliseForm(fields: readonly IntakeField[]): IntakeField[] {
  return fields.map(({ options, label, help_text, ...field }) => ({
    ...(present(field) as IntakeField),
    label: oneLine(label),
    ...(typeof help_text === 'string' ? { help_text: plainBreaks(help_text) } : {}),
    ...(options?.length ? { options } : {}),
  }))
}

/** A title, label or name: line breaks and tabs are spaces, and none stands at its edges. */
export function oneLine(text: string): string {
  return text.replace(/[\t-\r\u2028\u2029]+/g, ' ').trim()
}

/** A text of several lines: each ends in \n, wherever it was written. */
export function plainBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

function normaliseNode(node: FlowNode): FlowNode {
  const { action, solution, title, description, options, children, attachments, ...rest } = node
  return {
    ...(present(rest) as Pick<FlowNode, 'id' | 'type'>),
    title:
      [title, ...(node.type === 'solution' ? [solution, action] : [action, solution])].map((one) => oneLine(one ?? '')).find(Boolean) ?? '',
    description: plainBreaks(description ?? ''),
    ...(options?.length ? { options: withIds(options) } : {}),
    ...(attachments?.length ? { attachments } : {}),
    ...(children?.length ? { children: children.map(normaliseNode) } : {}),
  }
}

function normaliseStep({ title, description, group_label, fallback_steps, attachments, ...rest }: FlowStep): FlowStep {
  const group = oneLine(group_label ?? '')
  return {
    ...(present(rest) as Pick<FlowStep, 'id' | 'type'>),
    title: oneLine(title ?? ''),
    description: plainBreaks(description ?? ''),
    ...(group ? { group_label: group } : {}),
    ...(fallback_steps?.length ? { fallback_steps: fallback_steps.map(normaliseFallback) } : {}),
    ...(attachments?.length ? { attachments } : {}),
  }
}

function normaliseFallback({ id, title, description }: FallbackStep): FallbackStep {
  return { id, title: oneLine(title ?? ''), description: plainBreaks(description ?? '') }
}

/** Ids that were not sent are the first free of `option-1`, `option-2` …, so that the same flow always gets the same ones. */
function withIds(options: readonly FlowOption[]): FlowOption[] {
  const taken = new Set(options.map(({ id }) => id))
  let last = 0
  const free = (): string => {
    while (taken.has(`option-${++last}`));
    return `option-${last}`
  }
  return options.map(({ id, label, next_node_id }) => ({
    id: id ?? free(),
    label: oneLine(label),
    ...(next_node_id ? { next_node_id } : {}),
  }))
}

/** An object without its null and undefined properties. */
function present<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null && item !== undefined)) as Partial<T>
}
