import { spend } from '#rules/budget.ts'
import type { Cell, Point } from './drawio-cells.ts'
import { readProperty, toCoordinate } from './drawio-parts.ts'
import { DiagramFileError } from './file-error.ts'
import { diagramLimits } from './schema.ts'

// A draw.io file has no devices, only shapes. Their labels, positions and lines tell which of them are
// devices.

export type ShapeRole = 'device' | 'group' | 'invisible group' | 'part' | 'decoration' | 'text' | 'edge label'

export interface ShapeRoles {
  getRole(cell: Cell): ShapeRole
  /** Return the id of the device that a shape is a part of, or the same id. */
  getDeviceId(id: string): string
  /** Return the id of the visible group around a shape. */
  getParentId(cell: Cell): string | undefined
  /**
   * Return the box on the page. Inside a group, the stored position is relative to the group. That of a rotated
   * shape is the one around it.
   */
  getBox(cell: Cell): { x: number; y: number; width: number; height: number }
}

const maxGroupDepth = 50
/**
 * A group is at least this many times as large as a shape in it. A device that only covers another one is
 * not.
 */
const minGroupRatio = 3
// Comparing the positions of all shapes takes quadratic time.
const maxShapes = 2 * diagramLimits.maxNodes
const stepsPerPair = 6
const stepsPerShape = 500

/** A shape with the box around it. `angle` turns it around its centre, in radians. */
export interface Shape {
  cell: Cell
  angle: number
  left: number
  top: number
  right: number
  bottom: number
  ancestorIds: ReadonlySet<string>
}

/**
 * Find the role of each shape. A shape around labelled shapes is a group. A shape around shapes without a
 * label is a device of several parts. A plain shape without a label and without a line is decoration.
 * `storedIds` are the cells of which the file says what they are.
 */
export function analyseShapes(
  cells: readonly Cell[],
  storedIds: ReadonlySet<string> = new Set(),
): ShapeRoles {
  const cellById = new Map(cells.map((cell) => [cell.id, cell]))
  const linkedIds = new Set(
    cells.flatMap(({ kind, source, target }) => (kind === 'edge' ? [source, target] : [])),
  )
  const getFixedRole = (cell: Cell) => findFixedRole(cell, cellById)
  const drawnCells = cells.filter((cell) => cell.kind === 'vertex' && !getFixedRole(cell))
  const { length } = drawnCells
  if (length > maxShapes)
    throw new DiagramFileError(`The diagram has ${length} shapes; at most ${maxShapes} are allowed`)
  spend(length * (length * stepsPerPair + stepsPerShape))
  const shapes = drawnCells.map((cell) => createShape(cell, cellById))
  const parentIds = new Set(shapes.map(({ cell }) => cell.parent))
  const isGroupShape = (shape: Shape) =>
    storedIds.has(shape.cell.id) ? parentIds.has(shape.cell.id) : isGroup(shape, shapes)
  const groupIds = new Set(shapes.filter(isGroupShape).map(({ cell }) => cell.id))
  const isFrame = (cell: Cell) =>
    storedIds.has(cell.id) || Boolean(cell.label) || linkedIds.has(cell.id) || isDrawn(cell)
  const frames = shapes.filter(({ cell }) => groupIds.has(cell.id) && isFrame(cell))
  const parentIdById = findParents(shapes, frames, storedIds)
  const deviceIdByPartId = new Map(
    shapes.flatMap((shape) => {
      const device =
        shape.cell.label || storedIds.has(shape.cell.id)
          ? undefined
          : shapes.find((other) => !groupIds.has(other.cell.id) && other.cell.label && contains(other, shape))
      return device ? [[shape.cell.id, device.cell.id] as const] : []
    }),
  )
  return {
    getRole(cell) {
      const fixedRole = getFixedRole(cell)
      if (fixedRole) return fixedRole
      if (groupIds.has(cell.id)) return isFrame(cell) ? 'group' : 'invisible group'
      if (deviceIdByPartId.has(cell.id)) return 'part'
      return storedIds.has(cell.id) || cell.label || isDeviceShape(cell) || linkedIds.has(cell.id)
        ? 'device'
        : 'decoration'
    },
    getParentId: ({ id }) => parentIdById.get(id),
    getDeviceId: (id) => deviceIdByPartId.get(id) ?? id,
    getBox(cell) {
      const { angle, left, top, right, bottom } = createShape(cell, cellById)
      // What is not rotated stays as it is, without the rounding of a sum.
      const { width, height } = angle === 0 ? cell : { width: right - left, height: bottom - top }
      return { x: toCoordinate(left), y: toCoordinate(top), width, height }
    },
  }
}

export function findFixedRole(
  { parent, style }: Cell,
  cellById: ReadonlyMap<string, Cell>,
): 'text' | 'edge label' | null {
  if (cellById.get(parent)?.kind === 'edge') return 'edge label'
  return /(^|;)(text|label)(;|$)/.test(style) ? 'text' : null
}

export function createShape(cell: Cell, cellById: ReadonlyMap<string, Cell>): Shape {
  const { x, y } = getPosition(cell, cellById)
  const ancestorIds = new Set(listAncestors(cell, cellById).map(({ id }) => id))
  const degrees = Number(readProperty(cell.style, 'rotation')) || 0
  const angle = (degrees % 360) * (Math.PI / 180)
  const [cos, sin] = [Math.abs(Math.cos(angle)), Math.abs(Math.sin(angle))]
  const width = angle === 0 ? cell.width : cell.width * cos + cell.height * sin
  const height = angle === 0 ? cell.height : cell.width * sin + cell.height * cos
  const [left, top] = [x + (cell.width - width) / 2, y + (cell.height - height) / 2]
  return { cell, angle, left, top, right: left + width, bottom: top + height, ancestorIds }
}

/** Return the distance of a point to a shape: 0 on it, and below 0 within it by that to its border. */
export function measureDistance({ x, y }: Point, { cell, angle, left, top, right, bottom }: Shape): number {
  const [dx, dy] = [x - (left + right) / 2, y - (top + bottom) / 2]
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const across = Math.abs(dx * cos + dy * sin) - cell.width / 2
  const down = Math.abs(dy * cos - dx * sin) - cell.height / 2
  const outside = Math.hypot(Math.max(across, 0), Math.max(down, 0))
  return outside > 0 ? outside : Math.max(across, down)
}

/** Return where the places in a cell count from. */
export function getOrigin({ parent }: Cell, cellById: ReadonlyMap<string, Cell>): Point {
  const around = cellById.get(parent)
  return around?.kind === 'vertex' ? getPosition(around, cellById) : { x: 0, y: 0 }
}

function listAncestors(cell: Cell, cellById: ReadonlyMap<string, Cell>): Cell[] {
  const ancestors: Cell[] = []
  let parent = cellById.get(cell.parent)
  for (; parent?.kind === 'vertex' && ancestors.length < maxGroupDepth; parent = cellById.get(parent.parent))
    ancestors.push(parent)
  return ancestors
}

/**
 * Return whether a shape is a group: it is around a shape with a label, or has no label and is around any
 * shape.
 */
export function isGroup(shape: Shape, shapes: readonly Shape[]): boolean {
  if (
    /(^|;)(swimlane|container=1)/.test(shape.cell.style) &&
    shapes.some(({ cell }) => cell.parent === shape.cell.id)
  )
    return true
  return shapes.some((other) => (other.cell.label || !shape.cell.label) && contains(shape, other))
}

/** Return whether a shape is the parent of another, or is drawn around it. */
function contains(outer: Shape, inner: Shape): boolean {
  if (outer === inner) return false
  if (inner.ancestorIds.has(outer.cell.id)) return true
  const isAround =
    outer.left <= inner.left &&
    outer.top <= inner.top &&
    outer.right >= inner.right &&
    outer.bottom >= inner.bottom
  return (
    isAround && outer.cell.width * outer.cell.height >= minGroupRatio * inner.cell.width * inner.cell.height
  )
}

/**
 * Return the id of the nearest frame by id: one that a shape is stored in, otherwise the smallest one that is
 * drawn around it.
 */
function findParents(
  shapes: readonly Shape[],
  frames: readonly Shape[],
  storedIds: ReadonlySet<string>,
): Map<string, string> {
  const parentIdById = new Map<string, string>()
  const frameById = new Map(frames.map((frame) => [frame.cell.id, frame]))
  const framesBySize = frames.toSorted((a, b) => a.cell.width * a.cell.height - b.cell.width * b.cell.height)
  const isAround = (id: string, outerId: string) => {
    let current: string | undefined = outerId
    for (let count = 0; current !== undefined && current !== id && count < frames.length; count++)
      current = parentIdById.get(current)
    return current === id
  }
  for (const shape of shapes) {
    const stored = [...shape.ancestorIds].find((id) => frameById.has(id))
    const parentId =
      stored ??
      (storedIds.has(shape.cell.id)
        ? undefined
        : framesBySize.find((frame) => contains(frame, shape))?.cell.id)
    // A file can have shapes that are in each other.
    if (parentId !== undefined && !isAround(shape.cell.id, parentId))
      parentIdById.set(shape.cell.id, parentId)
  }
  return parentIdById
}

/** Return whether a shape has a border or a fill. */
function isDrawn({ style }: Cell): boolean {
  return (
    !/^group(;|$)/.test(style) &&
    !(/(^|;)strokeColor=none(;|$)/.test(style) && /(^|;)fillColor=none(;|$)/.test(style))
  )
}

function isDeviceShape({ style }: Cell): boolean {
  return /(?:^|;)(?:image=|shape=(?:image|mxgraph\.(?!flowchart|basic|arrows)))/.test(style)
}

function getPosition(cell: Cell, cellById: ReadonlyMap<string, Cell>): { x: number; y: number } {
  let { x, y } = cell
  for (const ancestor of listAncestors(cell, cellById)) {
    x += ancestor.x
    y += ancestor.y
  }
  return { x: toCoordinate(x), y: toCoordinate(y) }
}
