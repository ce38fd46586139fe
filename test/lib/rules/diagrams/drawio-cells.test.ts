import { describe, expect, it } from 'vitest'
import { createBudget } from '#rules/budget.ts'
import { parseDrawio } from '#rules/diagrams/drawio.ts'
import { DrawioError, parseXml } from '#rules/diagrams/drawio-cells.ts'

const parse = (root: string) =>
  parseXml(`<mxfile><diagram name=" Site "><mxGraphModel><root>${root}</root></mxGraphModel></diagram></mxfile>`, createBudget())
const cell = {
  ...{ id: 'a', parent: '', label: '', style: '', kind: 'other', source: '', target: '' },
  ...{ x: 0, y: 0, width: 120, height: 60 },
}

describe('the cells of a draw.io file', () => {
  it.each<[string, string, object]>([
    ['a cell without attributes', '<mxCell/>', { ...cell, id: '' }],
    [
      'a vertex',
      '<mxCell id="a" vertex="1" value="A" style="s" parent="p"/>',
      { ...cell, kind: 'vertex', label: 'A', style: 's', parent: 'p' },
    ],
    ['no vertex', '<mxCell id="a" vertex="0"/>', cell],
    ['an edge', '<mxCell id="a" edge="1" source="b" target="c"/>', { ...cell, kind: 'edge', source: 'b', target: 'c' }],
    [
      'a geometry',
      '<mxCell id="a"><mxGeometry x="1" y="-2" width="30" height="40"/></mxCell>',
      { ...cell, x: 1, y: -2, width: 30, height: 40 },
    ],
    ['a geometry without a size', '<mxCell id="a"><mxGeometry x="1"/></mxCell>', { ...cell, x: 1 }],
    ['a geometry outside of a cell', '<mxCell id="a"/><mxGeometry x="9"/>', cell],
    ['a wrapped cell', '<object id="w" label="W"><mxCell id="a" value="V"/></object>', { ...cell, id: 'w', label: 'W' }],
    ['a cell in a user object', '<UserObject id="w"><mxCell id="a" value="V"/></UserObject>', { ...cell, id: 'w' }],
    ['a cell in an object without an id', '<object label="W"><mxCell id="a"/></object>', { ...cell, id: '', label: 'W' }],
    ['a cell after an empty object', '<object id="w" label="W"/><mxCell id="a"/>', cell],
  ])('are read: %s', (_, xml, expected) => {
    expect(parse(xml)).toEqual({ pages: [{ name: 'Site', text: '' }], cells: [expected] })
  })

  it('take the id and the label of an object for its first cell only', () => {
    const { cells } = parse('<object id="w" label="W"><mxCell id="a"/><mxCell id="b"/></object>')
    expect(cells.map(({ id, label }) => [id, label])).toEqual([
      ['w', 'W'],
      ['b', ''],
    ])
  })

  it.each([
    ['&lt;b&gt;A&lt;/b&gt; &lt;br&gt;B', 'A B'],
    ['&amp;amp;&amp;lt;&amp;gt;&amp;quot;&amp;nbsp;&amp;#39;x', '&<>" \'x'],
    ['&amp;copy;', '&copy;'],
    ['x'.repeat(300), 'x'.repeat(300)],
    ['x'.repeat(301), 'x'.repeat(300)],
    [`${'x'.repeat(299)}😀`, `${'x'.repeat(299)}\ufffd`],
  ])('have labels of one line: %s', (value, label) => {
    expect(parse(`<mxCell id="a" value="${value}"/>`).cells[0]?.label).toBe(label)
  })

  it('are those of the first page', () => {
    const file = '<mxfile><diagram name=" "><mxCell id="a"/></diagram><diagram name="B">text<mxCell id="b"/></diagram></mxfile>'
    expect(parseXml(file, createBudget())).toEqual({
      pages: [
        { name: null, text: '' },
        { name: 'B', text: '' },
      ],
      cells: [{ ...cell, id: 'a' }],
    })
  })

  it('are missing for a compressed page, whose text is returned', () => {
    expect(parseXml('<mxfile><diagram>abc</diagram><diagram>def</diagram></mxfile>', createBudget())).toEqual({
      pages: [
        { name: null, text: 'abc' },
        { name: null, text: '' },
      ],
      cells: [],
    })
  })

  it('are at most 20,000', () => {
    expect(parse('<mxCell/>'.repeat(20_000)).cells).toHaveLength(20_000)
    expect(() => parse('<mxCell/>'.repeat(20_001))).toThrow(new DrawioError('The file has more than 20,000 cells'))
  })

  it('are nested at most 100 levels deep', () => {
    const nest = (depth: number) => parseXml(`${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`, createBudget())
    expect(nest(100)).toEqual({ pages: [], cells: [] })
    expect(() => nest(101)).toThrow(new DrawioError('The file is nested too deeply'))
  })
})

describe('a draw.io file', () => {
  const shape = (id: string, style: string, x: number, size = 120) =>
    `<mxCell id="${id}" value="${id}" vertex="1" style="${style}"><mxGeometry x="${x}" y="0" width="${size}" height="80"/></mxCell>`
  const router = 'shape=mxgraph.cisco.routers.router'

  it('may have cells without a page, and no name', async () => {
    const { name, nodes } = await parseDrawio(`<mxGraphModel><root>${shape('a', router, 0)}</root></mxGraphModel>`, createBudget())
    expect([name, nodes.map(({ id }) => id)]).toEqual([null, ['a']])
  })

  it.each([
    ['fillColor=#FFAA00;strokeColor=#00ff00', { backgroundColor: '#ffaa00', borderColor: '#00ff00' }],
    ['strokeColor=#00FF00', { borderColor: '#00ff00' }],
    ['fillColor=none', undefined],
    ['xfillColor=#ffaa00', undefined],
  ])('has the colours of the style %s', async (style, expected) => {
    const { nodes } = await parseDrawio(`<mxfile><diagram>${shape('a', `${router};${style}`, 0)}</diagram></mxfile>`, createBudget())
    expect(nodes.map((node) => node.style)).toEqual([expected])
  })

  it.each([
    ['', false],
    [' a', false],
    ['a ', false],
    ['x'.repeat(100), true],
    ['x'.repeat(101), false],
  ])('imports a shape with the id %j: %s', async (id, isImported) => {
    const { nodes } = await parseDrawio(`<mxfile><diagram>${shape(id, router, 0)}</diagram></mxfile>`, createBudget())
    expect(nodes.map((node) => node.id)).toEqual(isImported ? [id] : [])
  })

  it('has at most 2,000 shapes', async () => {
    const create = (count: number) =>
      `<mxfile><diagram>${Array.from({ length: count }, (_, n) => shape(`n${n}`, 'rounded=1', n * 200).replace(/value="[^"]*"/, '')).join('')}</diagram></mxfile>`
    expect((await parseDrawio(create(2000), createBudget())).nodes).toEqual([])
    await expect(parseDrawio(create(2001), createBudget())).rejects.toThrow(
      new DrawioError('The diagram has 2001 shapes; at most 2000 are allowed'),
    )
  })

  it.each([
    [360, ['inner']],
    [359, ['inner', 'outer']],
  ])('has a group where a shape of the width %i is three times as large as one in it', async (width, ids) => {
    const { nodes } = await parseDrawio(
      `<mxfile><diagram>${shape('inner', router, 0)}${shape('outer', router, 0, width)}</diagram></mxfile>`,
      createBudget(),
    )
    expect(nodes.map(({ id }) => id)).toEqual(ids)
  })
})
