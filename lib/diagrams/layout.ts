import type { DiagramNode } from './schema.ts'

/** The distance between neighbouring nodes, in pixels. */
const gridSize = { x: 220, y: 150 }
/** The height of the largest node that the frontend draws, in pixels. */
const maxNodeHeight = 110
const maxNodesPerRow = 12

interface Link {
  source: string
  target: string
}

/**
 * Return positions for new nodes, by id. Each row has the nodes at one distance, in links, from the node with the most links. The rows start
 * below all existing nodes, which keep their positions.
 */
export function computePositions(
  newIds: readonly string[],
  links: readonly Link[],
  existingNodes: readonly DiagramNode[],
): Map<string, { x: number; y: number }> {
  const maxY = existingNodes.reduce((max, { position }) => Math.max(max, position.y), Number.NEGATIVE_INFINITY)
  const top = existingNodes.length > 0 ? Math.ceil((maxY + maxNodeHeight) / gridSize.y) * gridSize.y : 0
  const left = existingNodes.length > 0 ? Math.min(...existingNodes.map(({ position }) => position.x)) : 0
  const positionById = new Map<string, { x: number; y: number }>()
  for (const [row, ids] of groupIntoRows(newIds, links).entries()) {
    for (const [column, id] of ids.entries()) positionById.set(id, { x: left + column * gridSize.x, y: top + row * gridSize.y })
  }
  return positionById
}

/** Group the nodes breadth-first, starting with the one with the most links. Each further connected component starts a new row. */
function groupIntoRows(ids: readonly string[], links: readonly Link[]): string[][] {
  const neighboursById = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const { source, target } of links) {
    neighboursById.get(source)?.push(target)
    neighboursById.get(target)?.push(source)
  }
  const countLinks = (id: string) => neighboursById.get(id)?.length ?? 0
  const remainingIds = new Set(ids)
  const rows: string[][] = []
  for (const startId of [...ids].sort((a, b) => countLinks(b) - countLinks(a))) {
    let level = remainingIds.delete(startId) ? [startId] : []
    while (level.length > 0) {
      for (let start = 0; start < level.length; start += maxNodesPerRow) rows.push(level.slice(start, start + maxNodesPerRow))
      level = level.flatMap((id) => neighboursById.get(id) ?? []).filter((id) => remainingIds.delete(id))
    }
  }
  return rows
}
