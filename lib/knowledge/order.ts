import type { KbNode } from './nodes.ts'

/** A node with what is below it; the children in their order. */
export interface Branch<T> {
  node: T
  children: Branch<T>[]
}

type Placed = Pick<KbNode, 'id' | 'parent_id' | 'position'>

export function branchesOf<T extends Placed>(nodes: readonly T[], parent: string | null = null): Branch<T>[] {
  return nodes
    .filter(({ parent_id }) => parent_id === parent)
    .toSorted((a, b) => a.position - b.position)
    .map((node) => ({ node, children: branchesOf(nodes, node.id) }))
}

/** All nodes in reading order, parents before what is below them. */
export function inOrder<T>(branches: readonly Branch<T>[]): T[] {
  return branches.flatMap(({ node, children }) => [node, ...inOrder(children)])
}

/** Whether a node is another or stands somewhere below it. */
export function isWithin(nodes: readonly Placed[], id: string, other: string): boolean {
  for (let at: string | null = id; at !== null; at = nodes.find((node) => node.id === at)?.parent_id ?? null) if (at === other) return true
  return false
}

/**
 * The nodes with one of them moved, with all that is below it, under a parent: to the place among its new siblings where it stands nearest to
 * `position` of the reading order. All positions are counted anew. The parent may not be within the node.
 */
export function moved<T extends Placed>(nodes: readonly T[], id: string, parent_id: string | null, position: number): T[] {
  const node = nodes.find((one) => one.id === id)
  if (!node) return [...nodes]
  // Whoever goes down takes the place of the one that stands there, who goes up.
  const behind = node.parent_id === parent_id && position > node.position ? position : position - 1
  const at = behind + 0.5
  const placed = nodes.map((one) => (one.id === id ? { ...one, parent_id, position: at } : one))
  return inOrder(branchesOf(placed)).map((one, index) => ({ ...one, position: index }))
}
