import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseDrawio } from '#rules/diagrams/drawio.ts'
import { readCells } from '#rules/diagrams/drawio-cells.ts'
import { DiagramFileError } from '#rules/diagrams/file-error.ts'

const parse = (root: string) =>
  readCells(
    `<mxfile><diagram name=" Site "><mxGraphModel><root>${root}</root></mxGraphModel></diagram></mxfile>`,
    1,
  )
const cell = {
  ...{ id: 'a', parent: '', label: '', style: '', kind: 'other', source: '', target: '' },
  ...{ x: 0, y: 0, width: 120, height: 60, isVisible: true, data: null, ends: {}, turns: [] },
}
/** A cell in an element with these attributes. */
const wrap = (data: Record<string, string>) => ({ ...cell, id: data.id ?? '', label: data.label ?? '', data })

describe('the cells of a draw.io file', () => {
  it.each<[string, string, object]>([
    ['a cell without attributes', '<mxCell/>', { ...cell, id: '' }],
    [
      'a vertex',
      '<mxCell id="a" vertex="1" value="A" style="s" parent="p"/>',
      { ...cell, kind: 'vertex', label: 'A', style: 's', parent: 'p' },
    ],
    ['no vertex', '<mxCell id="a" vertex="0"/>', cell],
    [
      'an edge',
      '<mxCell id="a" edge="1" source="b" target="c"/>',
      { ...cell, kind: 'edge', source: 'b', target: 'c' },
    ],
    [
      'a geometry',
      '<mxCell id="a"><mxGeometry x="1" y="-2" width="30" height="40"/></mxCell>',
      { ...cell, x: 1, y: -2, width: 30, height: 40 },
    ],
    ['a geometry without a size', '<mxCell id="a"><mxGeometry x="1"/></mxCell>', { ...cell, x: 1 }],
    ['a geometry outside of a cell', '<mxCell id="a"/><mxGeometry x="9"/>', cell],
    [
      'a wrapped cell',
      '<object id="w" label="W"><mxCell id="a" value="V"/></object>',
      wrap({ id: 'w', label: 'W' }),
    ],
    [
      'a cell in a user object',
      '<UserObject id="w"><mxCell id="a" value="V"/></UserObject>',
      wrap({ id: 'w' }),
    ],
    ['a hidden cell', '<mxCell id="a" visible="0"/>', { ...cell, isVisible: false }],
    ['a shown cell', '<mxCell id="a" visible="1"/>', cell],
    [
      'a cell in an object without an id',
      '<object label="W"><mxCell id="a"/></object>',
      wrap({ label: 'W' }),
    ],
    ['a cell after an empty object', '<object id="w" label="W"/><mxCell id="a"/>', cell],
  ])('are read: %s', async (_, xml, expected) => {
    const { pages, cells } = await parse(xml)
    expect([pages, cells]).toEqual([['Site'], [expected]])
  })

  it('take the id and the label of an object for its first cell only', async () => {
    const { cells } = await parse('<object id="w" label="W"><mxCell id="a"/><mxCell id="b"/></object>')
    expect(cells.map(({ id, label }) => [id, label])).toEqual([
      ['w', 'W'],
      ['b', ''],
    ])
  })

  it('are those of the first page, plain or compressed', async () => {
    const first = '<mxCell id="a"/>'
    for (const page of [
      first,
      deflateRawSync(encodeURIComponent(`<root>${first}</root>`)).toString('base64'),
    ]) {
      const file = `<mxfile><diagram name=" ">${page}</diagram><diagram name="B\n 2">text<mxCell id="b"/></diagram></mxfile>`
      const { pages, cells } = await readCells(file, 1)
      expect([pages, cells.map(({ id }) => id)]).toEqual([[null, 'B 2'], ['a']])
    }
  })

  it('are at most 20,000', async () => {
    expect((await parse('<mxCell/>'.repeat(20_000))).cells).toHaveLength(20_000)
    await expect(parse('<mxCell/>'.repeat(20_001))).rejects.toThrow(
      new DiagramFileError('The file has more than 20,000 cells'),
    )
  })

  it('are nested at most 100 levels deep', async () => {
    const nest = (depth: number) => readCells(`${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`, 1)
    expect(await nest(100)).toEqual({ pages: [], page: 0, cells: [] })
    await expect(nest(101)).rejects.toThrow(new DiagramFileError('The file is nested too deeply'))
  })
})

describe('a draw.io file', () => {
  const shape = (id: string, style: string, x: number, size = 120) =>
    `<mxCell id="${id}" value="${id}" vertex="1" style="${style}"><mxGeometry x="${x}" y="0" width="${size}" height="80"/></mxCell>`
  const router = 'shape=mxgraph.cisco.routers.router'

  it('may have cells without a page, and no name', async () => {
    const { name, nodes } = await parseDrawio(
      `<mxGraphModel><root>${shape('a', router, 0)}</root></mxGraphModel>`,
      1,
    )
    expect([name, nodes.map(({ id }) => id)]).toEqual([null, ['a']])
  })

  it.each([
    ['fillColor=#FFAA00;strokeColor=#00ff00', { backgroundColor: '#ffaa00', borderColor: '#00ff00' }],
    ['strokeColor=#00FF00', { borderColor: '#00ff00' }],
    ['fillColor=none', undefined],
    ['xfillColor=#ffaa00', undefined],
  ])('has the colours of the style %s', async (style, expected) => {
    const { nodes } = await parseDrawio(
      `<mxfile><diagram>${shape('a', `${router};${style}`, 0)}</diagram></mxfile>`,
      1,
    )
    expect(nodes.map((node) => node.style)).toEqual([expected])
  })

  it.each([
    ['', false],
    [' a', false],
    ['a ', false],
    ['x'.repeat(100), true],
    ['x'.repeat(101), false],
  ])('imports a shape with the id %j: %s', async (id, isImported) => {
    const { nodes } = await parseDrawio(`<mxfile><diagram>${shape(id, router, 0)}</diagram></mxfile>`, 1)
    expect(nodes.map((node) => node.id)).toEqual(isImported ? [id] : [])
  })

  it('has at most 2,000 shapes', async () => {
    const create = (count: number) =>
      `<mxfile><diagram>${Array.from({ length: count }, (_, n) => shape(`n${n}`, 'rounded=1', n * 200).replace(/value="[^"]*"/, '')).join('')}</diagram></mxfile>`
    expect((await parseDrawio(create(2000), 1)).nodes).toEqual([])
    await expect(parseDrawio(create(2001), 1)).rejects.toThrow(
      new DiagramFileError('The diagram has 2001 shapes; at most 2000 are allowed'),
    )
  })

  it.each([
    [360, 'outer'],
    [359, undefined],
  ])(
    'has a group where a shape of the width %i is three times as large as one in it',
    async (width, parentId) => {
      const { nodes } = await parseDrawio(
        `<mxfile><diagram>${shape('inner', router, 0)}${shape('outer', router, 0, width)}</diagram></mxfile>`,
        1,
      )
      expect(nodes.map(({ parent_id }) => parent_id)).toEqual([parentId, undefined])
    },
  )
})
