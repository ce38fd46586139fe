import type { Budget } from '#rules/budget.ts'
import { type FlowNode, flowLimits } from '#rules/flows/structure.ts'
import { escapeMarkdown, type Markdown, toMarkdown } from '#rules/markup/markdown.ts'
import { createSlug } from '#rules/text/slug.ts'
import { type Report, shortenText, shortenTitle } from './imported-flow.ts'
import { joinBlocks } from './markdown-text.ts'

// Builds a tree of nodes from a flow whose branches can join again or go back. A part that several branches
// reach is copied for each; a way back becomes a solution that names its target.

export interface GraphNode {
  title: string
  description: Markdown
  /** The node that follows, or null at the end. Not for a decision. */
  next: string | null
  /** The branches of a decision. */
  options?: readonly { label: string; target: string | null }[]
  /** What of this node has no counterpart here. */
  losses?: readonly string[]
}

/**
 * Return the node of a key, or null if there is none. A node without a title and a description is passed
 * over.
 */
export type FindNode = (key: string) => GraphNode | null

interface Ancestors {
  key: string
  parent: Ancestors | null
}
interface Place {
  key: string | null
  depth: number
  ancestors: Ancestors | null
  attach(node: FlowNode): void
}

const stepsPerNode = 1000
const maxOptions = 100

/**
 * Build the tree level by level, so that the limits of a flow shorten its branches evenly. Return null for a
 * flow without nodes.
 */
export function buildFlowTree(
  start: string | null,
  findNode: FindNode,
  report: Report,
  budget: Budget,
): FlowNode | null {
  const usedIds = new Set<string>()
  const usedKeys = new Set<string>()
  const nodes = new Map<string, GraphNode | null>()
  const find: FindNode = (key) => {
    const known = nodes.get(key)
    if (known !== undefined) return known
    const node = findNode(key)
    nodes.set(key, node)
    return node
  }
  let root: FlowNode | null = null
  const setRoot = (node: FlowNode) => {
    root = node
  }
  const places: Place[] = [{ key: start, depth: 1, ancestors: null, attach: setRoot }]
  let placedCount = 1

  function createNode(type: FlowNode['type'], title: string, description: Markdown): FlowNode {
    const base = createSlug(title).slice(0, 60)
    let id = base
    for (let number = 2; usedIds.has(id); number++) id = `${base}-${number}`
    usedIds.add(id)
    return { id, type, title, description: shortenText(description) }
  }

  function endBranch({ attach }: Place, title: string, loss?: string): void {
    const node = createNode('solution', shortenTitle(title), toMarkdown(''))
    if (loss) report(loss, node.id)
    attach(node)
  }

  function addChildren(
    node: FlowNode,
    { depth }: Place,
    ancestors: Ancestors,
    keys: readonly (string | null)[],
    link: (ids: string[]) => void,
  ): void {
    const children: FlowNode[] = []
    node.children = children
    for (const key of keys) {
      placedCount++
      places.push({
        key,
        depth: depth + 1,
        ancestors,
        attach(child) {
          children.push(child)
          if (children.length === keys.length) link(children.map(({ id }) => id))
        },
      })
    }
  }

  function fill(place: Place): void {
    budget.spend(stepsPerNode)
    const found = findVisible(place.key, find)
    if (!found) {
      endBranch(place, 'The flow ends here')
      return
    }
    const { key, node } = found
    const title = shortenTitle(node.title) || 'Step without a title'
    const childCount = node.options ? listTargets(node).length : node.next === null ? 0 : 1
    const isFull = place.depth >= flowLimits.maxDepth || placedCount + childCount > flowLimits.maxNodes
    const isTooLarge =
      (childCount > 0 && isFull) || (usedKeys.has(key) && !budget.has(stepsPerNode, node.description.length))
    if (hasAncestor(place.ancestors, key))
      endBranch(place, `Go back to “${title}”`, `This branch goes back to “${title}”, which a flow cannot`)
    else if (isTooLarge)
      endBranch(
        place,
        `Continue with “${title}”`,
        `The flow is too large: “${title}” and what follows it were left out`,
      )
    else placeNode(place, key, node, title)
  }

  function placeNode(place: Place, key: string, source: GraphNode, title: string): void {
    const ancestors = { key, parent: place.ancestors }
    const targets = listTargets(source)
    const options = (source.options ?? []).slice(0, maxOptions)
    if (targets.length > 1) {
      const node = createNode('decision', title, source.description)
      addChildren(node, place, ancestors, targets, (ids) => {
        node.options = options.map(({ label, target }) => ({
          label: shortenTitle(label) || 'Without a name',
          next_node_id: ids[targets.indexOf(target)],
        }))
      })
      finish(node, source, key, place)
      return
    }
    // A decision whose branches all lead to one node decides nothing.
    const next = source.options ? (targets[0] ?? null) : source.next
    const labels = options.map(({ label }) => toMarkdown(`- ${escapeMarkdown(shortenTitle(label))}`))
    const description = joinBlocks([source.description, toMarkdown(labels.join('\n'))])
    const isEnd = next === null || !findVisible(next, find)
    const node = createNode(isEnd ? 'solution' : 'action', title, description)
    if (!isEnd)
      addChildren(node, place, ancestors, [next], ([id]) => {
        node.next_node_id = id
      })
    finish(node, source, key, place)
  }

  function finish(node: FlowNode, source: GraphNode, key: string, { attach }: Place): void {
    // A copy is more than the file has.
    if (usedKeys.has(key)) budget.write(node.description?.length ?? 0)
    if (usedKeys.has(key)) report(`Several branches lead to “${node.title}”; each has a copy of it`, node.id)
    usedKeys.add(key)
    for (const loss of source.losses ?? []) report(loss, node.id)
    if (source.options && source.options.length > maxOptions)
      report(`Only the first ${maxOptions} branches of “${node.title}” were imported`, node.id)
    attach(node)
  }

  for (let place = places.shift(); place; place = places.shift()) fill(place)
  return start === null ? null : root
}

/** Return the distinct targets of a decision. Those of two ends are one. */
function listTargets({ options = [] }: GraphNode): (string | null)[] {
  return [...new Set(options.slice(0, maxOptions).map(({ target }) => target))]
}

const maxPassedOver = 200

/** Return the node of a key, or the first one after it that shows something. */
function findVisible(start: string | null, findNode: FindNode): { key: string; node: GraphNode } | null {
  let key = start
  for (let passed = 0; key !== null && passed < maxPassedOver; passed++) {
    const node = findNode(key)
    if (!node) return null
    if (node.options || node.title !== '' || node.description !== '') return { key, node }
    key = node.next
  }
  return null
}

function hasAncestor(ancestors: Ancestors | null, key: string): boolean {
  for (let ancestor = ancestors; ancestor; ancestor = ancestor.parent) if (ancestor.key === key) return true
  return false
}
