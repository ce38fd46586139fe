import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from './structure.ts'

const maxPreviewDepth = 3

/** The public part of a node. It has no attachments and no scripts. */
export interface PreviewNode {
  id: string
  type: FlowNode['type']
  title: string
  description: string
  options?: { id: string; label: string; next_node_id?: string | null | undefined }[]
  children?: PreviewNode[]
  /** Set when the node has children that the preview leaves out. */
  truncated?: true
}
/** The public part of a step. It has no attachments and no scripts. */
export interface PreviewStep {
  id: string
  type: FlowStep['type']
  title: string
  description: string
  group_label?: string
  fallback_steps?: { id: string; title: string; description: string }[]
}
export type FlowPreview = PreviewNode | { steps: PreviewStep[] }

/** Return the first three levels of a tree, or all steps of a list. */
export function buildPreview(structure: TreeStructure): FlowPreview {
  return isStepList(structure) ? { steps: structure.steps.map(previewStep) } : previewNode(structure, 1)
}

/** Return the public part of a whole flow: what a link shows to people without an account. */
export function buildPublicStructure(structure: TreeStructure): TreeStructure {
  return isStepList(structure) ? { steps: structure.steps.map(previewStep) } : publishNode(structure)
}

function publishNode(node: FlowNode): FlowNode {
  const { id, type, title, description, options, next_node_id, children } = node
  return {
    id,
    type,
    title,
    description,
    ...(options ? { options } : {}),
    ...(next_node_id ? { next_node_id } : {}),
    ...(children ? { children: children.map(publishNode) } : {}),
  }
}

function previewNode(node: FlowNode, depth: number): PreviewNode {
  const { id, type, title, description, options, children } = node
  const previewChildren = depth < maxPreviewDepth ? (children ?? []) : []
  return {
    id,
    type,
    title: title ?? '',
    description: description ?? '',
    ...(options?.length
      ? {
          options: options.map((option) => ({
            id: option.id ?? '',
            label: option.label,
            next_node_id: option.next_node_id,
          })),
        }
      : {}),
    ...(previewChildren.length > 0
      ? { children: previewChildren.map((child) => previewNode(child, depth + 1)) }
      : {}),
    ...(previewChildren.length < (children?.length ?? 0) ? { truncated: true as const } : {}),
  }
}

function previewStep({ id, type, title, description, group_label, fallback_steps }: FlowStep): PreviewStep {
  return {
    id,
    type,
    title: title ?? '',
    description: description ?? '',
    ...(group_label ? { group_label } : {}),
    ...(fallback_steps?.length
      ? {
          fallback_steps: fallback_steps.map((step) => ({
            id: step.id,
            title: step.title ?? '',
            description: step.description ?? '',
          })),
        }
      : {}),
  }
}
