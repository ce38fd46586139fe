import { computeBox, lineHeight, parseNumber } from './boxes.ts'
import { type Box, round } from './edge-paths.ts'
import { type DiagramNode, maxGroupDepth } from './schema.ts'

// A group is drawn as a frame around the nodes in it.

export const groupType = 'group'
export const groupPadding = 20
/** Above the content of a frame, for its label. */
export const groupTitleHeight = groupPadding + lineHeight
const emptySize = { width: 240, height: 120 }
const maxGroupSize = 100_000
/** No node of a diagram is further away from the middle. */
const maxCoordinate = 1_000_000

/** Return the ids of the groups: nodes of the type `group`, and those that are the parent of another. */
export function findGroupIds(nodes: readonly DiagramNode[]): Set<string> {
  return new Set(
    nodes.flatMap(({ id, type, parent_id }) => [
      ...(type === groupType ? [id] : []),
      ...(parent_id ? [parent_id] : []),
    ]),
  )
}

/** Return how many groups are around each node, by id. */
export function computeDepths(nodes: readonly DiagramNode[]): Map<string, number> {
  const parentIdById = new Map(nodes.map(({ id, parent_id }) => [id, parent_id]))
  return new Map(
    nodes.map(({ id, parent_id }) => {
      let depth = 0
      for (
        let parentId = parent_id;
        parentId !== undefined && depth < maxGroupDepth;
        parentId = parentIdById.get(parentId)
      )
        depth++
      return [id, depth]
    }),
  )
}

/** Return the box of each node, by id. That of a group has its own size, and is around the boxes in it. */
export function computeBoxes(nodes: readonly DiagramNode[]): Map<string, Box> {
  const groupIds = findGroupIds(nodes)
  const childrenById = Map.groupBy(nodes, ({ parent_id }) => parent_id)
  const boxById = new Map<string, Box>()
  const depthById = computeDepths(nodes)
  // The innermost first.
  for (const node of nodes.toSorted((a, b) => (depthById.get(b.id) ?? 0) - (depthById.get(a.id) ?? 0))) {
    const children = (childrenById.get(node.id) ?? []).flatMap(({ id }) => boxById.get(id) ?? [])
    boxById.set(node.id, groupIds.has(node.id) ? computeFrame(node, children) : computeBox(node))
  }
  return boxById
}

function computeFrame({ position, style }: DiagramNode, children: readonly Box[]): Box {
  const size = { width: parseGroupSize(style?.width), height: parseGroupSize(style?.height) }
  const own = { ...position, width: size.width ?? emptySize.width, height: size.height ?? emptySize.height }
  if (children.length === 0) return own
  const boxes = [
    ...(size.width === undefined || size.height === undefined ? [] : [own]),
    ...children.map(({ x, y, width, height }) => ({
      x: x - groupPadding,
      y: y - groupTitleHeight,
      width: width + 2 * groupPadding,
      height: height + groupTitleHeight + groupPadding,
    })),
  ]
  const x = Math.max(
    -maxCoordinate,
    round(boxes.reduce((least, box) => Math.min(least, box.x), Number.POSITIVE_INFINITY)),
  )
  const y = Math.max(
    -maxCoordinate,
    round(boxes.reduce((least, box) => Math.min(least, box.y), Number.POSITIVE_INFINITY)),
  )
  const right = boxes.reduce((most, box) => Math.max(most, box.x + box.width), Number.NEGATIVE_INFINITY)
  const bottom = boxes.reduce((most, box) => Math.max(most, box.y + box.height), Number.NEGATIVE_INFINITY)
  return { x, y, width: round(right - x), height: round(bottom - y) }
}

function parseGroupSize(value: unknown): number | undefined {
  const size = parseNumber(value)
  return size === undefined ? undefined : round(Math.min(Math.max(size, 40), maxGroupSize))
}

/** Give each group the place and the size of its frame, so that every program draws it around its content. */
export function fitGroups(nodes: readonly DiagramNode[]): DiagramNode[] {
  const [groupIds, boxById] = [findGroupIds(nodes), computeBoxes(nodes)]
  return nodes.map((node) => {
    const box = boxById.get(node.id)
    if (!box || !groupIds.has(node.id)) return node
    const { x, y, width, height } = box
    return { ...node, position: { x, y }, style: { ...node.style, width, height } }
  })
}
