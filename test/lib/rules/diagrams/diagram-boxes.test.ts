import { describe, expect, it } from 'vitest'
import { computeBox, computeViewBox, estimateWidth, parseNumber, wrapText } from '#rules/diagrams/boxes.ts'
import { chooseReadableColour, parseColour } from '#rules/diagrams/colours.ts'
import { createLabelBox, createLabelPlacer, formatLabel } from '#rules/diagrams/edge-labels.ts'
import type { Box } from '#rules/diagrams/edge-paths.ts'
import type { DiagramNode } from '#rules/diagrams/schema.ts'

const box = (x: number, y: number, width = 120, height = 63): Box => ({ x, y, width, height })

describe('the box of a node', () => {
  const compute = (label: string, style?: DiagramNode['style']) => {
    const { width, height } = computeBox({
      id: 'a',
      type: 'x',
      position: { x: 5, y: 6 },
      data: { label },
      ...(style ? { style } : {}),
    })
    return [width, height]
  }

  it('is at the position of the node', () => {
    expect(computeBox({ id: 'a', type: 'x', position: { x: 5, y: 6 }, data: {} })).toEqual(box(5, 6))
  })

  it.each([
    ['a', 120, 63],
    ['x'.repeat(13), 120, 63],
    ['x'.repeat(14), 122, 63],
    ['x'.repeat(22), 178, 63],
    ['x'.repeat(23), 178, 78],
    ['x'.repeat(66), 178, 93],
    ['x'.repeat(67), 185, 93],
    ['服'.repeat(9), 137, 63],
  ])('has room for the label %s', (label, width, height) => {
    expect(compute(label)).toEqual([width, height])
  })

  it.each<[DiagramNode['style'], number, number]>([
    [{ width: 200, height: 100 }, 200, 100],
    [{ width: '200px', height: '99.5' }, 200, 99.5],
    [{ width: 10, height: 10 }, 40, 63],
    [{ width: 5000, height: 5000 }, 1200, 1200],
    [{ width: 'wide', height: null }, 120, 63],
    [{ width: Number.NaN, height: Number.POSITIVE_INFINITY }, 120, 63],
    [{ width: 100.456 }, 100.46, 63],
  ])('has the size of the style %j', (style, width, height) => {
    expect(compute('a', style)).toEqual([width, height])
  })
})

it.each<[unknown, number | undefined]>([
  [1.5, 1.5],
  ['12', 12],
  [' 1.55px ', 1.55],
  ['12345', undefined],
  ['1.555', undefined],
  ['-1', undefined],
  ['1em', undefined],
  ['', undefined],
  [null, undefined],
  [Number.NaN, undefined],
])('parseNumber returns for %j: %s', (value, number) => {
  expect(parseNumber(value)).toBe(number)
})

it('the view box is 40 pixels around all boxes, in whole pixels', () => {
  expect(computeViewBox([])).toEqual(box(0, 0, 400, 200))
  expect(computeViewBox([box(0, 0)])).toEqual(box(-40, -40, 200, 143))
  expect(computeViewBox([box(10.5, 300), box(-20, 0.5), box(100, 50, 300.2, 10)])).toEqual(
    box(-60, -40, 501, 443),
  )
})

it.each<[string, string[]]>([
  ['', ['']],
  ['one two', ['one two']],
  ['abcde fghij', ['abcde', 'fghij']],
  ['abcd efgh', ['abcd efgh']],
  ['abcdefghij', ['abcdefghi', 'j']],
  ['a b c d e f g h', ['a b c d e', 'f g h']],
  ['abcdefghi jklmnopqr s', ['abcdefghi', 'jklmnopqr…']],
  ['😀😀😀😀😀😀😀😀😀', ['😀😀😀😀😀😀😀😀😀']],
  ['😀😀😀😀😀😀😀😀😀😀', ['😀😀😀😀😀😀😀😀😀', '😀']],
])('wrapText breaks %j into two lines of nine characters: %j', (text, lines) => {
  expect(wrapText(text, 9, 2)).toEqual(lines)
})

it.each([
  ['', 0],
  ['ab', 14],
  ['\u2e80', 7],
  ['\u2e81', 12.5],
  ['😀a', 19.5],
])('the width of %j is about %d pixels', (text, width) => {
  expect(estimateWidth(text)).toBe(width)
})

describe('the label of an edge', () => {
  it('is one line of at most 30 characters and an ellipsis', () => {
    expect(formatLabel('a b')).toBe('a b')
    expect(formatLabel('x'.repeat(30))).toBe('x'.repeat(30))
    expect(formatLabel('x'.repeat(31))).toBe(`${'x'.repeat(30)}…`)
  })

  it('has a box around its centre', () => {
    expect(createLabelBox('abc', { x: 100, y: 50 })).toEqual(box(85.5, 41, 29, 18))
    expect(createLabelBox('服', { x: 0, y: 0 })).toEqual(box(-10.5, -9, 21, 18))
  })

  it('takes the first free place', () => {
    const place = createLabelPlacer()
    expect([place([box(0, 0, 10, 18)]), place([box(5, 0, 10, 18), box(10, 0, 10, 18)])]).toEqual([
      box(0, 0, 10, 18),
      box(10, 0, 10, 18),
    ])
    expect(place([box(-10, 0, 10, 18)])).toEqual(box(-10, 0, 10, 18))
  })

  it('is moved below and above its first place when all places are taken', () => {
    const place = createLabelPlacer()
    const ys = Array.from({ length: 6 }, () => place([box(0, 0, 10, 18)]).y)
    expect(ys).toEqual([0, 20, -20, 40, -40, 60])
  })

  it('stays at the last tried place after 40 steps', () => {
    const place = createLabelPlacer()
    const ys = Array.from({ length: 43 }, () => place([box(0, 0, 10, 18)]).y)
    expect(ys.slice(38)).toEqual([-380, 400, -400, -400, -400])
  })
})

it.each<[unknown, string | undefined]>([
  ['#ABC', '#abc'],
  ['#abcd', '#abcd'],
  [' #a1b2c3 ', '#a1b2c3'],
  ['#a1b2c3d4', '#a1b2c3d4'],
  ['#ab', undefined],
  ['#abcde', undefined],
  ['#abcdefg', undefined],
  ['#abcdefabc', undefined],
  ['Red', 'red'],
  ['constructor', undefined],
  ['url(#x)', undefined],
  [5, undefined],
])('parseColour returns for %j: %s', (value, colour) => {
  expect(parseColour(value)).toBe(colour)
})

it.each<[string, string[], string, number, string]>([
  ['the first readable colour', ['#eeeeee', 'red', '#000'], '#ffffff', 3.9, 'red'],
  ['the next one for a higher contrast', ['#eeeeee', 'red', '#111'], '#ffffff', 4.1, '#111'],
  ['a colour with exactly the contrast', ['black'], '#ffffff', 21, 'black'],
  ['white on a dark background', ['#111111'], '#000080', 4.5, '#ffffff'],
  ['black on a light background', ['#eeeeee'], 'white', 4.5, '#000000'],
  ['black on a transparent background', ['#fff'], 'transparent', 4.5, '#000000'],
  ['black on a half transparent black', ['#eeeeee'], '#00000033', 4.5, '#000000'],
  ['no transparent text', ['#00000011'], '#ffffff', 4.5, '#000000'],
  ['a colour of three digits', ['#00f'], '#fff', 8, '#00f'],
  ['a colour of four digits', ['#00ff'], '#fff', 8, '#00ff'],
])('chooseReadableColour returns %s', (_, candidates, background, minContrast, colour) => {
  expect(chooseReadableColour(candidates, background, minContrast)).toBe(colour)
})
