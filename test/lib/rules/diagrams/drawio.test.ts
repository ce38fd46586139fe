import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseDrawio } from '#rules/diagrams/drawio.ts'
import type { PageChoice } from '#rules/diagrams/drawio-cells.ts'
import { DiagramFileError } from '#rules/diagrams/file-error.ts'
import { type DiagramNode, diagramLimits } from '#rules/diagrams/schema.ts'
import { spreadNodes } from '#rules/diagrams/spread.ts'

const createShape = (id: string, attributes = '', geometry = 'x="0" y="0" width="120" height="80"') =>
  `<mxCell id="${id}" vertex="1" ${/value=/.test(attributes) ? '' : `value="${id}"`} ${/style=/.test(attributes) ? '' : 'style="shape=mxgraph.cisco.routers.router"'} ${attributes}><mxGeometry ${geometry}/></mxCell>`
const createLine = (id: string, source: string, target: string, attributes = '') =>
  `<mxCell id="${id}" edge="1" source="${source}" target="${target}" ${attributes}/>`
const createFile = (...cells: string[]) =>
  `<mxfile><diagram name="Site"><mxGraphModel><root>${cells.join('')}</root></mxGraphModel></diagram></mxfile>`
const findError = (content: string, page: PageChoice = 1) =>
  parseDrawio(content, page).then(
    () => null,
    (error: unknown) => (error instanceof DiagramFileError ? error.message : error),
  )

describe('parseDrawio', () => {
  it('names the shapes and lines that it skips', async () => {
    const { nodes, edges, skipped } = await parseDrawio(
      createFile(
        createShape('a'),
        createShape('a', '', 'x="400" y="0"'),
        createShape('b', '', 'x="800" y="0"'),
        createShape('x'.repeat(100), '', 'x="0" y="400"'),
        createShape('y'.repeat(101), 'value="Long"', 'x="0" y="800"'),
        createLine('l', 'a', 'b'),
        createLine('l', 'a', 'b', 'value="twice"'),
        createLine('m', 'a', 'c'),
      ),
      1,
    )
    expect(nodes.map(({ id }) => id)).toEqual(['a', 'b', 'x'.repeat(100)])
    expect(edges).toEqual([{ id: 'l', source: 'a', target: 'b', routing: 'straight' }])
    expect(skipped).toEqual([
      'Shape “a”: its id is missing, too long or used twice',
      'Shape “Long”: its id is missing, too long or used twice',
      'Line “twice”: its id is missing, too long or used twice',
      'Line (m): it does not connect two imported shapes',
    ])
  })

  it('lists 100 skipped parts, and counts the others', async () => {
    const readSkipped = async (count: number) =>
      (
        await parseDrawio(
          createFile(
            createShape('a'),
            ...Array.from({ length: count }, (_, n) => createLine(`l${n}`, 'a', 'c')),
          ),
          1,
        )
      ).skipped
    expect(await readSkipped(100)).toHaveLength(100)
    expect((await readSkipped(1101)).slice(99)).toEqual([
      'Line (l99): it does not connect two imported shapes',
      '1,001 more parts',
    ])
  })

  it('DIA-25 imports the chosen page, and names the others', async () => {
    const compressed = deflateRawSync(encodeURIComponent(`<root>${createShape('c')}</root>`)).toString(
      'base64',
    )
    const file = `<mxfile><diagram>${createShape('a')}</diagram><diagram name="B">${createShape('b')}</diagram><diagram name="2">${compressed}</diagram></mxfile>`
    const read = async (page: PageChoice) => {
      const { name, nodes, skipped } = await parseDrawio(file, page)
      return [name, nodes.map(({ id }) => id).join(), ...skipped.map((text) => text.split(':')[0])]
    }
    expect(await read(1)).toEqual([null, 'a', 'Page “B”', 'Page “2”'])
    expect(await read(2)).toEqual(['B', 'b', 'Page 1', 'Page “2”'])
    expect(await read('B')).toEqual(['B', 'b', 'Page 1', 'Page “2”'])
    expect(await read('2')).toEqual(['2', 'c', 'Page 1', 'Page “B”'])
  })

  it('DIA-25 refuses a page that the file does not have, with those that it has', async () => {
    const file = `<mxfile><diagram/><diagram name="B"/>${'<diagram name="C"/>'.repeat(30)}</mxfile>`
    const names = `1, “B”, ${Array(18).fill('“C”').join(', ')} and 12 more`
    expect(await findError(file, 33)).toBe(`The file has no page 33; its pages are ${names}`)
    expect(await findError(file, 'b')).toBe(`The file has no page “b”; its pages are ${names}`)
    expect(await findError('<mxGraphModel/>', 2)).toBe(
      'The file has no page 2; it has one page, without a name',
    )
  })

  it.each([
    ['a style without a routing', '', 'straight'],
    ['a curved line', 'style="curved=1;edgeStyle=orthogonalEdgeStyle"', 'curved'],
    ['a line with right angles', 'style="edgeStyle=orthogonalEdgeStyle"', 'step'],
    ['an elbow', 'style="edgeStyle=elbowEdgeStyle"', 'step'],
  ])('reads the routing of %s', async (_, attributes, routing) => {
    const { edges } = await parseDrawio(
      createFile(createShape('a'), createShape('b', '', 'x="400"'), createLine('l', 'a', 'b', attributes)),
      1,
    )
    expect(edges.map((edge) => edge.routing)).toEqual([routing])
  })

  it.each([
    ['shape=mxgraph.cisco.switches.layer_3_switch', 'Layer 3 switch'],
    ['image=img/lib/azure2/networking/Load_Balancers.svg', 'Load Balancers'],
    ['image=data:image/png,abc', 'Device'],
    ['shape=mxgraph.cisco.x.router_12', 'Router'],
  ])('names a shape without a label by the path %s: %s', async (style, label) => {
    const { nodes } = await parseDrawio(createFile(createShape('a', `value="" style="${style}"`)), 1)
    expect(nodes.map(({ data }) => data?.label)).toEqual([label])
  })

  it('reads colours in lower case, and ignores other ones', async () => {
    const style = 'style="shape=mxgraph.cisco.routers.router;fillColor=#FFAA00;strokeColor=red"'
    const { nodes } = await parseDrawio(createFile(createShape('a', style)), 1)
    expect(nodes[0]?.style).toEqual({ backgroundColor: '#ffaa00' })
  })

  it('reads a label as one line of at most 300 characters without HTML', async () => {
    const label = `style="shape=mxgraph.cisco.routers.router;html=1" value="&lt;b&gt;A &amp;amp; B&lt;/b&gt;&lt;br&gt;${'x'.repeat(300)}"`
    const { nodes } = await parseDrawio(createFile(createShape('a', label)), 1)
    expect(nodes[0]?.data?.label).toBe(`A & B ${'x'.repeat(294)}`)
  })

  it('limits coordinates to a million, and ignores those that are no number', async () => {
    const { nodes } = await parseDrawio(
      createFile(createShape('a', '', 'x="2000000" y="-2000000"'), createShape('b', '', 'x="NaN" y="7"')),
      1,
    )
    expect(nodes.map(({ position }) => position)).toEqual([
      { x: 1_000_000, y: -1_000_000 },
      { x: 0, y: 7 },
    ])
  })

  it.each([
    ['<mxfile/>', 'The file contains no diagram'],
    [
      '<mxfile><diagram>!</diagram></mxfile>',
      'The compressed diagram cannot be decompressed, or is too large',
    ],
    [
      '<mxfile><diagram>AAAA</diagram></mxfile>',
      'The compressed diagram cannot be decompressed, or is too large',
    ],
  ])('refuses %s: %s', async (content, message) => {
    expect(await findError(content)).toBe(message)
  })

  it('refuses more nodes or lines than a diagram may have', async () => {
    const { maxNodes, maxEdges } = diagramLimits
    const shapes = Array.from({ length: maxNodes + 1 }, (_, n) =>
      createShape(`n${n}`, '', `x="${(n % 40) * 400}" y="${Math.floor(n / 40) * 400}"`),
    )
    expect(await findError(createFile(...shapes))).toBe(
      `The diagram has ${maxNodes + 1} nodes; at most ${maxNodes} are allowed`,
    )
    expect(await findError(createFile(...shapes.slice(1)))).toBe(null)
    const lines = Array.from({ length: maxEdges + 1 }, (_, n) => createLine(`l${n}`, 'a', 'a'))
    expect(await findError(createFile(createShape('a'), ...lines))).toBe(
      `The diagram has ${maxEdges + 1} edges; at most ${maxEdges} are allowed`,
    )
    expect(await findError(createFile(createShape('a'), ...lines.slice(1)))).toBe(null)
  })
})

describe('spreadNodes', () => {
  const spread = (...places: [x: number, y: number][]) =>
    spreadNodes(
      places.map(
        ([x, y], index): DiagramNode =>
          ({ id: `${index}`, type: 'other', position: { x, y }, data: { label: 'A' } }) as DiagramNode,
      ),
    ).map(({ position }) => [position.x, position.y])

  it.each([
    [
      'boxes that touch stay',
      [
        [0, 0],
        [120, 0],
      ],
      [
        [0, 0],
        [120, 0],
      ],
    ],
    [
      'boxes that touch below each other stay',
      [
        [0, 0],
        [0, 63],
      ],
      [
        [0, 0],
        [0, 63],
      ],
    ],
    [
      'boxes that overlap get 20 pixels of space',
      [
        [0, 0],
        [70, 0],
      ],
      [
        [0, 0],
        [140, 0],
      ],
    ],
    [
      'boxes below each other get 20 pixels of space',
      [
        [0, 0],
        [0, 50],
      ],
      [
        [0, 0],
        [0, 83],
      ],
    ],
    [
      'boxes at the same place stay',
      [
        [5, 5],
        [5, 5],
      ],
      [
        [5, 5],
        [5, 5],
      ],
    ],
    [
      'distances grow at most six times',
      [
        [0, 0],
        [10, 0],
      ],
      [
        [0, 0],
        [60, 0],
      ],
    ],
    [
      'the smaller factor is used',
      [
        [0, 0],
        [70, 10],
      ],
      [
        [0, 0],
        [140, 20],
      ],
    ],
    [
      'the order of the boxes has no meaning',
      [
        [70, 10],
        [0, 0],
      ],
      [
        [140, 20],
        [0, 0],
      ],
    ],
    [
      'coordinates stay within a million',
      [
        [900_000, -900_000],
        [900_070, -900_000],
      ],
      [
        [1_000_000, -1_000_000],
        [1_000_000, -1_000_000],
      ],
    ],
  ] as [string, [number, number][], [number, number][]][])('%s', (_, places, result) => {
    expect(spread(...places)).toEqual(result)
  })
})
