// Places on a page of a PDF, and the matrices that move them.

/** A rectangle, in points. */
export interface Box {
  left: number
  right: number
  bottom: number
  top: number
}

/** A place without a size. */
const nowhere: Box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity }

/** Return what two rectangles share; null is all of a page. */
export function intersect(outer: Box | null, box: Box): Box {
  const left = Math.max(outer?.left ?? box.left, box.left)
  const right = Math.min(outer?.right ?? box.right, box.right)
  const bottom = Math.max(outer?.bottom ?? box.bottom, box.bottom)
  const top = Math.min(outer?.top ?? box.top, box.top)
  return left < right && bottom < top ? { left, right, bottom, top } : nowhere
}

/** Return the rectangle around places, in other coordinates. A rectangle that is given is made larger. */
export function surround(
  matrix: Matrix,
  places: readonly [number, number][],
  box: Box = { ...nowhere },
): Box {
  for (const [x, y] of places) {
    const [outerX, outerY] = [toX(matrix, x, y), toY(matrix, x, y)]
    box.left = Math.min(box.left, outerX)
    box.right = Math.max(box.right, outerX)
    box.bottom = Math.min(box.bottom, outerY)
    box.top = Math.max(box.top, outerY)
  }
  return box
}

/** Coordinates to others: ISO 32000-1, 8.3.3. */
export type Matrix = readonly [number, number, number, number, number, number]

export const identity: Matrix = [1, 0, 0, 1, 0, 0]

/** Return the matrix of a page that is turned by so many degrees. */
export function rotate(degrees = 0): Matrix {
  switch ((((degrees / 90) % 4) + 4) % 4) {
    case 1:
      return [0, -1, 1, 0, 0, 0]
    case 2:
      return [-1, 0, 0, -1, 0, 0]
    case 3:
      return [0, 1, -1, 0, 0, 0]
    default:
      return identity
  }
}

/** Return the matrix that does `first`, then `second`. */
export function multiply(first: Matrix, second: Matrix): Matrix {
  // Each text of a page needs a few of these, and taking a list apart by its places costs five times as much.
  const [a, b, c, d] = [first[0], first[1], first[2], first[3]]
  const [g, h, i, j] = [second[0], second[1], second[2], second[3]]
  const [x, y] = [toX(second, first[4], first[5]), toY(second, first[4], first[5])]
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, x, y]
}

export const toX = (matrix: Matrix, x: number, y: number) => x * matrix[0] + y * matrix[2] + matrix[4]
export const toY = (matrix: Matrix, x: number, y: number) => x * matrix[1] + y * matrix[3] + matrix[5]

/** Return the matrix that moves by `x` and `y`, then does `matrix`. */
export function translate(matrix: Matrix, x: number, y: number): Matrix {
  return [matrix[0], matrix[1], matrix[2], matrix[3], toX(matrix, x, y), toY(matrix, x, y)]
}
