import { normaliseLineBreaks } from '#rules/text/line-breaks.ts'
import { normaliseApproval } from './approval-requirement.ts'
import { normaliseEvidence } from './evidence.ts'
import {
  type FallbackStep,
  type FlowNode,
  type FlowOption,
  type FlowStep,
  type IntakeField,
  isStepList,
  type TreeStructure,
} from './structure.ts'
import { normaliseSubflow } from './subflow.ts'

// Flows are stored, exported, imported and compared in one normal form:
// - Every node has a title and a description. Other empty values are left out.
// - The old names of a title (`action`, `solution`) are replaced by `title`.
// - Every option has an id.
// - Titles, labels and names have one line. Longer texts break lines with \n only.

/** Return the structure in normal form. */
export function normaliseStructure(structure: TreeStructure): TreeStructure {
  return isStepList(structure) ? { steps: structure.steps.map(normaliseStep) } : normaliseNode(structure)
}

export function normaliseForm(fields: readonly IntakeField[]): IntakeField[] {
  return fields.map(({ options, label, help_text, secret, ...field }) => ({
    ...(omitNullish(field) as IntakeField),
    label: toSingleLine(label),
    ...(typeof help_text === 'string' ? { help_text: normaliseLineBreaks(help_text) } : {}),
    ...(options?.length ? { options } : {}),
    ...(secret ? { secret } : {}),
  }))
}

/** Replace line breaks and tabs with spaces, and trim the text. */
export function toSingleLine(text: string): string {
  return text.replace(/[\t-\r\u2028\u2029]+/g, ' ').trim()
}

function normaliseNode(node: FlowNode): FlowNode {
  const {
    action,
    solution,
    title,
    description,
    options,
    children,
    attachments,
    subflow,
    evidence,
    approval,
    ...rest
  } = node
  const titles = node.type === 'solution' ? [title, solution, action] : [title, action, solution]
  return {
    ...(omitNullish(rest) as Pick<FlowNode, 'id' | 'type'>),
    title: titles.map((candidate) => toSingleLine(candidate ?? '')).find(Boolean) ?? '',
    description: normaliseLineBreaks(description ?? ''),
    ...(options?.length ? { options: assignOptionIds(options) } : {}),
    ...(attachments?.length ? { attachments } : {}),
    ...(subflow ? { subflow: normaliseSubflow(subflow) } : {}),
    ...normaliseEvidence(evidence, toSingleLine),
    ...normaliseApproval(approval),
    ...(children?.length ? { children: children.map(normaliseNode) } : {}),
  }
}

function normaliseStep(step: FlowStep): FlowStep {
  const {
    title,
    description,
    group_label,
    fallback_steps,
    attachments,
    subflow,
    evidence,
    approval,
    ...rest
  } = step
  const groupLabel = toSingleLine(group_label ?? '')
  return {
    ...(omitNullish(rest) as Pick<FlowStep, 'id' | 'type'>),
    title: toSingleLine(title ?? ''),
    description: normaliseLineBreaks(description ?? ''),
    ...(groupLabel ? { group_label: groupLabel } : {}),
    ...(fallback_steps?.length ? { fallback_steps: fallback_steps.map(normaliseFallback) } : {}),
    ...(attachments?.length ? { attachments } : {}),
    ...(subflow ? { subflow: normaliseSubflow(subflow) } : {}),
    ...normaliseEvidence(evidence, toSingleLine),
    ...normaliseApproval(approval),
  }
}

function normaliseFallback({ id, title, description }: FallbackStep): FallbackStep {
  return { id, title: toSingleLine(title ?? ''), description: normaliseLineBreaks(description ?? '') }
}

/**
 * Add missing ids of options. Each gets the first free one of `option-1`, `option-2` …, so the same flow
 * always gets the same ids.
 */
function assignOptionIds(options: readonly FlowOption[]): FlowOption[] {
  const usedIds = new Set(options.map(({ id }) => id))
  let lastNumber = 0
  const nextFreeId = (): string => {
    do lastNumber++
    while (usedIds.has(`option-${lastNumber}`))
    return `option-${lastNumber}`
  }
  return options.map(({ id, label, next_node_id }) => ({
    id: id ?? nextFreeId(),
    label: toSingleLine(label),
    ...(next_node_id ? { next_node_id } : {}),
  }))
}

function omitNullish<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(value).filter(([, item]) => item !== null && item !== undefined),
  ) as Partial<T>
}
