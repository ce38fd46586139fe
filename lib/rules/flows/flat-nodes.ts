import {
  type FlowNode,
  type FlowOption,
  type FlowStep,
  type IntakeField,
  isStepList,
  structureByType,
  type TreeStructure,
  type TreeType,
} from './structure.ts'
import { walkNodes } from './walk.ts'

// A flow as a flat list of nodes. A model writes a flat list more reliably than a nested tree.

export interface FlatNode {
  id: string
  kind: FlowNode['type'] | FlowStep['type']
  title: string
  description: string
  /** Only a decision has options. */
  options: { label: string; leads_to: string }[]
  /** The id of the next node. Only an action has one. */
  next: string | null
}

/** A flow that is not saved yet. */
export interface FlowDraft {
  name: string
  description: string
  tree_type: TreeType
  tree_structure: TreeStructure
  intake_form: IntakeField[]
}

/** Return the nodes of a tree, parents before children, or the steps of a list in their order. */
export function flattenStructure(structure: TreeStructure): FlatNode[] {
  return listNodes(structure).map((node) => ({
    id: node.id,
    kind: node.type,
    title: node.title ?? '',
    description: node.description ?? '',
    options: ('options' in node ? (node.options ?? []) : []).map(({ label, next_node_id }) => ({
      label,
      leads_to: next_node_id ?? '',
    })),
    next: ('next_node_id' in node ? node.next_node_id : null) ?? null,
  }))
}

function listNodes(structure: TreeStructure): (FlowNode | FlowStep)[] {
  return isStepList(structure) ? structure.steps : [...walkNodes(structure)].map(({ node }) => node)
}

/**
 * Build the structure of a flow from flat nodes, or return the problems that prevent it.
 * A flat node has no attachments, minutes, script, sub-flow, library visibility, evidence, approval, timer,
 * group label, fallback steps or option ids. These are copied from the node with the same id in `base`.
 */
export function buildStructure(
  type: TreeType,
  nodes: readonly FlatNode[],
  base: TreeStructure | null = null,
): { structure: TreeStructure } | { problems: string[] } {
  const problems = [...findKindProblems(type, nodes), ...findRepeatedIds(nodes)]
  if (problems.length > 0) return { problems }
  const baseNodes = indexBaseNodes(base)
  if (structureByType[type] === 'steps')
    return {
      structure: {
        steps: nodes.map(
          ({ id, kind, title, description }) =>
            ({ ...baseNodes.get(id)?.extras, id, type: kind, title, description }) as FlowStep,
        ),
      },
    }
  const linkProblems = findLinkProblems(nodes)
  return linkProblems.length > 0 ? { problems: linkProblems } : { structure: buildTree(nodes, baseNodes) }
}

const treeKinds: readonly string[] = ['decision', 'action', 'solution']

function findKindProblems(type: TreeType, nodes: readonly FlatNode[]): string[] {
  const isTree = structureByType[type] === 'tree'
  const wrongNodes = nodes.filter(({ kind }) => treeKinds.includes(kind) !== isTree)
  return wrongNodes.map(({ id, kind }) => `The node ${id} is a ${kind}, which a ${type} flow does not have`)
}

function findRepeatedIds(nodes: readonly FlatNode[]): string[] {
  const ids = nodes.map(({ id }) => id)
  return ids.filter((id, index) => ids.indexOf(id) < index).map((id) => `The id ${id} is used twice`)
}

function getChildIds({ options, next }: FlatNode): string[] {
  return [...new Set([...options.map(({ leads_to }) => leads_to), ...(next ? [next] : [])])]
}

/**
 * Return the problems of the links. Exactly one link leads to each node of a tree except the first, which is
 * the root.
 */
function findLinkProblems(nodes: readonly FlatNode[]): string[] {
  const nodeById = new Map(nodes.map((node) => [node.id, node]))
  const problems: string[] = []
  const reachedIds = new Set<string>()
  const pendingNodes = nodes.slice(0, 1)
  for (const { id } of pendingNodes) reachedIds.add(id)
  for (let node = pendingNodes.pop(); node; node = pendingNodes.pop())
    for (const id of getChildIds(node)) {
      const child = nodeById.get(id)
      if (!child) problems.push(`The node ${node.id} leads to ${id}, which does not exist`)
      else if (reachedIds.has(id))
        problems.push(`The node ${id} is reached twice: write a separate node for each link`)
      else {
        reachedIds.add(id)
        pendingNodes.push(child)
      }
    }
  return [
    ...problems,
    ...nodes.filter(({ id }) => !reachedIds.has(id)).map(({ id }) => `Nothing leads to the node ${id}`),
  ]
}

/** Require nodes without link problems. */
function buildTree(nodes: readonly FlatNode[], baseNodes: ReadonlyMap<string, BaseNode>): FlowNode {
  const builtNodes = new Map<string, FlowNode>()
  // Starting at the leaves needs no recursion, so a deep flow cannot overflow the call stack.
  for (const node of sortParentsFirst(nodes).reverse()) {
    const children = getChildIds(node).flatMap((id) => builtNodes.get(id) ?? [])
    const baseNode = baseNodes.get(node.id)
    builtNodes.set(node.id, {
      ...baseNode?.extras,
      id: node.id,
      type: node.kind as FlowNode['type'],
      title: node.title,
      description: node.description,
      ...(node.options.length > 0 ? { options: buildOptions(node.options, baseNode?.options ?? []) } : {}),
      ...(node.next ? { next_node_id: node.next } : {}),
      ...(children.length > 0 ? { children } : {}),
    })
  }
  return builtNodes.get(nodes[0]?.id ?? '') as FlowNode
}

function sortParentsFirst(nodes: readonly FlatNode[]): FlatNode[] {
  const nodeById = new Map(nodes.map((node) => [node.id, node]))
  const sorted = nodes.slice(0, 1)
  for (const node of sorted) for (const id of getChildIds(node)) sorted.push(nodeById.get(id) as FlatNode)
  return sorted
}

/**
 * Build options with ids of the base flow: of the option with the same label, or else of one with the same
 * target.
 */
export function buildOptions(options: FlatNode['options'], baseOptions: readonly FlowOption[]): FlowOption[] {
  const labels = new Set(options.map(({ label }) => label))
  const matchedOptions = new Set<FlowOption>()
  return options.map(({ label, leads_to }) => {
    const candidates = baseOptions.filter((option) => !matchedOptions.has(option))
    const match =
      candidates.find((option) => option.label === label) ??
      candidates.find((option) => option.next_node_id === leads_to && !labels.has(option.label))
    if (match) matchedOptions.add(match)
    return { ...(match?.id ? { id: match.id } : {}), label, next_node_id: leads_to }
  })
}

/** The parts of a base node that a flat node does not have. */
interface BaseNode {
  extras: object
  options: readonly FlowOption[]
}

function indexBaseNodes(base: TreeStructure | null): Map<string, BaseNode> {
  if (!base) return new Map()
  return new Map(
    listNodes(base).map((node) => {
      const {
        attachments,
        estimated_minutes,
        script_template_id,
        subflow,
        library_visibility,
        evidence,
        approval,
        timer,
      } = node
      const stepFields =
        'group_label' in node || 'fallback_steps' in node
          ? { group_label: node.group_label, fallback_steps: node.fallback_steps }
          : {}
      const requirements = { evidence, approval, timer }
      const extras = {
        attachments,
        estimated_minutes,
        script_template_id,
        subflow,
        library_visibility,
        ...requirements,
        ...stepFields,
      }
      const presentExtras = Object.entries(extras).filter(
        ([, value]) => value !== undefined && value !== null,
      )
      return [
        node.id,
        { extras: Object.fromEntries(presentExtras), options: ('options' in node && node.options) || [] },
      ]
    }),
  )
}
