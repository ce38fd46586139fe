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
