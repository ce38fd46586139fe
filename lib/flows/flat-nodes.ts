import {
  type FlowNode,
  type FlowOption,
  type FlowStep,
  type IntakeField,
  isStepList,
  type TreeStructure,
  type TreeType,
} from './structure.ts'
import { walkNodes } from './walk.ts'

// A flow as a list: what a model writes with ease, and what can be said of it without nesting.

export interface ListedNode {
  id: string
  kind: FlowNode['type'] | FlowStep['type']
  title: string
  description: string
  /** Of a decision. */
  options: { label: string; leads_to: string }[]
  /** Of an action. */
  next: string | null
}

/** A flow that nobody saved yet. */
export interface FlowDraft {
  name: string
  description: string
  tree_type: TreeType
  tree_structure: TreeStructure
  intake_form: IntakeField[]
}

/** Nodes before what they lead to, the root first; steps in their order. */
export function listNodes(structure: TreeStructure): ListedNode[] {
  const nodes: (FlowNode | FlowStep)[] = isStepList(structure) ? structure.steps : [...walkNodes(structure)].map(({ node }) => node)
  return nodes.map((node) => ({
    id: node.id,
    kind: node.type,
    title: node.title ?? '',
    description: node.description ?? '',
    options: ('options' in node ? (node.options ?? []) : []).map(({ label, next_node_id }) => ({ label, leads_to: next_node_id ?? '' })),
    next: ('next_node_id' in node ? node.next_node_id : null) ?? null,
  }))
}

/**
 * Puts listed nodes together as a flow of its type, or says why they make none. What a list does not tell of a node (attachments, minutes,
 * script, library, group, fallback steps, ids of options) is kept from the node of the same id in `base`.
 */
export function growStructure(
  type: TreeType,
  listed: readonly ListedNode[],
  base: TreeStructure | null = null,
): { structure: TreeStructure } | { problems: string[] } {
  const problems = [...kindProblems(type, listed), ...repeated(listed)]
  if (problems.length > 0) return { problems }
  const kept = keptById(base)
  if (type !== 'troubleshooting')
    return {
      structure: {
        steps: listed.map(
          ({ id, kind, title, description }) => ({ ...kept.get(id)?.extras, id, type: kind, title, description }) as FlowStep,
        ),
      },
    }
  const links = linkProblems(listed)
  return links.length > 0 ? { problems: links } : { structure: grown(listed, kept) }
}

const ofTrees: readonly string[] = ['decision', 'action', 'solution']

function kindProblems(type: TreeType, listed: readonly ListedNode[]): string[] {
  const isTree = type === 'troubleshooting'
  const wrong = listed.filter(({ kind }) => ofTrees.includes(kind) !== isTree)
  return wrong.map(({ id, kind }) => `The node ${id} is a ${kind}, which a ${type} flow does not have`)
}

function repeated(listed: readonly ListedNode[]): string[] {
  const ids = listed.map(({ id }) => id)
  return ids.filter((id, index) => ids.indexOf(id) < index).map((id) => `The id ${id} is used twice`)
}

const leadsTo = ({ options, next }: ListedNode) => [...new Set([...options.map(({ leads_to }) => leads_to), ...(next ? [next] : [])])]

/** A tree reaches every node on one way, from the first. */
function linkProblems(listed: readonly ListedNode[]): string[] {
  const byId = new Map(listed.map((node) => [node.id, node]))
  const problems: string[] = []
  const reached = new Set<string>()
  const left = listed.slice(0, 1)
  for (const { id } of left) reached.add(id)
  for (let node = left.pop(); node; node = left.pop())
    for (const id of leadsTo(node)) {
      const target = byId.get(id)
      if (!target) problems.push(`The node ${node.id} leads to ${id}, which is not there`)
      else if (reached.has(id)) problems.push(`The node ${id} is reached twice: write it once for each way`)
      else {
        reached.add(id)
        left.push(target)
      }
    }
  return [...problems, ...listed.filter(({ id }) => !reached.has(id)).map(({ id }) => `Nothing leads to the node ${id}`)]
}

function grown(listed: readonly ListedNode[], kept: ReadonlyMap<string, Kept>): FlowNode {
  const made = new Map<string, FlowNode>()
  // From the leaves up, so that no depth of a list becomes a depth of calls.
  for (const node of inOrder(listed).reverse()) {
    const children = leadsTo(node).flatMap((id) => made.get(id) ?? [])
    made.set(node.id, {
      ...kept.get(node.id)?.extras,
      ...{ id: node.id, type: node.kind as FlowNode['type'], title: node.title, description: node.description },
      ...(node.options.length > 0 ? { options: optionsOf(node, kept.get(node.id)?.options ?? []) } : {}),
      ...(node.next ? { next_node_id: node.next } : {}),
      ...(children.length > 0 ? { children } : {}),
    })
  }
  return made.get(listed[0]?.id ?? '') as FlowNode
}

/** Parents before children; the links are known to be those of a tree. */
function inOrder(listed: readonly ListedNode[]): ListedNode[] {
  const byId = new Map(listed.map((node) => [node.id, node]))
  const order = listed.slice(0, 1)
  for (const node of order) for (const id of leadsTo(node)) order.push(byId.get(id) as ListedNode)
  return order
}

/** An option that is still there keeps its id, by what it says or else by where it leads. */
function optionsOf({ options }: ListedNode, before: readonly FlowOption[]): FlowOption[] {
  const labels = new Set(options.map(({ label }) => label))
  const taken = new Set<FlowOption>()
  return options.map(({ label, leads_to }) => {
    const left = before.filter((option) => !taken.has(option))
    const same = left.find((option) => option.label === label)
    const found = same ?? left.find((option) => option.next_node_id === leads_to && !labels.has(option.label))
    if (found) taken.add(found)
    return { ...(found?.id ? { id: found.id } : {}), label, next_node_id: leads_to }
  })
}

interface Kept {
  extras: object
  options: readonly FlowOption[]
}

function keptById(base: TreeStructure | null): Map<string, Kept> {
  if (!base) return new Map()
  const nodes: (FlowNode | FlowStep)[] = isStepList(base) ? base.steps : [...walkNodes(base)].map(({ node }) => node)
  return new Map(
    nodes.map((node) => {
      const { attachments, estimated_minutes, script_template_id, library_visibility } = node
      const of =
        'group_label' in node || 'fallback_steps' in node ? { group_label: node.group_label, fallback_steps: node.fallback_steps } : {}
      const extras = { attachments, estimated_minutes, script_template_id, library_visibility, ...of }
      const said = Object.entries(extras).filter(([, value]) => value !== undefined && value !== null)
      return [node.id, { extras: Object.fromEntries(said), options: ('options' in node && node.options) || [] }]
    }),
  )
}
