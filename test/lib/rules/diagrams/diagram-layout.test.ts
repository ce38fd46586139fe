import { describe, expect, it } from 'vitest'
import { computePositions } from '#rules/diagrams/layout.ts'
import type { DiagramNode } from '#rules/diagrams/schema.ts'

const ids = (count: number, prefix = 'n') => Array.from({ length: count }, (_, n) => `${prefix}${n}`)
const link = (source: string, target: string) => ({ source, target })
const existing = (x: number, y: number): DiagramNode => ({
  id: `${x}-${y}`,
  type: 'x',
  position: { x, y },
  data: {},
})
/** Return the cells of new nodes: the column and the row of each. */
const layOut = (
  newIds: readonly string[],
  links: { source: string; target: string }[],
  nodes: readonly DiagramNode[] = [],
) =>
  Object.fromEntries(
    Array.from(computePositions(newIds, links, nodes), ([id, { x, y }]) => [id, [x / 220, y / 150]]),
  )

describe('the positions of new nodes', () => {
  it('start at the origin of an empty diagram', () => {
    expect(layOut([], [])).toEqual({})
    expect(layOut(['a'], [])).toEqual({ a: [0, 0] })
  })

  it.each([
    [0, 1],
    [40, 1],
    [41, 2],
    [190, 2],
    [191, 3],
    [-110, 0],
  ])('start below the lowest node at %i, in row %i', (y, row) => {
    expect(layOut(['a'], [], [existing(440, y), existing(220, y - 10)])).toEqual({ a: [1, row] })
  })

  it('have the node with the most links in the first row, and its neighbours below it', () => {
    expect(layOut(['a', 'b', 'c', 'd'], [link('a', 'b'), link('c', 'b'), link('c', 'd')])).toEqual({
      b: [0, 0],
      a: [0, 1],
      c: [1, 1],
      d: [0, 2],
    })
  })

  it('ignore links to other nodes', () => {
    expect(layOut(['a'], [link('a', 'x'), link('x', 'a')])).toEqual({ a: [0, 0] })
  })

  it('are at most twelve in a row', () => {
    const links = ids(13).map((id) => link('hub', id))
    expect(layOut(['hub', ...ids(13)], links)).toMatchObject({
      hub: [0, 0],
      n0: [0, 1],
      n11: [11, 1],
      n12: [0, 2],
    })
  })

  it('have no empty row after twelve in a row', () => {
    const links = [...ids(12).map((id) => link('hub', id)), link('n0', 'leaf')]
    expect(layOut(['hub', ...ids(12), 'leaf'], links)).toMatchObject({
      hub: [0, 0],
      n11: [11, 1],
      leaf: [0, 2],
    })
  })

  it('are in blocks side by side, until the sheet is wide enough', () => {
    expect(layOut(ids(4), [])).toEqual({ n0: [0, 0], n1: [1, 0], n2: [2, 0], n3: [0, 1] })
    expect(layOut(['a', 'b', 'c', 'd', 'e'], [link('a', 'b'), link('c', 'd')])).toEqual({
      a: [0, 0],
      b: [0, 1],
      c: [1, 0],
      d: [1, 1],
      e: [2, 0],
    })
  })

  it('start a new line below the highest block of the line above', () => {
    const links = [link('a', 'b'), link('b', 'c')]
    expect(layOut(['a', 'b', 'c', 'd', 'e', 'f'], links)).toEqual({
      b: [0, 0],
      a: [0, 1],
      c: [1, 1],
      d: [2, 0],
      e: [0, 2],
      f: [1, 2],
    })
  })
})
