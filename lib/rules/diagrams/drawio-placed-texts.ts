import { spend } from '#rules/budget.ts'
import type { Cell, Point } from './drawio-cells.ts'
import {
  createShape,
  findFixedRole,
  getOrigin,
  isGroup,
  measureDistance,
  type Shape,
} from './drawio-shapes.ts'

// People name lines and devices by a text that they put there, without attaching it.

/** How far the edge of a text may be from what it names, in points. */
const maxDistance = 12
/** A longer text explains more than one line. */
const maxNameLength = 60
const stepsPerPair = 20

/**
 * Put the texts on a line into it as labels, and give those beside a device without a label to the device. A
 * text belongs to the nearest one. Other texts stay as they are.
 */
export function placeTexts(cells: readonly Cell[]): readonly Cell[] {
  const cellById = new Map(cells.map((cell) => [cell.id, cell]))
  const vertices = cells.filter(({ kind }) => kind === 'vertex')
  const texts = vertices.filter(
    (cell) =>
      findFixedRole(cell, cellById) === 'text' && cell.label !== '' && cell.label.length <= maxNameLength,
  )
  if (texts.length === 0) return cells
  const drawn = vertices.filter((cell) => !findFixedRole(cell, cellById))
  spend(drawn.length * (drawn.length + texts.length) * stepsPerPair)
  const shapes = drawn.map((cell) => createShape(cell, cellById))
  const unnamed = shapes.filter((shape) => shape.cell.label === '' && !isGroup(shape, shapes))
  const shapeById = new Map(shapes.map((shape) => [shape.cell.id, shape]))
  const lines = cells.flatMap((cell) => {
    const [source, target] = [shapeById.get(cell.source), shapeById.get(cell.target)]
    return cell.kind === 'edge' && source && target ? [createLine(cell, source, target, cellById)] : []
  })
  const changes = new Map<Cell, Cell | null>()
  const placed = texts
    .map((cell) => {
      const text = createShape(cell, cellById)
      return { cell, text, device: findNearest(unnamed, (shape) => measureFromText(text, shape)) }
    })
    .sort((a, b) => (a.device?.distance ?? maxDistance) - (b.device?.distance ?? maxDistance))
  for (const { cell, text, device } of placed) {
    const owner = device?.item.cell
    const line = findNearest(lines, (each) => measureToLine(text, each).distance)
    // The line of a device passes by its name.
    if (owner && !changes.has(owner)) {
      changes.set(owner, { ...owner, label: cell.label })
      changes.set(cell, null)
    } else if (line)
      changes.set(cell, { ...cell, parent: line.item.cell.id, x: measureToLine(text, line.item).place })
  }
  return cells.flatMap((cell) => {
    const changed = changes.get(cell)
    return changed === null ? [] : (changed ?? cell)
  })
}

function findNearest<T>(
  items: readonly T[],
  measure: (item: T) => number,
): { item: T; distance: number } | null {
  let nearest: { item: T; distance: number } | null = null
  for (const item of items) {
    const distance = measure(item)
    if (distance <= maxDistance && (!nearest || distance < nearest.distance)) nearest = { item, distance }
  }
  return nearest
}

const getCentre = ({ left, top, right, bottom }: Shape): Point => ({
  x: (left + right) / 2,
  y: (top + bottom) / 2,
})

/** Return how far a shape is from a text above or below it, or on it. */
function measureFromText(text: Shape, shape: Shape): number {
  const centre = getCentre(text)
  const isAligned = centre.x > shape.left - maxDistance && centre.x < shape.right + maxDistance
  if (!isAligned) return Number.POSITIVE_INFINITY
  return Math.max(0, text.top - shape.bottom, shape.top - text.bottom)
}

interface Line {
  cell: Cell
  ends: readonly [Shape, Shape]
  pairs: readonly (readonly [Point, Point])[]
  isStraight: boolean
}

function createLine(cell: Cell, source: Shape, target: Shape, cellById: ReadonlyMap<string, Cell>): Line {
  const origin = getOrigin(cell, cellById)
  const turns = cell.turns.map(({ x, y }) => ({ x: origin.x + x, y: origin.y + y }))
  const points = [getCentre(source), ...turns, getCentre(target)]
  const pairs = points.slice(1).map((point, index) => [points[index] as Point, point] as const)
  spend(pairs.length * stepsPerPair)
  // The file does not say where a line with right angles turns by itself.
  const isStraight = !/edgeStyle=(?:orthogonal|elbow|entityRelation|segment)/.test(cell.style)
  return { cell, ends: [source, target], pairs, isStraight }
}

const piecesOfWays = 10
function* iterateWays(pairs: Line['pairs']): Generator<readonly [Point, Point]> {
  for (const pair of pairs) yield* listWays(pair)
}

/** Return the pieces of the ways between two points that have right angles and at most two turns. */
function listWays([a, b]: readonly [Point, Point]): (readonly [Point, Point])[] {
  const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2]
  const ways = [
    [a, { x: b.x, y: a.y }, b],
    [a, { x: a.x, y: b.y }, b],
    [a, { x, y: a.y }, { x, y: b.y }, b],
    [a, { x: a.x, y }, { x: b.x, y }, b],
  ]
  return ways.flatMap((way) => way.slice(1).map((point, index) => [way[index] as Point, point] as const))
}

/**
 * Return how far a line passes by the box of a text, 0 if through it, and where, as a share of the way between
 * its ends.
 */
function measureToLine(text: Shape, { ends, pairs, isStraight }: Line): { distance: number; place: number } {
  spend(pairs.length * (isStraight ? 1 : piecesOfWays) * stepsPerPair)
  const centre = getCentre(text)
  if (ends.some((end) => measureDistance(centre, end) <= 0))
    return { distance: Number.POSITIVE_INFINITY, place: 0 }
  let distance = Number.POSITIVE_INFINITY
  // Made for each text anew, because those of all lines would take much memory.
  for (const [a, b] of isStraight ? pairs : iterateWays(pairs)) {
    const [dx, dy] = [b.x - a.x, b.y - a.y]
    const length = dx * dx + dy * dy
    const share = length === 0 ? 0 : ((centre.x - a.x) * dx + (centre.y - a.y) * dy) / length
    const near = Math.min(1, Math.max(0, share))
    const point = { x: a.x + near * dx, y: a.y + near * dy }
    distance = Math.min(distance, Math.max(0, measureDistance(point, text)))
  }
  const [fromSource, fromTarget] = ends.map((end) => {
    const { x, y } = getCentre(end)
    return Math.hypot(centre.x - x, centre.y - y)
  }) as [number, number]
  return { distance, place: (2 * fromSource) / (fromSource + fromTarget || 1) - 1 }
}
