// How lines run between the boxes of a drawing.

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

export type Route = (from: Box, to: Box) => { path: string; at: Point }
const between = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })
const show = ({ x, y }: Point): string => `${round(x)} ${round(y)}`

export const straight: Route = (from, to) => {
  const [a, b] = [borderPoint(from, middle(to)), borderPoint(to, middle(from))]
  return { path: `M${show(a)}L${show(b)}`, at: between(a, b) }
}

export const curved: Route = (from, to) => {
  const { a, b, sideways } = sides(from, to)
  const at = between(a, b)
  const [c, d] = sideways
    ? [
        { x: at.x, y: a.y },
        { x: at.x, y: b.y },
      ]
    : [
        { x: a.x, y: at.y },
        { x: b.x, y: at.y },
      ]
  return { path: `M${show(a)}C${show(c)} ${show(d)} ${show(b)}`, at }
}

export const step: Route = (from, to) => {
  const { a, b, sideways } = sides(from, to)
  const at = between(a, b)
  const turns = sideways ? `H${round(at.x)}V${round(b.y)}H${round(b.x)}` : `V${round(at.y)}H${round(b.x)}V${round(b.y)}`
  return { path: `M${show(a)}${turns}`, at }
}

/** Around the upper right corner. */
export const loop = ({ x, y, width }: Box) => {
  const [a, b] = [
    { x: x + width - 24, y },
    { x: x + width, y: y + 24 },
  ]
  return { path: `M${show(a)}C${round(a.x)} ${round(y - 40)} ${round(b.x + 40)} ${round(b.y)} ${show(b)}`, at: { x: b.x + 20, y: y - 20 } }
}

/** The middles of the sides that face each other: above one another where there is room between, else beside. */
function sides(from: Box, to: Box): { a: Point; b: Point; sideways: boolean } {
  const [p, q] = [middle(from), middle(to)]
  const below = to.y >= from.y + from.height
  if (below || from.y >= to.y + to.height) {
    const [top, bottom] = below ? [from, to] : [to, from]
    const [out, into] = [
      { x: middle(top).x, y: top.y + top.height },
      { x: middle(bottom).x, y: bottom.y },
    ]
    return { a: below ? out : into, b: below ? into : out, sideways: false }
  }
  const right = q.x >= p.x
  return {
    a: { x: right ? from.x + from.width : from.x, y: p.y },
    b: { x: right ? to.x : to.x + to.width, y: q.y },
    sideways: true,
  }
}

const middle = ({ x, y, width, height }: Box): Point => ({ x: x + width / 2, y: y + height / 2 })

/** Where the way from a box's middle to a point leaves the box. */
function borderPoint(box: Box, to: Point): Point {
  const from = middle(box)
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  if (dx === 0 && dy === 0) return from
  const scale = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(dy),
  )
  return { x: from.x + dx * Math.min(scale, 1), y: from.y + dy * Math.min(scale, 1) }
}

export const round = (value: number): number => Math.round(value * 100) / 100
