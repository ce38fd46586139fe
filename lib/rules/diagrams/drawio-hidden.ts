import type { Cell } from './drawio-cells.ts'

const maxAncestors = 50
const names = { vertex: 'Shape', edge: 'Line', other: 'Layer' }

/**
 * Separate the cells that draw.io shows from those that are hidden, themselves or with what they are in.
 * Describe what is hidden.
 */
export function splitHidden(cells: readonly Cell[]): { visible: Cell[]; hidden: string[] } {
  const cellById = new Map(cells.map((cell) => [cell.id, cell]))
  const countByHidden = new Map<Cell, number>()
  const visible = cells.filter((cell) => {
    const hidden = findOutermostHidden(cell, cellById)
    if (hidden) countByHidden.set(hidden, (countByHidden.get(hidden) ?? 0) + (hidden === cell ? 0 : 1))
    return !hidden
  })
  const hidden = [...countByHidden].map(([{ kind, id, label }, count]) => {
    const content = count === 0 ? '' : `, with what is in it (${count.toLocaleString('en')})`
    return `${names[kind]} ${label ? `“${label}”` : `(${id})`}: it is hidden${content}`
  })
  return { visible, hidden }
}

function findOutermostHidden(cell: Cell, cellById: ReadonlyMap<string, Cell>): Cell | undefined {
  let outermost: Cell | undefined
  let current: Cell | undefined = cell
  for (let count = 0; current && count <= maxAncestors; count++) {
    if (!current.isVisible) outermost = current
    current = cellById.get(current.parent)
  }
  return outermost
}
