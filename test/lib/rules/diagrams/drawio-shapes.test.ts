import { describe, expect, it } from 'vitest'
import type { Cell } from '#rules/diagrams/drawio-cells.ts'
import { analyseShapes } from '#rules/diagrams/drawio-shapes.ts'

const createCell = (id: string, fields: Partial<Cell> = {}): Cell => ({
  ...{
    id,
    kind: 'vertex',
    label: id,
    style: 'shape=mxgraph.cisco.routers.router',
    parent: '1',
    source: '',
    target: '',
    ends: {},
    turns: [],
  },
  ...{ x: 0, y: 0, width: 30, height: 10, isVisible: true, data: null, ...fields },
})
/** Return the role of each shape. */
const listRoles = (...cells: Cell[]) =>
  cells.filter(({ kind }) => kind === 'vertex').map((cell) => analyseShapes(cells).getRole(cell))

describe('a shape', () => {
  // The inner shape is 10 by 10 at (10, 10).
  it.each<[string, Partial<Cell>, string[]]>([
    ['has exactly three times its size', { x: 0, y: 10, width: 30, height: 10 }, ['group', 'device']],
    ['is smaller than three times its size', { x: 0, y: 10, width: 29, height: 10 }, ['device', 'device']],
    ['starts at its left border', { x: 10, y: 0, width: 30, height: 30 }, ['group', 'device']],
    ['starts after its left border', { x: 11, y: 0, width: 30, height: 30 }, ['device', 'device']],
    ['starts at its upper border', { x: 0, y: 10, width: 30, height: 30 }, ['group', 'device']],
    ['starts after its upper border', { x: 0, y: 11, width: 30, height: 30 }, ['device', 'device']],
    ['ends at its right border', { x: -10, y: 0, width: 30, height: 30 }, ['group', 'device']],
    ['ends before its right border', { x: -11, y: 0, width: 30, height: 30 }, ['device', 'device']],
    ['ends at its lower border', { x: 0, y: -10, width: 30, height: 30 }, ['group', 'device']],
    ['ends before its lower border', { x: 0, y: -11, width: 30, height: 30 }, ['device', 'device']],
  ])('is a group around another one if it %s', (_, fields, roles) => {
    expect(
      listRoles(createCell('outer', fields), createCell('inner', { x: 10, y: 10, width: 10, height: 10 })),
    ).toEqual(roles)
  })

  const large = { width: 100, height: 100 }
  const plain = { label: '', style: '' }
  it.each<[string, Cell[], string[]]>([
    [
      'a label around one without a label',
      [createCell('a', large), createCell('b', { label: '' })],
      ['device', 'part'],
    ],
    [
      'no label around one without a label',
      [createCell('a', { ...large, label: '' }), createCell('b', { label: '' })],
      ['group', 'device'],
    ],
    [
      'no label around one with a label',
      [createCell('a', { ...large, label: '' }), createCell('b')],
      ['group', 'device'],
    ],
    [
      'a parent with a label',
      [createCell('a', { width: 1, height: 1 }), createCell('b', { parent: 'a', x: 50 })],
      ['group', 'device'],
    ],
    [
      'a parent that is a container',
      [
        createCell('a', { width: 1, height: 1, style: 'swimlane' }),
        createCell('b', { parent: 'a', label: '', x: 50 }),
      ],
      ['group', 'device'],
    ],
    ['a container without content', [createCell('a', { style: 'rounded=1;container=1' })], ['device']],
    ['a plain shape', [createCell('a', plain)], ['decoration']],
    [
      'a plain shape with a line',
      [
        createCell('a', plain),
        createCell('b', plain),
        createCell('l', { kind: 'edge', label: '', source: 'a' }),
      ],
      ['device', 'decoration'],
    ],
    ['a text', [createCell('a', { style: 'text;html=1' })], ['text']],
    [
      'a label of a line',
      [createCell('l', { kind: 'edge', style: '', label: '' }), createCell('a', { parent: 'l' })],
      ['edge label'],
    ],
  ])('has its role: %s', (_, cells, roles) => {
    expect(listRoles(...cells)).toEqual(roles)
  })

  it('that is a part of a device leads its lines to the device', () => {
    const roles = analyseShapes([
      createCell('a', large),
      createCell('b', { label: '' }),
      createCell('c', { x: 500 }),
    ])
    expect(['a', 'b', 'c', 'x'].map(roles.getDeviceId)).toEqual(['a', 'a', 'c', 'x'])
  })

  it('in a group has a position on the page', () => {
    const inner = createCell('b', { parent: 'a', x: 5, y: 7 })
    expect(analyseShapes([createCell('a', { x: 100, y: 200 }), inner]).getBox(inner)).toMatchObject({
      x: 105,
      y: 207,
    })
  })
})
