import type { PatchOperation } from '#rules/flows/diff.ts'
import { type FlowNode, isStepList, type TreeStructure } from '#rules/flows/structure.ts'

// Edits of a flow as JSON Patch (RFC 6902). Their pointers start at the flow, as its GET returns it: whoever
// applies one sends the changed `tree_structure` or `intake_form` with a PUT.

export type FlowPatch = (PatchOperation | { op: 'move'; from: string; path: string })[]

/** Return the JSON pointer of a path such as `tree_structure.children[0]`. */
export function toPointer(path: string): string {
  return `/${path.replaceAll('[', '/').replaceAll(']', '').replaceAll('.', '/')}`
}

/** Return the edit that removes the value at a path. */
export function removeAt(path: string): FlowPatch {
  return [{ op: 'remove', path: toPointer(path) }]
}

/** A node with its path and the node above it; undefined for the root. */
export interface PlacedNode {
  node: FlowNode
  path: string
  parent: FlowNode | undefined
}

/** Yield every node of a tree with the node above it, parents before children. */
export function* placeNodes(
  node: FlowNode,
  path = 'tree_structure',
  parent?: FlowNode,
): Generator<PlacedNode> {
  yield { node, path, parent }
  for (const [index, child] of (node.children ?? []).entries())
    yield* placeNodes(child, `${path}.children[${index}]`, node)
}

/** Return the edit that puts a child, with everything below it, in the place of its node. */
export function replaceByChild({ node, path, parent }: PlacedNode, childId: string): FlowPatch | null {
  const childIndex = (node.children ?? []).findIndex(({ id }) => id === childId)
  if (childIndex < 0) return null
  const from = `${toPointer(path)}/children/${childIndex}`
  if (!parent) return [{ op: 'move', from, path: toPointer(path) }]
  const parentPointer = toPointer(path.slice(0, path.lastIndexOf('.children[')))
  const index = (parent.children ?? []).indexOf(node)
  const options = (parent.options ?? []).flatMap(({ next_node_id }, option) =>
    next_node_id === node.id ? [`${parentPointer}/options/${option}/next_node_id`] : [],
  )
  const links = parent.next_node_id === node.id ? [...options, `${parentPointer}/next_node_id`] : options
  return [
    { op: 'move', from, path: `${parentPointer}/children/${index}` },
    { op: 'remove', path: `${parentPointer}/children/${index + 1}` },
    ...links.map((link) => ({ op: 'replace' as const, path: link, value: childId })),
  ]
}

/** Return the edit that removes a step: of a tree only an action, in whose place the node after it comes. */
export function removeStep(structure: TreeStructure, stepId: string): FlowPatch | null {
  if (isStepList(structure)) {
    const index = structure.steps.findIndex(({ id }) => id === stepId)
    const isOnlyStep = structure.steps.filter(({ type }) => type === 'procedure_step').length < 2
    return index < 0 || isOnlyStep ? null : removeAt(`tree_structure.steps[${index}]`)
  }
  const place = Array.from(placeNodes(structure)).find(({ node }) => node.id === stepId)
  return place?.node.type === 'action' ? replaceByChild(place, place.node.next_node_id ?? '') : null
}

/**
 * Return the edit that removes options and what only they lead to. A decision keeps two options and two nodes
 * below it, and the options that its sub-flow chooses.
 */
export function removeOptions({ node, path }: PlacedNode, ids: ReadonlySet<string>): FlowPatch | null {
  const [options, children] = [node.options ?? [], node.children ?? []]
  const isRemoved = (id: string | null | undefined) => ids.has(id ?? '')
  const kept = options.filter(({ id }) => !isRemoved(id))
  const keptTargets = new Set(kept.map(({ next_node_id }) => next_node_id))
  const isKept = ({ id }: FlowNode) => keptTargets.has(id)
  if (kept.length < 2 || children.filter(isKept).length < 2) return null
  if (Object.values(node.subflow?.options ?? {}).some(isRemoved)) return null
  const removeFrom = (list: string, indexes: number[]) =>
    indexes.reverse().flatMap((index) => removeAt(`${path}.${list}[${index}]`))
  return [
    ...removeFrom(
      'options',
      options.flatMap(({ id }, index) => (isRemoved(id) ? [index] : [])),
    ),
    ...removeFrom(
      'children',
      children.flatMap((child, index) => (isKept(child) ? [] : [index])),
    ),
  ]
}
