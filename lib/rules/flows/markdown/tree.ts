import { type FlowNode, flowLimits } from '#rules/flows/structure.ts'
import { cut } from '#rules/text/clip.ts'
import type { ReportProblem } from './line-syntax.ts'
import type { ParsedNode } from './nodes.ts'
import type { Link } from './section.ts'

/**
 * Build the tree from the first node, the root. Each node is placed below the node that links to it, children
 * in the order of the file. A node without a parent or with a second parent is reported, and the tree leaves
 * it out.
 */
export function buildTree(nodes: readonly ParsedNode[], report: ReportProblem): FlowNode | null {
  const [root] = nodes
  if (!root) return null
  const parentOf = findParents(nodes, root, report)
  const childrenOf = new Map<ParsedNode, ParsedNode[]>()
  for (const child of nodes) {
    const parent = parentOf.get(child)
    const siblings = parent && childrenOf.get(parent)
    if (siblings) siblings.push(child)
    else if (parent) childrenOf.set(parent, [child])
  }
  const reachedNodes = attachChildren(root, childrenOf, report)
  reportUnreachedNodes(nodes, parentOf, reachedNodes, report)
  return root.node
}

function getDisplayName({ section: { title, id } }: ParsedNode): string {
  return title ? `“${cut(title, 100)}”` : `#${id}`
}

/** Return the links that place their target below this node. */
function getPlacingLinks({ section: { options, nextLink } }: ParsedNode): Link[] {
  return [...options, ...(nextLink ? [nextLink] : [])].filter(
    ({ target, isLoose }) => target !== null && !isLoose,
  )
}

function findParents(
  nodes: readonly ParsedNode[],
  root: ParsedNode,
  report: ReportProblem,
): Map<ParsedNode, ParsedNode> {
  const nodeById = new Map(nodes.map((node) => [node.section.id, node]))
  const parentOf = new Map<ParsedNode, ParsedNode>()
  for (const node of nodes) {
    const parentId = node.section.attributes.get('under')
    if (typeof parentId !== 'string') continue
    const parent = nodeById.get(parentId)
    if (parent) parentOf.set(node, parent)
    else
      report(node.section.line, `The attribute under names #${cut(parentId, 100)}, which is not in this file`)
  }
  for (const node of nodes) {
    for (const { line, target } of getPlacingLinks(node)) {
      const child = nodeById.get(target ?? '')
      const otherParent = child && parentOf.get(child)
      if (!child) report(line, `This link leads to #${cut(target ?? '', 100)}, which is not in this file`)
      else if (child === root)
        report(
          line,
          `This link leads back to ${getDisplayName(root)}, the start of the flow; links must lead forward`,
        )
      else if (otherParent && otherParent !== node) {
        const message = `${getDisplayName(otherParent)} already leads to #${child.section.id}; write a separate node for this link`
        report(line, message)
      } else parentOf.set(child, node)
    }
  }
  if (parentOf.delete(root))
    report(root.section.line, 'The first node is the start of the flow; remove its attribute under')
  return parentOf
}

/** Set the children of every node that can be reached from the root, and return these nodes. */
function attachChildren(
  root: ParsedNode,
  childrenOf: ReadonlyMap<ParsedNode, readonly ParsedNode[]>,
  report: ReportProblem,
): Set<ParsedNode> {
  const reachedNodes = new Set([root])
  let level = [root]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth === flowLimits.maxDepth + 1)
      for (const { section } of level)
        report(section.line, `The flow is deeper than ${flowLimits.maxDepth} levels here`)
    const nextLevel: ParsedNode[] = []
    for (const parent of level) {
      const children = childrenOf.get(parent) ?? []
      if (children.length > 0) parent.node.children = children.map(({ node }) => node)
      for (const child of children) nextLevel.push(child)
    }
    for (const child of nextLevel) reachedNodes.add(child)
    level = nextLevel
  }
  return reachedNodes
}

/** Report every cycle once, and every node without a parent. */
function reportUnreachedNodes(
  nodes: readonly ParsedNode[],
  parentOf: ReadonlyMap<ParsedNode, ParsedNode>,
  reachedNodes: ReadonlySet<ParsedNode>,
  report: ReportProblem,
): void {
  const visitedNodes = new Set<ParsedNode>(reachedNodes)
  for (const node of nodes) {
    // Follow the parents up to a node that was visited before. If this walk visited it, it is part of a
    // cycle.
    const visitedInThisWalk = new Set<ParsedNode>()
    let current: ParsedNode | undefined = node
    while (current && !visitedNodes.has(current)) {
      visitedInThisWalk.add(current)
      visitedNodes.add(current)
      current = parentOf.get(current)
    }
    if (current && visitedInThisWalk.has(current))
      report(current.section.line, `The flow has a cycle here: ${describeCycle(current, parentOf)}`)
    if (!reachedNodes.has(node) && !parentOf.has(node)) {
      const { line, id } = node.section
      report(line, `Nothing leads to ${getDisplayName(node)}; add - Label -> #${id} or -> #${id} above`)
    }
  }
}

/** Return up to ten ids of the cycle, from the start back to the start. */
function describeCycle(start: ParsedNode, parentOf: ReadonlyMap<ParsedNode, ParsedNode>): string {
  const ids = [start.section.id]
  let node = parentOf.get(start)
  while (node && node !== start && ids.length < 10) {
    ids.unshift(node.section.id)
    node = parentOf.get(node)
  }
  return [start.section.id, ...ids].map((id) => `#${cut(id, 100)}`).join(' -> ')
}
