import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from './structure.ts'

export const previewLevels = 3

/** What strangers see of a node: no attachments, no scripts. */
export interface PreviewNode {
  id: string
  type: string
  title: string
  description: string
  options?: { id: string; label: string; next_node_id?: string | null | undefined }[]
  children?: PreviewNode[]
  /** More lies below and is not shown. */
  truncated?: true
}
export interface PreviewStep {
  id: string
  type: string
  title: string
  description: string
  group_label?: string
  fallback_steps?: { id: string; title: string; description: string }[]
}
export type Preview = PreviewNode | { steps: PreviewStep[] }

/** The top of a structure: three levels of a tree; steps lie in one level and are all shown. */
export function preview(structure: TreeStructure): Preview {
  return isStepList(structure) ? { steps: structure.steps.map(previewStep) } : previewNode(structure, 1)
}

function previewNode(node: FlowNode, level: number): PreviewNode {
  const { id, type, title, description, options, children } = node
  const shown = level < previewLevels ? (children ?? []) : []
  return {
    ...{ id, type, title: title ?? '', description: description ?? '' },
    ...(options?.length ? { options: options.map(({ id = '', label, next_node_id }) => ({ id, label, next_node_id })) } : {}),
    ...(shown.length > 0 ? { children: shown.map((child) => previewNode(child, level + 1)) } : {}),
    ...(shown.length < (children?.length ?? 0) ? { truncated: true as const } : {}),
  }
}

function previewStep({ id, type, title, description, group_label, fallback_steps }: FlowStep): PreviewStep {
  return {
    ...{ id, type, title: title ?? '', description: description ?? '' },
    ...(group_label ? { group_label } : {}),
    ...(fallback_steps?.length
      ? { fallback_steps: fallback_steps.map((step) => ({ id: step.id, title: step.title ?? '', description: step.description ?? '' })) }
      : {}),
  }
}
