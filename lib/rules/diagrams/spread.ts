import { spend } from '#rules/budget.ts'
import { computeBox } from './boxes.ts'
import type { Box } from './edge-paths.ts'
import { findGroupIds } from './groups.ts'
import type { DiagramNode } from './schema.ts'

/** The distance between boxes, in pixels. */
const gap = 20
/** Each node gets a box, and each pair of boxes is compared. */
const stepsPerBox = 500
const maxFactor = 6
const maxCoordinate = 1_000_000

/**
 * Move nodes apart until their boxes do not overlap, because boxes can be larger than the symbols of another
 * program. All distances grow by the same factor, so that the arrangement stays, and groups with them. Throw
 * 422 when it takes too much work.
 */
export function spreadNodes(nodes: readonly DiagramNode[]): DiagramNode[] {
  spend(nodes.length * (stepsPerBox + nodes.length))
  const groupIds = findGroupIds(nodes)
  const boxes = nodes.filter(({ id }) => !groupIds.has(id)).map(computeBox)
  let factor = 1
  for (const [index, box] of boxes.entries()) {
    for (const other of boxes.slice(index + 1)) factor = Math.max(factor, computeFactor(box, other))
  }
  const scale = Math.min(factor, maxFactor)
  if (scale === 1) return [...nodes]
  const scaleCoordinate = (value: number) =>
    Math.min(Math.max(Math.ceil(value * scale), -maxCoordinate), maxCoordinate)
  return nodes.map((node) => ({
    ...node,
    ...(groupIds.has(node.id) ? { style: scaleSize(node.style, scale) } : {}),
    position: { x: scaleCoordinate(node.position.x), y: scaleCoordinate(node.position.y) },
  }))
}

function scaleSize(style: DiagramNode['style'], scale: number): DiagramNode['style'] {
  const { width, height } = style ?? {}
  return typeof width === 'number' && typeof height === 'number'
    ? { ...style, width: width * scale, height: height * scale }
    : style
}

/**
 * Return by how much the distance of two boxes must grow. Boxes that do not overlap need nothing; those at
 * the same place cannot be moved apart.
 */
function computeFactor(a: Box, b: Box): number {
  const [left, right] = a.x <= b.x ? [a, b] : [b, a]
  const [upper, lower] = a.y <= b.y ? [a, b] : [b, a]
  const isApart = right.x >= left.x + left.width || lower.y >= upper.y + upper.height
  if (isApart) return 1
  // Infinite for boxes that have no distance in this direction.
  const byWidth = (left.width + gap) / (right.x - left.x)
  const byHeight = (upper.height + gap) / (lower.y - upper.y)
  const factor = Math.min(byWidth, byHeight)
  return Number.isFinite(factor) ? factor : 1
}
