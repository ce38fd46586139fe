import { normaliseStructure } from '#rules/flows/normalise.ts'
import { type FlowNode, type FlowStep, structureByType, type TreeStructure, type TreeType } from '#rules/flows/structure.ts'
import { attachNotes, joinOptions } from './attach-notes.ts'
import { type Branch, buildBranches, flattenBranches } from './node-tree.ts'
import type { KbNode } from './nodes.ts'
import { factHeading } from './segments.ts'

/**
 * Build the structure of a flow from the nodes. Notes and, in a list of steps, options belong to the step that they are about. Return null
 * without nodes. The result may be invalid.
 */
export function buildFlow(nodes: readonly KbNode[], type: TreeType): TreeStructure | null {
  const branches = buildBranches(nodes)
  if (branches.length === 0) return null
  const orderedNodes = flattenBranches(branches)
  if (structureByType[type] === 'steps')
    return normaliseStructure({ steps: createSteps(attachNotes(joinOptions(orderedNodes)), orderedNodes) })
  return normaliseStructure(chainBranches(buildBranches(attachNotes(orderedNodes))))
}

/**
 * Create the steps. A note that belongs to no step becomes a section header. If the article has only notes, the notes become the steps,
 * except for those of sections such as “Meaning”.
 */
function createSteps(nodes: readonly KbNode[], allNodes: readonly KbNode[]): FlowStep[] {
  const factIds = new Set(allNodes.filter(({ kind, title }) => kind === 'section' && factHeading.test(title)).map(({ id }) => id))
  const isInFacts = ({ parent_id }: KbNode) => parent_id !== null && factIds.has(parent_id)
  const isToDo = ({ kind }: KbNode) => kind !== 'section' && kind !== 'note'
  const promotedNotes = [
    allNodes.filter((node) => node.kind === 'note' && !isInFacts(node)),
    allNodes.filter(({ kind }) => kind === 'note'),
  ]
  const toDo = [nodes.filter(isToDo), ...promotedNotes].find(({ length }) => length > 0) ?? []
  const toDoIds = new Set(toDo.map(({ id }) => id))
  const nodesOfSteps = nodes.some(isToDo)
    ? nodes
    : attachNotes(allNodes.map((node) => (toDoIds.has(node.id) ? { ...node, kind: 'step' } : node)))
  const steps = nodesOfSteps.map(
    (node): FlowStep => ({ id: node.id, type: toDoIds.has(node.id) ? 'procedure_step' : 'section_header', ...getTexts(node) }),
  )
  return [...steps, { id: 'end', type: 'procedure_end', title: 'Done', description: '' }]
}

/**
 * Chain the branches: each leads to the next, and the last node is a solution. In a tree the branches of a decision cannot join again, so
 * the nodes after a decision become its last option.
 */
function chainBranches(branches: readonly Branch<KbNode>[]): FlowNode {
  const [{ node, children }, ...laterBranches] = branches as [Branch<KbNode>, ...Branch<KbNode>[]]
  const common = { id: node.id, ...getTexts(node) }
  if (node.kind === 'decision') {
    const choices = children.map((child) => ({ label: child.node.title, next: chainBranches([child]) }))
    if (laterBranches.length > 0) choices.push({ label: 'Go on', next: chainBranches(laterBranches) })
    const options = choices.map(({ label, next }) => ({ label, next_node_id: next.id }))
    return { ...common, type: 'decision', options, children: choices.map(({ next }) => next) }
  }
  const nextBranches = [...children, ...laterBranches]
  if (nextBranches.length === 0) return { ...common, type: 'solution' }
  const next = chainBranches(nextBranches)
  return { ...common, type: 'action', next_node_id: next.id, children: [next] }
}

/** Return the title and the description of a node. The description is empty if it only repeats the title. */
function getTexts({ title, content }: KbNode): { title: string; description: string } {
  const contentWithoutMarker = content.replace(/^\s*(?:[-*+•–]|\(?\d{1,3}[.)])\s+/, '').trim()
  return { title, description: contentWithoutMarker === title.trim() ? '' : content }
}
