import type { DiagramNode } from './shapes.ts'

// A node takes its cell: as large as the largest the frontend draws, with room between.
const cell = { x: 220, y: 150 }
const extent = { x: 180, y: 110 }

interface Link {
  source: string
  target: string
}

/**
 * Places for new nodes: in rows by how many links they are away from the first, below what is there already, none on another. Nodes that
 * are there keep theirs.
 */
export function placed(
  ids: readonly string[],
  links: readonly Link[],
  there: readonly DiagramNode[],
): Map<string, { x: number; y: number }> {
  const floor = there.reduce((lowest, { position }) => Math.max(lowest, position.y), Number.NEGATIVE_INFINITY)
  const top = there.length > 0 ? Math.ceil((floor + extent.y) / cell.y) * cell.y : 0
  const left = there.length > 0 ? Math.min(...there.map(({ position }) => position.x)) : 0
  const places = new Map<string, { x: number; y: number }>()
  for (const [row, members] of rowsOf(ids, links).entries()) {
    for (const [column, id] of members.entries()) places.set(id, { x: left + column * cell.x, y: top + row * cell.y })
  }
  return places
}

const widest = 12

/** Breadth first, from the node with the most links; what nothing leads to begins a row of its own. A long row is broken. */
function rowsOf(ids: readonly string[], links: readonly Link[]): string[][] {
  const near = new Map<string, string[]>(ids.map((id) => [id, []]))
  for (const { source, target } of links) {
    near.get(source)?.push(target)
    near.get(target)?.push(source)
  }
  const left = new Set(ids)
  const rows: string[][] = []
  for (const start of [...ids].sort((a, b) => (near.get(b)?.length ?? 0) - (near.get(a)?.length ?? 0))) {
    for (let row = left.delete(start) ? [start] : []; row.length > 0; ) {
      for (let at = 0; at < row.length; at += widest) rows.push(row.slice(at, at + widest))
      row = row.flatMap((id) => near.get(id) ?? []).filter((id) => left.delete(id))
    }
  }
  return rows
}
