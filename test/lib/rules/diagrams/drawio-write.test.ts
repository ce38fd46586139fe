import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { parseDrawio } from '#rules/diagrams/drawio.ts'
import { writeDrawio } from '#rules/diagrams/drawio-write.ts'
import { DiagramEdge, DiagramNode } from '#rules/diagrams/schema.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import { casesByDay } from '#test/support/night.ts'

interface Drawing {
  nodes: DiagramNode[]
  edges: DiagramEdge[]
}

const write = ({ nodes, edges }: Drawing, name = 'Site') =>
  runWithin(createBudget({ steps: jobSteps }), () => writeDrawio(name, { nodes, edges }))
const read = async (file: string) => runWithin(createBudget({ steps: jobSteps }), () => parseDrawio(file, 1))

const text = (maxLength: number) =>
  fc
    .string({ unit: 'binary', maxLength })
    .map((value) => value.replaceAll('\0', '').toWellFormed()) as fc.Arbitrary<string>
const nasty = fc.constantFrom(
  ...[
    '%id%',
    '%%page%',
    '<b>A</b>',
    '&amp;&lt;',
    '"\'`',
    ']]>',
    '<!-- -->',
    '\u0001\u001f\ufffe\uffff',
    ' two  spaces ',
    'a\n\tb',
    '%',
  ],
  ...['x'.repeat(2000), '😀'.repeat(200), 'עברית \u202e', '\u2028\u0085', '0', '1', 'style;=;', '\\u0041\\'],
)
const label = fc.oneof(text(40), nasty)
const id = fc.oneof(text(20), nasty).map((value) => value.trim().slice(0, 90).toWellFormed().trim() || 'x')
const coordinate = fc
  .oneof(fc.integer({ min: -2000, max: 2000 }), fc.double({ min: -1_000_000, max: 1_000_000, noNaN: true }))
  .map((n) => n + 0)
const style = fc.record(
  {
    width: fc.oneof(fc.integer({ min: 1, max: 3000 }), label),
    height: fc.integer({ min: 1, max: 3000 }),
    backgroundColor: fc.oneof(fc.constantFrom('#FFAA00', '#abc', 'red', '#11223344', 'transparent'), label),
    borderColor: fc.constantFrom('#00ff00', 'none'),
    strokeDasharray: fc.constantFrom('4 2', 'x'),
    nested: fc.constant({ a: [1, { b: null }] }),
  },
  { requiredKeys: [] },
)
const drawing = fc
  .record({
    nodes: fc.uniqueArray(
      fc.record({
        id,
        type: fc.constantFrom('network', 'group', 'x'),
        x: coordinate,
        y: coordinate,
        label,
        style,
      }),
      {
        selector: (node) => node.id,
        maxLength: 12,
      },
    ),
    parents: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
    edges: fc.uniqueArray(
      fc.record({
        id,
        source: fc.nat(),
        target: fc.nat(),
        label,
        routing: fc.constantFrom('straight', 'curved', 'step', undefined),
      }),
      { selector: (edge) => edge.id, maxLength: 12 },
    ),
    isReversed: fc.boolean(),
    omits: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  })
  .map(({ nodes, parents, edges, isReversed, omits }): Drawing => {
    const written = nodes.map((node, index): DiagramNode => {
      const parent = (parents[index] ?? 0) % (index + 1)
      return DiagramNode.parse({
        ...{ id: node.id, type: node.type, position: { x: node.x, y: node.y } },
        ...(parent < index ? { parent_id: nodes[parent]?.id } : {}),
        ...(omits[index] ? {} : { style: node.style, nodeType: 'Switch' }),
        data: omits[(index + 1) % 12] ? {} : { label: node.label, ip: '10.0.0.1', list: [node.label] },
      })
    })
    const getId = (index: number) => nodes[index % nodes.length]?.id
    const lines = nodes.length === 0 ? [] : edges
    return {
      nodes: isReversed ? written.toReversed() : written,
      edges: lines.map((edge, index) =>
        DiagramEdge.parse({
          ...{ id: edge.id, source: getId(edge.source), target: getId(edge.target), routing: edge.routing },
          ...(omits[index]
            ? {}
            : { label: edge.label.slice(0, 300).toWellFormed(), style: { stroke: 'red' } }),
        }),
      ),
    }
  })

describe('a draw.io file that the service wrote', () => {
  it('DIA-26 is imported as the same nodes and edges', async () => {
    await fc.assert(
      fc.asyncProperty(drawing, async (diagram) => {
        const { nodes, edges, skipped } = await read(write(diagram))
        expect({ nodes, edges, skipped }).toEqual({ ...JSON.parse(JSON.stringify(diagram)), skipped: [] })
      }),
      { numRuns: casesByDay(300) },
    )
  })

  it('DIA-26 has the name of the diagram', async () => {
    expect((await read(write({ nodes: [], edges: [] }, 'A & "B" <c>'))).name).toBe('A & "B" <c>')
  })

  const node = (id: string, x: number, fields: Partial<DiagramNode> = {}): DiagramNode => ({
    ...{ id, type: 'network', position: { x, y: 0 }, data: { label: id, ip: '10.0.0.1' } },
    ...fields,
  })
  const site: Drawing = {
    nodes: [node('g', 0, { type: 'group' }), node('a', 40, { parent_id: 'g' }), node('b', 900)],
    edges: [{ id: 'e', source: 'a', target: 'b', label: '10G' }],
  }

  it.each<[string, (file: string) => string, object]>([
    [
      'a label',
      (file) => file.replace('label="a"', 'label="New"'),
      { nodes: [{}, { data: { label: 'New', ip: '10.0.0.1' } }, {}] },
    ],
    [
      'no label',
      (file) => file.replace('label="a"', 'label=""'),
      { nodes: [{}, { data: { label: '', ip: '10.0.0.1' } }, {}] },
    ],
    [
      'a place',
      (file) => file.replace('x="900" y="0"', 'x="950" y="7"'),
      { nodes: [{}, {}, { position: { x: 950, y: 7 }, type: 'network' }] },
    ],
    [
      'a group, with what is in it',
      (file) => file.replace('x="20" y="-35"', 'x="120" y="-35"'),
      { nodes: [{ position: { x: 100, y: 0 } }, { position: { x: 140, y: 0 }, parent_id: 'g' }, {}] },
    ],
    [
      'a size',
      (file) => file.replace('width="120" height="63"', 'width="200" height="63"'),
      { nodes: [{}, { style: { width: 200, height: 63 } }, {}] },
    ],
    [
      'a colour',
      (file) => file.replace('fillColor=#ffffff;', 'fillColor=#FF0000;'),
      { nodes: [{}, { style: { backgroundColor: '#FF0000' } }, {}] },
    ],
    ['another group', (file) => file.replace('parent="n1"', 'parent="1"'), { nodes: [{}, { id: 'a' }, {}] }],
    [
      'a line',
      (file) => file.replace('target="n3"', 'target="n1"'),
      { edges: [{ source: 'a', target: 'g', label: '10G' }] },
    ],
    ['a label of a line', (file) => file.replace('label="10G"', 'label="1G"'), { edges: [{ label: '1G' }] }],
    [
      'a form of a line',
      (file) => file.replace('endArrow=none;', 'endArrow=none;curved=1;'),
      { edges: [{ routing: 'curved' }] },
    ],
  ])('DIA-26 has what was changed in draw.io: %s', async (_, change, expected) => {
    const file = write(site)
    expect(change(file)).not.toBe(file)
    expect(await read(change(file))).toMatchObject(expected)
  })

  it('DIA-26 may have shapes that were added and copied in draw.io', async () => {
    const file = write(site)
    const copy = /<object id="n3".*?<\/object>/s.exec(file)?.[0].replace('n3', 'copied') ?? ''
    const added =
      '<mxCell id="new" value="New" vertex="1" parent="n1"><mxGeometry x="5" y="5" width="10" height="10" as="geometry"/></mxCell>'
    const { nodes, skipped } = await read(file.replace('</root>', `${copy}${added}</root>`))
    expect(nodes.map(({ id, parent_id }) => [id, parent_id])).toEqual([
      ['g', undefined],
      ['a', 'g'],
      ['b', undefined],
      ['copied', undefined],
      ['new', 'g'],
    ])
    expect(skipped).toEqual([])
  })

  it.each([
    '{"node":{"id":"a"}}',
    '[',
    '['.repeat(200),
    '{"node":{"id":"z\\u0000","type":"x","position":{"x":0,"y":0},"data":{}},"cell":{"x":0,"y":0,"width":1,"height":1,"fillColor":"","strokeColor":""}}',
  ])('DIA-26 may have damaged data, whose shapes are read as those of any file: %s', async (part) => {
    const file = write({ nodes: [node('a', 0)], edges: [] }).replace(
      /diagram_part="[^"]*"/,
      `diagram_part="${part.replaceAll('"', '&quot;')}"`,
    )
    expect((await read(file)).nodes).toEqual([
      expect.objectContaining({ id: 'n1', data: { label: 'a', category: 'compute' } }),
    ])
  })

  it('DIA-26 leaves out what takes too much work or room, with a mark', async () => {
    const nodes = Array.from({ length: 1000 }, (_, n) =>
      node(`n${n}`, n * 200, { data: { label: `n${n}`, note: '<'.repeat(3000) } }),
    )
    const file = writeDrawio('Site', { nodes, edges: [] })
    expect(file.length).toBeLessThan(8 * 1024 * 1024)
    expect(file).toContain(shortenedMark)
    const small = runWithin(createBudget({ steps: 100_000 }), () => writeDrawio('Site', { nodes, edges: [] }))
    expect([small.includes(shortenedMark), (small.match(/<object/g) ?? []).length < 1000]).toEqual([
      true,
      true,
    ])
    expect(write(site)).not.toContain(shortenedMark)
  })
})
