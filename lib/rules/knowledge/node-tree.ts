import type { KbNode } from './nodes.ts'

/** A node with the branches below it, in their order. */
export interface Branch<T> {
  node: T
  children: Branch<T>[]
}

type NodePosition = Pick<KbNode, 'id' | 'parent_id' | 'position'>

/** Return the branches below a node; null stands for the root. */
export function buildBranches<T extends NodePosition>(
  nodes: readonly T[],
  parentId: string | null = null,
): Branch<T>[] {
  return nodes
    .filter(({ parent_id }) => parent_id === parentId)
    .toSorted((a, b) => a.position - b.position)
    .map((node) => ({ node, children: buildBranches(nodes, node.id) }))
}

/** Return all nodes in reading order, parents before children. */
export function flattenBranches<T>(branches: readonly Branch<T>[]): T[] {
  return branches.flatMap(({ node, children }) => [node, ...flattenBranches(children)])
}

/** Return whether node `id` is node `ancestorId` or below it. */
export function isSameOrDescendant(nodes: readonly NodePosition[], id: string, ancestorId: string): boolean {
  let currentId: string | null = id
  while (currentId !== null) {
    if (currentId === ancestorId) return true
    currentId = nodes.find((node) => node.id === currentId)?.parent_id ?? null
  }
  return false
}
