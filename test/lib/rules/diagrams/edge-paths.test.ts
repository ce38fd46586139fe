import { describe, expect, it } from 'vitest'
import {
  type Box,
  createCurvedPath,
  createLoopPath,
  createStepPath,
  createStraightPath,
  moveAside,
  round,
} from '#rules/diagrams/edge-paths.ts'

const box = (x: number, y: number, width = 100, height = 60): Box => ({ x, y, width, height })
const from = box(0, 0)
const [right, left, below, above] = [box(300, 20), box(-300, 20), box(40, 200), box(40, -200)]

it.each([
  ['right', right, 'M100 33.33L300 46.67', { x: 200, y: 40 }],
  ['below', below, 'M56 60L84 200', { x: 70, y: 130 }],
])('a straight line ends at the borders of both boxes: %s', (_, to, path, middle) => {
  const edge = createStraightPath(from, to)
  expect([edge.path, edge.labelPositions[0]]).toEqual([path, middle])
})

it('a straight line between boxes with the same centre is a point', () => {
  expect(createStraightPath(from, box(25, 15, 50, 30)).path).toBe('M50 30L50 30')
})

it('a straight line that is vertical or horizontal ends at the middle of a side', () => {
  expect(createStraightPath(from, box(0, 200)).path).toBe('M50 60L50 200')
  expect(createStraightPath(from, box(300, 0)).path).toBe('M100 30L300 30')
})

it('a straight line to a centre inside of the box ends there', () => {
  expect(createStraightPath(box(0, 0, 400, 400), box(220, 200, 20, 20)).path).toBe('M230 210L220 206.67')
})

it.each<[string, Box, string]>([
  ['right', right, 'M100 30C200 30 200 50 300 50'],
  ['left', left, 'M0 30C-100 30 -100 50 -200 50'],
  ['below', below, 'M50 60C50 130 90 130 90 200'],
  ['above', above, 'M50 0C50 -70 90 -70 90 -140'],
  ['touching below', box(40, 60), 'M50 60C50 60 90 60 90 60'],
  ['touching above', box(40, -60), 'M50 0C50 0 90 0 90 0'],
  ['one pixel from below', box(40, 59), 'M100 30C70 30 70 89 40 89'],
  ['one pixel from above', box(40, -59), 'M100 30C70 30 70 -29 40 -29'],
  ['the same place', box(0, 0), 'M100 30C50 30 50 30 0 30'],
])('a curve connects the sides that face each other: %s', (_, to, path) => {
  expect(createCurvedPath(from, to).path).toBe(path)
})

it.each<[string, Box, string, object[]]>([
  [
    'right',
    right,
    'M100 30H200V50H300',
    [
      { x: 200, y: 40 },
      { x: 200, y: 35 },
      { x: 200, y: 45 },
      { x: 200, y: 37.6 },
      { x: 200, y: 42.4 },
      { x: 150, y: 30 },
      { x: 250, y: 50 },
    ],
  ],
  [
    'below',
    below,
    'M50 60V130H90V200',
    [
      { x: 70, y: 130 },
      { x: 60, y: 130 },
      { x: 80, y: 130 },
      { x: 65.2, y: 130 },
      { x: 74.8, y: 130 },
      { x: 50, y: 95 },
      { x: 90, y: 165 },
    ],
  ],
])('a line with right angles has its label in the middle part: %s', (_, to, path, labelPositions) => {
  expect(createStepPath(from, to)).toEqual({ path, labelPositions })
})

it('a curve has its label on the curve', () => {
  const positions = createCurvedPath(from, right).labelPositions.map(({ x, y }) => [round(x), round(y)])
  expect(positions).toEqual([
    [200, 40],
    [159.38, 33.13],
    [240.63, 46.88],
    [181.65, 36.47],
    [218.35, 43.53],
  ])
})

it('a loop goes around the upper right corner', () => {
  expect(createLoopPath(from)).toEqual({
    path: 'M76 0C76 -40 140 24 100 24',
    labelPositions: [{ x: 120, y: -20 }],
  })
  expect(createLoopPath(from, 10).path).toBe('M76 0C76 -50 150 24 100 24')
})

describe('parallel lines', () => {
  const move = (to: Box, distance: number) => {
    const [first, second] = moveAside(from, to, distance)
    return [
      [first.x - from.x, first.y - from.y],
      [second.x - to.x, second.y - to.y],
    ]
  }

  it.each<[string, Box, number, number[]]>([
    ['to the right', right, 11, [0, 11]],
    ['to the left', left, 11, [0, -11]],
    ['downwards', below, 11, [-11, 0]],
    ['upwards', above, 11, [11, 0]],
    ['to the same place', box(0, 0), 11, [0, 11]],
    ['by at most a third of the height', right, 50, [0, 20]],
    ['by at most a third of the width', above, 50, [33.333333333333336, 0]],
    ['the other way', right, -50, [0, -20]],
    ['by at most a third of the smaller box', box(300, 20, 100, 30), 50, [0, 10]],
    ['by nothing', right, 0, [0, 0]],
  ])('are moved aside: %s', (_, to, distance, [x = 0, y = 0]) => {
    expect(move(to, distance)).toEqual([
      [expect.closeTo(x), expect.closeTo(y)],
      [expect.closeTo(x), expect.closeTo(y)],
    ])
  })
})

it.each([
  [1.005, 1],
  [1.006, 1.01],
  [-1.234, -1.23],
  [2, 2],
])('%d is rounded to %d', (value, rounded) => {
  expect(round(value)).toBe(rounded)
})
