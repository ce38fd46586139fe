import { caps, type FlowNode } from '../structure.ts'
import type { Say } from './lines.ts'
import type { Placed } from './nodes.ts'
import type { Link } from './sections.ts'

/**
 * Puts every node below the one that leads to it, children in the order of the file. The first is where the flow begins. What
 * has no place, or two, is said; the tree then lacks it.
 */
export function growTree(nodes: readonly Placed[], say: Say): FlowNode | null {
  const [root] = nodes
  if (!root) return null
  const parents = findParents(nodes, root, say)
  const children = new Map<Placed, Placed[]>()
  for (const child of nodes) {
    const parent = parents.get(child)
    const siblings = parent && children.get(parent)
    if (siblings) siblings.push(child)
    else if (parent) children.set(parent, [child])
  }
  const reached = assemble(root, children, say)
  sayUnreached(nodes, parents, reached, say)
  return root.node
}

const nameOf = ({ section: { title, id } }: Placed) => (title ? `“${title.slice(0, 100)}”` : `#${id}`)

function linksOf({ section: { options, next } }: Placed): Link[] {
  return [...options, ...(next ? [next] : [])].filter(({ target, loose }) => target !== null && !loose)
}

function findParents(nodes: readonly Placed[], root: Placed, say: Say): Map<Placed, Placed> {
  const byId = new Map(nodes.map((placed) => [placed.section.id, placed]))
  const parents = new Map<Placed, Placed>()
  for (const placed of nodes) {
    const under = placed.section.values.get('under')
    const parent = byId.get(String(under))
    if (typeof under === 'string' && !parent)
      say(placed.section.line, `It stands under #${under.slice(0, 100)}, which is no node of this file`)
    if (parent && typeof under === 'string') parents.set(placed, parent)
  }
  for (const placed of nodes) {
    for (const { line, target } of linksOf(placed)) {
      const child = byId.get(target ?? '')
      const taken = child && parents.get(child)
      if (!child) say(line, `It leads to #${target?.slice(0, 100)}, which is no node of this file`)
      else if (child === root) say(line, `It leads back to ${nameOf(root)}, where the flow begins: a flow only goes on`)
      else if (taken && taken !== placed)
        say(line, `${nameOf(taken)} leads to #${child.section.id} already: a node has one place, so this needs one of its own`)
      else parents.set(child, placed)
    }
  }
  if (parents.delete(root)) say(root.section.line, 'The flow begins here: it stands under nothing')
  return parents
}

/** Hangs children into their parents from the root on, and answers all that were reached. */
function assemble(root: Placed, children: ReadonlyMap<Placed, readonly Placed[]>, say: Say): Set<Placed> {
  const reached = new Set([root])
  let level = [root]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth === caps.depth + 1) for (const { section } of level) say(section.line, `The flow is deeper than ${caps.depth} levels here`)
    const below: Placed[] = []
    for (const placed of level) {
      const own = children.get(placed) ?? []
      if (own.length > 0) placed.node.children = own.map(({ node }) => node)
      for (const child of own) below.push(child)
    }
    for (const child of below) reached.add(child)
    level = below
  }
  return reached
}

function sayUnreached(nodes: readonly Placed[], parents: ReadonlyMap<Placed, Placed>, reached: ReadonlySet<Placed>, say: Say): void {
  const walked = new Set<Placed>(reached)
  for (const placed of nodes) {
    const way = new Set<Placed>()
    let at: Placed | undefined = placed
    while (at && !walked.has(at)) {
      way.add(at)
      walked.add(at)
      at = parents.get(at)
    }
    if (at && way.has(at)) say(at.section.line, `From here the flow runs in a circle: ${circle(at, parents)}`)
    if (!reached.has(placed) && !parents.has(placed))
      say(
        placed.section.line,
        `Nothing leads to ${nameOf(placed)}: - Label -> #${placed.section.id} or -> #${placed.section.id} above would`,
      )
  }
}

function circle(start: Placed, parents: ReadonlyMap<Placed, Placed>): string {
  const ids = [start.section.id]
  for (let at = parents.get(start); at && at !== start && ids.length < 10; at = parents.get(at)) ids.unshift(at.section.id)
  return [start.section.id, ...ids].map((id) => `#${id.slice(0, 100)}`).join(' -> ')
}
