import { normaliseStructure } from '#rules/flows/normalise.ts'
import { type FlowStep, structureByType, type TreeStructure, type TreeType } from '#rules/flows/structure.ts'
import { attachNotes, joinOptions } from './attach-notes.ts'
import { buildTree, findTarget, getTexts } from './flow-tree.ts'
import { isAboutUnsolved } from './go-on.ts'
import { listNames } from './merge-segments.ts'
import { buildBranches, flattenBranches } from './node-tree.ts'
import type { KbNode } from './nodes.ts'
import { factHeading, isMetadata } from './segments.ts'

/**
 * Build the structure of a flow from the nodes. Notes and, in a list of steps, options belong to the step
 * that they are about. Return null without nodes. The result may be invalid.
 */
export function buildFlow(nodes: readonly KbNode[], type: TreeType): TreeStructure | null {
  const branches = buildBranches(nodes)
  if (branches.length === 0) return null
  const orderedNodes = flattenBranches(branches)
  if (structureByType[type] === 'steps')
    return normaliseStructure({ steps: createSteps(attachNotes(joinOptions(orderedNodes)), orderedNodes) })
  return normaliseStructure(
    buildTree(buildBranches(attachNotes(orderedNodes, ({ content }) => isAboutUnsolved(content)))),
  )
}

/**
 * Create the steps. A note that belongs to no step becomes a section header. If the article has only notes,
 * the notes become the steps, except for those of sections such as “Meaning”.
 */
function createSteps(nodes: readonly KbNode[], allNodes: readonly KbNode[]): FlowStep[] {
  const factIds = new Set(
    allNodes.filter(({ kind, title }) => kind === 'section' && factHeading.test(title)).map(({ id }) => id),
  )
  const isInFacts = ({ parent_id }: KbNode) => parent_id !== null && factIds.has(parent_id)
  const isToDo = ({ kind }: KbNode) => kind !== 'section' && kind !== 'note'
  const promotedNotes = [
    allNodes.filter((node) => node.kind === 'note' && !isInFacts(node) && !isMetadata(node.content)),
    allNodes.filter(({ kind, content }) => kind === 'note' && !isMetadata(content)),
  ]
  const toDo = [nodes.filter(isToDo), ...promotedNotes].find(({ length }) => length > 0) ?? []
  const toDoIds = new Set(toDo.map(({ id }) => id))
  const nodesOfSteps = nodes.some(isToDo)
    ? nodes
    : attachNotes(allNodes.map((node) => (toDoIds.has(node.id) ? { ...node, kind: 'step' } : node)))
  const steps = nodesOfSteps.map(
    (node): FlowStep => ({
      id: node.id,
      type: toDoIds.has(node.id) ? 'procedure_step' : 'section_header',
      ...getTexts(node),
    }),
  )
  return [...steps, { id: 'end', type: 'procedure_end', title: 'Done', description: '' }]
}

/** Return a sentence about the nodes that lead elsewhere under a condition, which a list of steps cannot do. */
export function describeJumps(nodes: readonly KbNode[]): string[] {
  const branches = nodes.map((node) => ({ node, children: [] }))
  const jumps = nodes.filter(
    (node, index) => node.kind !== 'section' && findTarget(node, branches.slice(index + 1)) !== null,
  )
  if (jumps.length === 0) return []
  const names = listNames(jumps.map(({ content }) => content))
  return [`A list of steps cannot branch and shows ${names} as text; a troubleshooting flow asks it.`]
}
