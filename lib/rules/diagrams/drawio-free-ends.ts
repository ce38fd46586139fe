import { spend } from '#rules/budget.ts'
import type { Cell, Point } from './drawio-cells.ts'
import { createShape, findFixedRole, getOrigin, isGroup, measureDistance } from './drawio-shapes.ts'

/** How far an end may be from a shape, in points. It is about what a person takes for touching. */
const maxDistance = 12
const stepsPerPair = 6

/**
 * Attach the ends of lines that only lie on a shape or beside it. Of several shapes the nearest counts, then
 * the smallest; a shape around others counts at its border only. An end that is far from all stays free.
 */
export function attachFreeEnds(cells: readonly Cell[]): readonly Cell[] {
  const isFree = ({ kind, source, target, ends }: Cell) =>
    kind === 'edge' && ((source === '' && ends.source) || (target === '' && ends.target))
  const free = cells.filter(isFree)
  if (free.length === 0) return cells
  const cellById = new Map(cells.map((cell) => [cell.id, cell]))
  const drawn = cells.filter((cell) => cell.kind === 'vertex' && !findFixedRole(cell, cellById))
  spend(drawn.length * (drawn.length + free.length * 2) * stepsPerPair)
  const shapes = drawn.map((cell) => createShape(cell, cellById))
  const frames = new Set(shapes.filter((shape) => isGroup(shape, shapes)))
  const find = (point: Point | undefined, edge: Cell, otherId: string): string => {
    if (!point) return ''
    const origin = getOrigin(edge, cellById)
    const place = { x: origin.x + point.x, y: origin.y + point.y }
    let [nearest, best] = ['', [maxDistance, Number.POSITIVE_INFINITY]]
    for (const shape of shapes) {
      if (shape.cell.id === otherId) continue
      const distance = measureDistance(place, shape)
      const size = shape.cell.width * shape.cell.height
      const rank = [frames.has(shape) ? Math.abs(distance) : Math.max(distance, 0), size]
      if (compare(rank, best) < 0) [nearest, best] = [shape.cell.id, rank]
    }
    return nearest
  }
  const freeIds = new Set(free)
  return cells.map((cell) => {
    if (!freeIds.has(cell)) return cell
    const source = cell.source || find(cell.ends.source, cell, cell.target)
    return { ...cell, source, target: cell.target || find(cell.ends.target, cell, source) }
  })
}

const compare = ([a = 0, b = 0]: readonly number[], [c = 0, d = 0]: readonly number[]) => a - c || b - d
