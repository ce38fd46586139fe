import { spend } from '#rules/budget.ts'
import { computeBoxes, findGroupIds } from './groups.ts'
import type { DiagramNode } from './schema.ts'

/** The distance between neighbouring nodes, in pixels. */
export const gridSize = { x: 220, y: 150 }
/** The height of the largest node that the frontend draws, in pixels. */
const maxNodeHeight = 110
const maxNodesPerRow = 12
/** How many times wider than high a layout becomes, in cells. */
const widthToHeight = 1.2

/** Of a node or a link, which is visited a few times, and of a node that gets a box. */
const [stepsPerPart, stepsPerBox] = [100, 500]

interface Link {
  source: string
  target: string
}

/**
 * Return positions for new nodes, by id. Connected nodes form a block whose rows have the nodes at one
 * distance, in links, from the node with the most links. The blocks are placed side by side, in rows, below
 * all existing nodes, which keep their positions.
 */
export function computePositions(
  newIds: readonly string[],
  links: readonly Link[],
  existingNodes: readonly DiagramNode[],
): Map<string, { x: number; y: number }> {
  spend((newIds.length + links.length + existingNodes.length) * stepsPerPart)
  const top = existingNodes.length > 0 ? Math.ceil(findBottom(existingNodes) / gridSize.y) * gridSize.y : 0
  const left = existingNodes
    .map(({ position }) => position.x)
    .reduce((least, x) => Math.min(least, x), existingNodes[0]?.position.x ?? 0)
  const positionById = new Map<string, { x: number; y: number }>()
  for (const { block, column, row } of placeBlocks(groupIntoBlocks(newIds, links))) {
    for (const [blockRow, ids] of block.entries()) {
      for (const [blockColumn, id] of ids.entries())
        positionById.set(id, {
          x: left + (column + blockColumn) * gridSize.x,
          y: top + (row + blockRow) * gridSize.y,
        })
    }
  }
  return positionById
}

/** Return where the lowest node ends. A group is as high as its frame. */
function findBottom(nodes: readonly DiagramNode[]): number {
  const bottom = nodes.reduce(
    (max, { position }) => Math.max(max, position.y + maxNodeHeight),
    Number.NEGATIVE_INFINITY,
  )
  const groupIds = findGroupIds(nodes)
  if (groupIds.size === 0) return bottom
  spend(nodes.length * stepsPerBox)
  const boxes = computeBoxes(nodes)
  return [...groupIds].reduce(
    (max, id) => Math.max(max, (boxes.get(id)?.y ?? max) + (boxes.get(id)?.height ?? 0)),
    bottom,
  )
}

/** The rows of connected nodes. */
type Block = string[][]

const getWidth = (block: Block) => block.reduce((widest, { length }) => Math.max(widest, length), 0)

/** Place blocks from left to right, and start a new line when the sheet would become too wide. */
function placeBlocks(blocks: readonly Block[]): { block: Block; column: number; row: number }[] {
  const area = blocks.reduce((sum, block) => sum + getWidth(block) * block.length, 0)
  const maxWidth = blocks.reduce(
    (widest, block) => Math.max(widest, getWidth(block)),
    Math.ceil(Math.sqrt(area * widthToHeight)),
  )
  let column = 0
  let row = 0
  let lineHeight = 0
  return blocks.map((block) => {
    // `maxWidth` has room for the widest block, so the first block of a line always fits.
    if (column + getWidth(block) > maxWidth) {
      row += lineHeight
      column = 0
      lineHeight = 0
    }
    const place = { block, column, row }
    column += getWidth(block)
    lineHeight = Math.max(lineHeight, block.length)
    return place
  })
}

/** Group the nodes breadth-first into connected blocks, starting with the node with the most links. */
function groupIntoBlocks(ids: readonly string[], links: readonly Link[]): Block[] {
  const neighboursById = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const { source, target } of links) {
    neighboursById.get(source)?.push(target)
    neighboursById.get(target)?.push(source)
  }
  const countLinks = (id: string) => neighboursById.get(id)?.length ?? 0
  const remainingIds = new Set(ids)
  const blocks: Block[] = []
  for (const startId of [...ids].sort((a, b) => countLinks(b) - countLinks(a))) {
    const block: Block = []
    let level = remainingIds.delete(startId) ? [startId] : []
    while (level.length > 0) {
      for (let start = 0; start < level.length; start += maxNodesPerRow)
        block.push(level.slice(start, start + maxNodesPerRow))
      level = level.flatMap((id) => neighboursById.get(id) ?? []).filter((id) => remainingIds.delete(id))
    }
    if (block.length > 0) blocks.push(block)
  }
  return blocks
}
