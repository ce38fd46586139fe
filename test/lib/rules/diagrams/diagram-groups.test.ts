import { describe, expect, it } from 'vitest'
import { toDiagramContent } from '#rules/diagrams/compare.ts'
import { parseDrawio } from '#rules/diagrams/drawio.ts'
import { computeBoxes, findGroupIds, fitGroups } from '#rules/diagrams/groups.ts'
import { computePositions } from '#rules/diagrams/layout.ts'
import { type DiagramNode, maxGroupDepth, validateDiagram } from '#rules/diagrams/schema.ts'
import { spreadNodes } from '#rules/diagrams/spread.ts'
import { renderSvg } from '#rules/diagrams/svg.ts'
import { compareVersions } from '#rules/versions/compare.ts'

const node = (id: string, parent_id?: string, fields: Partial<DiagramNode> = {}): DiagramNode => ({
  ...{ id, type: 'network', position: { x: 100, y: 200 }, data: { label: id } },
  ...(parent_id === undefined ? {} : { parent_id }),
  ...fields,
})
const group = (id: string, parent_id?: string, fields: Partial<DiagramNode> = {}) =>
  node(id, parent_id, { type: 'group', ...fields })
const chain = (length: number) =>
  Array.from({ length }, (_, n) => node(`n${n}`, n === 0 ? undefined : `n${n - 1}`))
const listProblems = (nodes: DiagramNode[]) =>
  validateDiagram({ nodes, edges: [] }).map(({ path, message }) => [path.join('.'), message])

describe('the group of a node', () => {
  it('DIA-24 is a node that exists', () => {
    expect(listProblems([node('a', 'x'), node('b', 'a')])).toEqual([
      ['nodes.0.parent_id', 'must be the id of a node in this diagram'],
    ])
  })

  it('DIA-24 is not in a circle', () => {
    const circle = 'must not lead back to the node itself'
    expect(listProblems([node('a', 'a')])).toEqual([['nodes.0.parent_id', circle]])
    expect(listProblems([node('a', 'b'), node('b', 'c'), node('c', 'a'), node('d', 'a')])).toEqual([
      ['nodes.0.parent_id', circle],
      ['nodes.1.parent_id', circle],
      ['nodes.2.parent_id', circle],
      ['nodes.3.parent_id', 'must have at most 20 groups around it'],
    ])
  })

  it('DIA-24 is in at most 19 other groups', () => {
    expect(listProblems(chain(maxGroupDepth + 1))).toEqual([])
    expect(listProblems(chain(maxGroupDepth + 2))).toEqual([
      ['nodes.21.parent_id', 'must have at most 20 groups around it'],
    ])
  })
})

describe('the frame of a group', () => {
  it('DIA-24 is around what is in it, with a title', () => {
    const nodes = [
      node('a', 'g'),
      node('b', 'g', { position: { x: 300, y: 300 } }),
      group('g', 'h'),
      group('h'),
    ]
    const boxes = computeBoxes(nodes)
    expect(boxes.get('g')).toEqual({ x: 80, y: 165, width: 360, height: 218 })
    expect(boxes.get('h')).toEqual({ x: 60, y: 130, width: 400, height: 273 })
    expect([...findGroupIds(nodes)].sort()).toEqual(['g', 'h'])
  })

  it('DIA-24 has its own size if that is larger', () => {
    const size = (width: unknown, height: unknown) =>
      computeBoxes([group('g', undefined, { style: { width, height } })]).get('g')
    expect(size(5000, '60px')).toEqual({ x: 100, y: 200, width: 5000, height: 60 })
    expect(size(1e9, 1)).toEqual({ x: 100, y: 200, width: 100_000, height: 40 })
    expect(size('x', null)).toEqual({ x: 100, y: 200, width: 240, height: 120 })
    const own = { position: { x: 0, y: 0 }, style: { width: 1000, height: 900 } }
    expect(computeBoxes([node('a', 'g'), node('g', undefined, own)]).get('g')).toEqual({
      x: 0,
      y: 0,
      width: 1000,
      height: 900,
    })
  })

  it('DIA-24 is drawn behind what is in it, the outermost first', () => {
    const nodes = [node('a', 'g'), group('g', 'h'), group('h', undefined, { data: { label: 'Site <1>' } })]
    const edges = [{ id: 'e', source: 'a', target: 'h' }]
    const svg = renderSvg('x', { nodes, edges })
    const places = ['>Site &#60;1&#62;<', '>g<', 'fill="none" stroke="#6b7280"', '>a<'].map((text) =>
      svg.indexOf(text),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThan(0)
  })

  it('DIA-24 grows with the distances of what is in it', () => {
    const nodes = [
      group('g', undefined, { style: { width: 200, height: 100 } }),
      node('a', 'g'),
      node('b', 'g', { position: { x: 170, y: 200 } }),
    ]
    const spread = spreadNodes(nodes)
    expect(spread[0]).toMatchObject({ position: { x: 200, y: 400 }, style: { width: 400, height: 200 } })
    expect(fitGroups(spread)[0]).toMatchObject({
      position: { x: 180, y: 365 },
      style: { width: 420, height: 235 },
    })
  })

  it('DIA-24 is above new nodes', () => {
    const existing = [group('g', undefined, { style: { width: 200, height: 900 } })]
    expect(computePositions(['a'], [], existing).get('a')).toEqual({ x: 100, y: 1200 })
  })

  it('DIA-24 is compared: a node that moves to another group is moved', () => {
    const content = (nodes: DiagramNode[]) =>
      toDiagramContent({ name: 'x', description: '', client_name: null, asset_name: null, nodes, edges: [] })
    const { items } = compareVersions(content([node('a', 'g'), group('g')]), content([node('a'), group('g')]))
    expect(
      items.map(({ id, moved, fields, position_before, position_after }) => [
        id,
        moved,
        fields,
        position_before,
        position_after,
      ]),
    ).toEqual([['a', true, [], { parent_id: 'g', index: 0 }, { parent_id: null, index: 0 }]])
  })
})

describe('a group of a draw.io file', () => {
  const shape = (id: string, parent: string, geometry: string, style = '', label = id) =>
    `<mxCell id="${id}" value="${label}" style="${style}" vertex="1" parent="${parent}"><mxGeometry ${geometry}/></mxCell>`
  const at = (x: number, y: number, width: number, height: number) =>
    `x="${x}" y="${y}" width="${width}" height="${height}"`
  const parse = (...cells: string[]) =>
    parseDrawio(
      `<mxfile><diagram><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>${cells.join('')}</root></mxGraphModel></diagram></mxfile>`,
      1,
    )
  const listParents = (nodes: readonly DiagramNode[]) =>
    Object.fromEntries(nodes.map(({ id, parent_id }) => [id, parent_id ?? null]))

  it('DIA-24 keeps its lines, its colours and its size', async () => {
    const { nodes, edges } = await parse(
      shape('g', '1', at(0, 0, 800, 600), 'swimlane;fillColor=#FFAA00;strokeColor=#00ff00'),
      shape('a', 'g', at(100, 100, 120, 60)),
      shape('b', '1', at(1000, 100, 120, 60)),
      '<mxCell id="e" edge="1" parent="1" source="b" target="g"/>',
    )
    const style = { backgroundColor: '#ffaa00', borderColor: '#00ff00', width: 800, height: 600 }
    expect(nodes[0]).toEqual({
      id: 'g',
      type: 'group',
      position: { x: 0, y: 0 },
      style,
      data: { label: 'g' },
    })
    expect([listParents(nodes), edges]).toEqual([
      { g: null, a: 'g', b: null },
      [{ id: 'e', source: 'b', target: 'g', routing: 'straight' }],
    ])
  })

  it('DIA-24 without a label, a border and a line is left out, and named', async () => {
    const { nodes, skipped } = await parse(
      shape('i', '1', at(0, 0, 400, 300), 'group', ''),
      shape('j', '1', at(0, 400, 400, 300), 'strokeColor=none;html=1;fillColor=none', ''),
      shape('k', '1', at(0, 800, 400, 300), 'dashed=1', ''),
      shape('a', 'i', at(10, 10, 100, 50)),
      shape('b', 'j', at(10, 10, 100, 50)),
      shape('c', 'k', at(10, 10, 100, 50)),
    )
    expect([listParents(nodes), nodes[0]?.data.label]).toEqual([
      { k: null, a: null, b: null, c: 'k' },
      'Group',
    ])
    expect(skipped).toEqual(
      ['i', 'j'].map((id) => `Group without a label (${id}): only its content is imported`),
    )
  })

  it('DIA-24 is the one that stores a shape, otherwise the smallest around it, never a circle', async () => {
    const { nodes } = await parse(
      shape('site', '1', at(0, 0, 1000, 1000)),
      shape('rack', '1', at(10, 10, 500, 500)),
      shape('a', '1', at(20, 20, 100, 50)),
      shape('b', 'site', at(30, 100, 100, 50)),
      shape('outside', 'rack', at(900, 2000, 100, 50)),
      shape('huge', 'small', at(-100, -100, 3000, 3000)),
      shape('small', '1', at(5000, 5000, 100, 100)),
    )
    expect(listParents(nodes)).toEqual({
      site: null,
      rack: 'site',
      a: 'rack',
      b: 'site',
      outside: 'rack',
      huge: 'small',
      small: null,
    })
    const circle = await parse(shape('p', 'q', at(0, 0, 900, 900)), shape('q', 'p', at(0, 0, 800, 800)))
    expect(listParents(circle.nodes)).toEqual({ p: 'q', q: null })
  })

  it('DIA-24 whose id a node must not have is left out, and its content stays', async () => {
    const id = 'x'.repeat(101)
    const { nodes, skipped } = await parse(
      shape(id, '1', at(0, 0, 900, 900), '', 'Long'),
      shape('a', id, at(10, 10, 100, 50)),
    )
    expect([listParents(nodes), skipped]).toEqual([
      { a: null },
      ['Shape “Long”: its id is missing, too long or used twice'],
    ])
  })

  it('DIA-24 is refused when it has more than 19 groups around it', async () => {
    const nest = (depth: number) =>
      Array.from({ length: depth }, (_, n) => shape(`n${n}`, n === 0 ? '1' : `n${n - 1}`, at(0, 0, 100, 50)))
    expect((await parse(...nest(maxGroupDepth + 1))).nodes).toHaveLength(maxGroupDepth + 1)
    await expect(parse(...nest(maxGroupDepth + 2))).rejects.toThrow(
      'The diagram has more than 20 levels of groups',
    )
  })
})
