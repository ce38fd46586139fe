// Computes the SVG paths of the edges between the boxes of a diagram.

export interface Box {
  x: number
  y: number
  width: number
  height: number
}
export interface Point {
  x: number
  y: number
}
export interface EdgePath {
  /** The value of the SVG attribute `d`. */
  path: string
  /** Where the centre of the label can be, the best place first. */
  labelPositions: Point[]
}

export function createStraightPath(from: Box, to: Box): EdgePath {
  const start = getBorderPoint(from, getCentre(to))
  const end = getBorderPoint(to, getCentre(from))
  return { path: `M${formatPoint(start)}L${formatPoint(end)}`, labelPositions: listPointsBetween(start, end) }
}

export function createCurvedPath(from: Box, to: Box): EdgePath {
  const { start, end, isHorizontal } = connectFacingSides(from, to)
  const midpoint = getMidpoint(start, end)
  const startControl = isHorizontal ? { x: midpoint.x, y: start.y } : { x: start.x, y: midpoint.y }
  const endControl = isHorizontal ? { x: midpoint.x, y: end.y } : { x: end.x, y: midpoint.y }
  const path = `M${formatPoint(start)}C${formatPoint(startControl)} ${formatPoint(endControl)} ${formatPoint(end)}`
  return {
    path,
    labelPositions: labelShares.map((share) => getCurvePoint([start, startControl, endControl, end], share)),
  }
}

/** Create a path with right angles. */
export function createStepPath(from: Box, to: Box): EdgePath {
  const { start, end, isHorizontal } = connectFacingSides(from, to)
  const midpoint = getMidpoint(start, end)
  const segments = isHorizontal
    ? `H${round(midpoint.x)}V${round(end.y)}H${round(end.x)}`
    : `V${round(midpoint.y)}H${round(end.x)}V${round(end.y)}`
  const [middleStart, middleEnd] = isHorizontal
    ? [
        { x: midpoint.x, y: start.y },
        { x: midpoint.x, y: end.y },
      ]
    : [
        { x: start.x, y: midpoint.y },
        { x: end.x, y: midpoint.y },
      ]
  const labelPositions = [
    ...listPointsBetween(middleStart, middleEnd),
    getMidpoint(start, middleStart),
    getMidpoint(middleEnd, end),
  ]
  return { path: `M${formatPoint(start)}${segments}`, labelPositions }
}

/**
 * Create the path of an edge from a box to itself, around the upper right corner. `size` makes it larger than
 * others, in pixels.
 */
export function createLoopPath({ x, y, width }: Box, size = 0): EdgePath {
  const start = { x: x + width - 24, y }
  const end = { x: x + width, y: y + 24 }
  const startControl = { x: start.x, y: y - 40 - size }
  const endControl = { x: end.x + 40 + size, y: end.y }
  const path = `M${formatPoint(start)}C${formatPoint(startControl)} ${formatPoint(endControl)} ${formatPoint(end)}`
  return { path, labelPositions: [{ x: end.x + 20, y: y - 20 }] }
}

/**
 * Move both boxes across the direction of their connection, by at most a third of the smaller box. A positive
 * distance is to the right of the way from `from` to `to`.
 */
export function moveAside(from: Box, to: Box, distance: number): [Box, Box] {
  if (distance === 0) return [from, to]
  const { isHorizontal } = connectFacingSides(from, to)
  const getSize = ({ width, height }: Box) => (isHorizontal ? height : width)
  const maxDistance = Math.min(getSize(from), getSize(to)) / 3
  const offset = Math.min(Math.max(distance, -maxDistance), maxDistance)
  const isForwards = isHorizontal
    ? getCentre(to).x >= getCentre(from).x
    : getCentre(to).y <= getCentre(from).y
  const signedOffset = isForwards ? offset : -offset
  const move = (box: Box) =>
    isHorizontal ? { ...box, y: box.y + signedOffset } : { ...box, x: box.x + signedOffset }
  return [move(from), move(to)]
}

interface Connection {
  start: Point
  end: Point
  /** Whether the connection leaves the boxes to the left or right. */
  isHorizontal: boolean
}

/**
 * Connect the midpoints of the sides that face each other: bottom and top if one box is above the other,
 * otherwise left and right.
 */
function connectFacingSides(from: Box, to: Box): Connection {
  const fromCentre = getCentre(from)
  const toCentre = getCentre(to)
  const isTargetBelow = to.y >= from.y + from.height
  const isTargetAbove = from.y >= to.y + to.height
  if (isTargetBelow) {
    return {
      start: { x: fromCentre.x, y: from.y + from.height },
      end: { x: toCentre.x, y: to.y },
      isHorizontal: false,
    }
  }
  if (isTargetAbove) {
    return {
      start: { x: fromCentre.x, y: from.y },
      end: { x: toCentre.x, y: to.y + to.height },
      isHorizontal: false,
    }
  }
  const isTargetRight = toCentre.x >= fromCentre.x
  return {
    start: { x: isTargetRight ? from.x + from.width : from.x, y: fromCentre.y },
    end: { x: isTargetRight ? to.x : to.x + to.width, y: toCentre.y },
    isHorizontal: true,
  }
}

function getCentre({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 }
}

/** The shares of a line at which its label can be. */
const labelShares = [0.5, 0.25, 0.75, 0.38, 0.62] as const

function listPointsBetween(start: Point, end: Point): Point[] {
  return labelShares.map((share) => ({
    x: start.x + (end.x - start.x) * share,
    y: start.y + (end.y - start.y) * share,
  }))
}

/** Return a point of a cubic Bézier curve. */
function getCurvePoint(
  [start, startControl, endControl, end]: readonly [Point, Point, Point, Point],
  share: number,
): Point {
  const rest = 1 - share
  const mix = (a: number, b: number, c: number, d: number) =>
    rest ** 3 * a + 3 * rest ** 2 * share * b + 3 * rest * share ** 2 * c + share ** 3 * d
  return {
    x: mix(start.x, startControl.x, endControl.x, end.x),
    y: mix(start.y, startControl.y, endControl.y, end.y),
  }
}

function getMidpoint(a: Point, b: Point): Point {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
}

/**
 * Return the point where the line from the centre of the box to the target crosses the border. Return a
 * target inside the box unchanged.
 */
function getBorderPoint(box: Box, target: Point): Point {
  const centre = getCentre(box)
  const dx = target.x - centre.x
  const dy = target.y - centre.y
  if (dx === 0 && dy === 0) return centre
  const scaleToSide = dx === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(dx)
  const scaleToTopOrBottom = dy === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(dy)
  const scale = Math.min(scaleToSide, scaleToTopOrBottom, 1)
  return { x: centre.x + dx * scale, y: centre.y + dy * scale }
}

function formatPoint({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`
}

/** Round to two decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}
