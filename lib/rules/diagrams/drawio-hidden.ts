import type { Cell } from './drawio-cells.ts'

const names = { vertex: 'Shape', edge: 'Line', other: 'Layer' }

/**
 * Separate the cells that draw.io shows from those that are hidden, themselves or with what they are in.
 * Describe what is hidden.
 */
export function splitHidden(cells: readonly Cell[]): { visible: Cell[]; hidden: string[] } {
  const cellById = new Map(cells.map((cell) => [cell.id, cell]))
  const countByHidden = new Map<Cell, number>()
  const hiddenByCell = new Map<Cell, Cell | undefined>()
  const visible = cells.filter((cell) => {
    const hidden = findOutermostHidden(cell, cellById, hiddenByCell)
    if (hidden) countByHidden.set(hidden, (countByHidden.get(hidden) ?? 0) + (hidden === cell ? 0 : 1))
    return !hidden
  })
  const hidden = [...countByHidden].map(([{ kind, id, label }, count]) => {
    const content = count === 0 ? '' : `, with what is in it (${count.toLocaleString('en')})`
    return `${names[kind]} ${label ? `“${label}”` : `(${id})`}: it is hidden${content}`
  })
  return { visible, hidden }
}

/** Find the outermost hidden cell around a cell, or itself. `known` has what was found: each is looked at once. */
function findOutermostHidden(
  cell: Cell,
  cellById: ReadonlyMap<string, Cell>,
  known: Map<Cell, Cell | undefined>,
): Cell | undefined {
  const chain: Cell[] = []
  let current: Cell | undefined = cell
  for (; current && !known.has(current); current = cellById.get(current.parent)) {
    known.set(current, undefined)
    chain.push(current)
  }
  let hidden = current && known.get(current)
  for (const inner of chain.reverse()) {
    if (!inner.isVisible) hidden ??= inner
    known.set(inner, hidden)
  }
  return hidden
}
