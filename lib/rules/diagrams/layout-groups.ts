import { fitGroups, groupPadding, groupTitleHeight } from './groups.ts'
import { computePositions, gridSize } from './layout.ts'
import type { DiagramEdge, DiagramNode } from './schema.ts'

/** Between blocks, in pixels. */
const gap = 40

/** The positions of nodes within a rectangle. */
interface Block {
  width: number
  height: number
  positionById: Map<string, { x: number; y: number }>
}

/**
 * Return the nodes with positions. What is in a group forms a block, and blocks are placed side by side below
 * the nodes beside them.
 */
export function layOutNodes(nodes: readonly DiagramNode[], edges: readonly DiagramEdge[]): DiagramNode[] {
  const parentIdById = new Map(nodes.map(({ id, parent_id }) => [id, parent_id]))
  const childrenById = Map.groupBy(nodes, ({ parent_id }) => parent_id)
  // Links between nodes of different groups do not change the blocks.
  const edgesById = Map.groupBy(edges, ({ source, target }) => {
    const parentId = parentIdById.get(source)
    return parentId === parentIdById.get(target) ? parentId : null
  })
  const layOut = (parentId: string | undefined): Block => {
    const children = childrenById.get(parentId) ?? []
    const leaves = children.filter(({ id }) => !childrenById.has(id)).map(({ id }) => id)
    const groups = children.filter(({ id }) => childrenById.has(id))
    const blocks = groups.map(({ id }) => addFrame(layOut(id)))
    return stack(layOutLeaves(leaves, edgesById.get(parentId) ?? []), blocks)
  }
  const { positionById } = layOut(undefined)
  return fitGroups(nodes.map((node) => ({ ...node, position: positionById.get(node.id) ?? { x: 0, y: 0 } })))
}

function layOutLeaves(ids: readonly string[], edges: readonly DiagramEdge[]): Block {
  const positionById = computePositions(ids, edges, [])
  const size = { width: 0, height: 0 }
  for (const { x, y } of positionById.values()) {
    size.width = Math.max(size.width, x + gridSize.x - gap)
    size.height = Math.max(size.height, y + gridSize.y - gap)
  }
  return { ...size, positionById }
}

function addFrame({ width, height, positionById }: Block): Block {
  const movedPositions = movePositions(positionById, groupPadding, groupTitleHeight)
  return {
    width: width + 2 * groupPadding,
    height: height + groupTitleHeight + groupPadding,
    positionById: movedPositions,
  }
}

/** Place blocks in rows below the first one. A row ends where all together would become wider than high. */
function stack(first: Block, blocks: readonly Block[]): Block {
  const area = blocks.reduce((sum, { width, height }) => sum + (width + gap) * (height + gap), 0)
  const maxWidth = Math.max(first.width, Math.sqrt(area * 1.2))
  const result: Block = { ...first, positionById: new Map(first.positionById) }
  let [x, y, rowHeight] = [0, first.height > 0 ? first.height + gap : 0, 0]
  for (const block of blocks) {
    if (x > 0 && x + block.width > maxWidth) [x, y, rowHeight] = [0, y + rowHeight + gap, 0]
    for (const [id, position] of movePositions(block.positionById, x, y))
      result.positionById.set(id, position)
    result.width = Math.max(result.width, x + block.width)
    result.height = Math.max(result.height, y + block.height)
    x += block.width + gap
    rowHeight = Math.max(rowHeight, block.height)
  }
  return result
}

function movePositions(positionById: Block['positionById'], x: number, y: number): Block['positionById'] {
  return new Map(Array.from(positionById, ([id, position]) => [id, { x: position.x + x, y: position.y + y }]))
}
