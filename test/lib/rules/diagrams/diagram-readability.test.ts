import { expect, it } from 'vitest'
import { parseDrawio } from '#rules/diagrams/drawio.ts'
import { computePositions } from '#rules/diagrams/layout.ts'
import { DiagramEdge, DiagramNode } from '#rules/diagrams/schema.ts'
import { renderSvg } from '#rules/diagrams/svg.ts'

const shape = (id: string, label: string, geometry: string, { style = '', parent = '1' } = {}) =>
  `<mxCell id="${id}" value="${label}" style="${style}" vertex="1" parent="${parent}"><mxGeometry ${geometry}/></mxCell>`
const line = (id: string, source: string, target: string) =>
  `<mxCell id="${id}" edge="1" parent="1" source="${source}" target="${target}"><mxGeometry/></mxCell>`
const parse = (...cells: string[]) =>
  parseDrawio(
    `<mxfile><diagram><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>${cells.join('')}</root></mxGraphModel></diagram></mxfile>`,
    1,
  )
const listLabels = (nodes: readonly DiagramNode[]) => nodes.map(({ data }) => data.label)
const at = (x: number, y: number, width: number, height: number) =>
  `x="${x}" y="${y}" width="${width}" height="${height}"`

it('DIA-17 labels a shape without a label after its kind, never with its id', async () => {
  const { nodes } = await parse(
    shape('qX7-a1', '', at(0, 0, 60, 60), { style: 'shape=mxgraph.cisco.routers.router;fillColor=#ffffff' }),
    shape('qX7-a2', '', at(300, 0, 60, 60), { style: 'image;image=img/lib/active_directory/laptop_1.svg' }),
    shape('qX7-a3', '', at(600, 0, 60, 60), { style: 'rounded=1' }),
    line('e1', 'qX7-a1', 'qX7-a3'),
  )
  expect(listLabels(nodes)).toEqual(['Router', 'Laptop', 'Device'])
})

it('DIA-17 leaves out shapes that are only decoration, and names them', async () => {
  const { nodes, skipped } = await parse(
    shape('a', '', at(0, 0, 60, 60)),
    shape('b', 'SRV', at(200, 0, 60, 60)),
  )
  expect([listLabels(nodes), skipped]).toEqual([
    ['SRV'],
    ['Shape without a label (a): it is no device and has no line'],
  ])
})

it('DIA-24 imports sites and containers as groups around what is in them', async () => {
  const { nodes, skipped } = await parse(
    shape('site', 'Site North', at(0, 0, 800, 500)),
    shape('rack', 'Rack 1', at(20, 20, 300, 400)),
    shape('srv', 'SRV-1', at(40, 40, 120, 60)),
    shape('fw', 'FW-1', at(500, 40, 120, 60)),
    shape('zone', 'DMZ', at(0, 600, 300, 200), { style: 'swimlane' }),
    shape('web', 'WEB-1', at(20, 40, 120, 60), { parent: 'zone' }),
  )
  expect(nodes.map(({ type, data, parent_id }) => [data.label, type === 'group', parent_id])).toEqual([
    ['Site North', true, undefined],
    ['Rack 1', true, 'site'],
    ['SRV-1', false, 'rack'],
    ['FW-1', false, 'site'],
    ['DMZ', true, undefined],
    ['WEB-1', false, 'zone'],
  ])
  expect(skipped).toEqual([])
})

it('DIA-17 imports a box with an icon in it as one device that keeps its lines', async () => {
  const { nodes, edges } = await parse(
    shape('box', 'SRV-1', at(0, 0, 160, 120)),
    shape('icon', '', at(60, 10, 40, 40), { style: 'shape=mxgraph.networks.server' }),
    shape('group', 'NAS-1', at(400, 0, 160, 120), { style: 'group' }),
    shape('disk', '', at(60, 10, 40, 40), { style: 'shape=mxgraph.networks.storage', parent: 'group' }),
    line('e1', 'icon', 'disk'),
  )
  expect(listLabels(nodes)).toEqual(['SRV-1', 'NAS-1'])
  expect(edges.map(({ source, target }) => [source, target])).toEqual([['box', 'group']])
})

const node = (id: string, x: number, y: number, fields: object = {}) =>
  DiagramNode.parse({ id, type: 'network', position: { x, y }, data: { label: id }, ...fields })

/** The boxes of the nodes in an SVG. */
const readBoxes = (svg: string) =>
  [...svg.matchAll(/<g><rect x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="([-\d.]+)" rx="8"/g)].map(
    (match) => readBox(match),
  )
const readBox = (match: RegExpMatchArray) => {
  const [x = 0, y = 0, width = 0, height = 0] = match.slice(1, 5).map(Number)
  return { x, y, width, height }
}
type Box = ReturnType<typeof readBox>
const overlaps = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
const listOverlaps = (boxes: readonly Box[]) =>
  boxes.flatMap((box, index) => boxes.slice(index + 1).filter((other) => overlaps(box, other)))

it('DIA-17 moves imported shapes apart until their boxes do not overlap', async () => {
  const shapes = Array.from({ length: 12 }, (_, n) =>
    shape(`s${n}`, `SRV-${n}`, at((n % 4) * 70, Math.floor(n / 4) * 70, 48, 48)),
  )
  const { nodes } = await parse(...shapes)
  const boxes = readBoxes(renderSvg('Rack', { nodes, edges: [] }))
  expect([boxes.length, listOverlaps(boxes)]).toEqual([12, []])
})

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = (colour.slice(1).match(/../g) ?? []).map((pair) => {
    const value = Number.parseInt(pair, 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
const computeContrast = (a: string, b: string) => {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

const fills = [
  '#000000',
  '#1f2937',
  '#0b4f8a',
  '#777777',
  '#808080',
  '#d14',
  '#dae8fc',
  '#ffffff',
  '#7f7f7fff',
  '#00000000',
  'navy',
  'teal',
  'yellow',
]
it.each(fills)('DIA-16 writes text on the fill %s with a contrast of at least 4.5', (fill) => {
  const opaque: Record<string, string> = {
    '#d14': '#dd1144',
    '#7f7f7fff': '#7f7f7f',
    '#00000000': '#ffffff',
    navy: '#000080',
    teal: '#008080',
    yellow: '#ffff00',
  }
  for (const color of [undefined, '#111111', '#eeeeee', '#888888']) {
    const svg = renderSvg('A', {
      nodes: [node('a', 0, 0, { style: { backgroundColor: fill, ...(color ? { color } : {}) } })],
      edges: [],
    })
    const textColour = /<text [^>]*fill="(#\w{6})"/.exec(svg)?.[1] ?? ''
    expect(computeContrast(textColour, opaque[fill] ?? fill)).toBeGreaterThanOrEqual(4.5)
  }
})

it.each([2, 12, 39, 200])('DIA-18 lays out %i devices without links in a grid', (count) => {
  const ids = Array.from({ length: count }, (_, n) => `d${n}`)
  const positions = [...computePositions(ids, [], []).values()]
  const width = Math.max(...positions.map(({ x }) => x)) + 220
  const height = Math.max(...positions.map(({ y }) => y)) + 150
  expect(new Set(positions.map(({ x, y }) => `${x} ${y}`)).size).toBe(count)
  expect(width / height).toBeGreaterThan(0.9)
  expect(width / height).toBeLessThan(3)
})

it('DIA-18 lays out many small networks side by side', () => {
  const ids = Array.from({ length: 40 }, (_, n) => `d${n}`)
  const links = Array.from({ length: 20 }, (_, n) => ({ source: `d${2 * n}`, target: `d${2 * n + 1}` }))
  const positions = [...computePositions(ids, links, []).values()]
  expect(new Set(positions.map(({ x, y }) => `${x} ${y}`)).size).toBe(40)
  expect(Math.max(...positions.map(({ y }) => y))).toBeLessThan(2000)
})

const routings = ['straight', 'curved', 'step'] as const
const ends = [
  ['side by side', 400, 0],
  ['one above the other', 0, 300],
  ['diagonal', 400, 300],
] as const
it.each(routings.flatMap((routing) => ends.map(([place, x, y]) => [routing, place, x, y] as const)))(
  'DIA-19 shows the labels of parallel %s lines between nodes that are %s',
  (routing, _, x, y) => {
    const edges = ['eth0 trunk', 'eth1 trunk', 'management', 'eth3 storage network'].map((label, n) =>
      DiagramEdge.parse({
        id: `e${n}`,
        source: n % 2 ? 'a' : 'b',
        target: n % 2 ? 'b' : 'a',
        routing,
        label,
      }),
    )
    const svg = renderSvg('A', { nodes: [node('a', 0, 0), node('b', x, y)], edges })
    const labels = [
      ...svg.matchAll(/<g><rect x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="([-\d.]+)" rx="3"/g),
    ].map(readBox)
    expect([labels.length, listOverlaps(labels)]).toEqual([4, []])
    const paths = [...svg.matchAll(/<path d="([^"]+)" fill="none"/g)].map(([, path]) => path)
    expect(new Set(paths).size).toBe(4)
  },
)
