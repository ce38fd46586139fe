import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { parseDrawio } from '#rules/diagrams/drawio.ts'

const vertex = (
  id: string,
  [x = 0, y = 0, width = 0, height = 0]: readonly number[],
  { style = '', parent = '1', value = id } = {},
) =>
  `<mxCell id="${id}" value="${value}" vertex="1" parent="${parent}" style="${style}"><mxGeometry x="${x}" y="${y}" width="${width}" height="${height}" as="geometry"/></mxCell>`
const line = (content = '', { style = '', parent = '1', value = '' } = {}) =>
  `<mxCell id="l" value="${value}" edge="1" parent="${parent}" source="A" target="B" style="${style}"><mxGeometry relative="1" as="geometry">${content}</mxGeometry></mxCell>`
const text = (value: string, box: readonly number[], parent = '1') =>
  vertex(value, box, { style: 'text;html=1', parent })
const read = async (...cells: string[]) => {
  const xml = `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>${cells.join('')}</root></mxGraphModel>`
  const { nodes, edges, skipped } = await runWithin(createBudget(), () => parseDrawio(xml, 1))
  return {
    nodes: nodes.map(({ data }) => data.label),
    edges: edges.map(({ source, target, label = '' }) => `${source}-${target} ${label}`.trim()),
    skipped,
  }
}

describe('DIA-17 a text on a line of a draw.io file', () => {
  const containers: [string, string, string][] = [
    ['on the page', '', '1'],
    ['in a container', vertex('box', [300, 70, 1900, 1900], { style: 'swimlane' }), 'box'],
  ]
  it.each(containers)('is its label wherever it stands along it, %s', async (_, around, parent) => {
    const wrong: string[] = []
    for (let degrees = 0; degrees < 360; degrees += 30)
      for (const share of [0.3, 0.5, 0.7])
        for (const aside of [0, 8, 14, 60]) {
          const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
          const place = (along: number, across: number, width: number, height: number) => [
            600 + cos * along - sin * across - width / 2,
            600 + sin * along + cos * across - height / 2,
            width,
            height,
          ]
          const { edges, skipped } = await read(
            around,
            vertex('A', place(0, 0, 60, 40), { parent }),
            vertex('B', place(400, 0, 60, 40), { parent }),
            line('', { parent }),
            text('10G', place(400 * share, aside, 24, 12), parent),
          )
          const expected = aside < 60 ? ['A-B 10G'] : ['A-B', 'Text “10G”']
          if ([...edges, ...skipped].join() !== expected.join())
            wrong.push(`${degrees} ${share} ${aside}: ${edges} ${skipped}`)
        }
    expect(wrong).toEqual([])
  })

  const [a, b] = [vertex('A', [0, 0, 60, 40]), vertex('B', [400, 300, 60, 40])]
  it.each([
    [
      'where it turns',
      line('<Array as="points"><mxPoint x="30" y="320"/></Array>'),
      [20, 240, 30, 12],
      'A-B t',
    ],
    [
      'that turns by itself',
      line('', { style: 'edgeStyle=orthogonalEdgeStyle' }),
      [200, 12, 30, 12],
      'A-B t',
    ],
    [
      'that turns by itself in the middle',
      line('', { style: 'edgeStyle=elbowEdgeStyle' }),
      [230, 100, 30, 12],
      'A-B t',
    ],
    ['that has a label already', line('', { value: 'own' }), [215, 164, 30, 12], 'A-B own / t'],
    ['over a shape at its end', line(), [10, 10, 30, 12], 'A-B'],
  ] as const)('%s', async (_, edge, box, expected) => {
    expect((await read(a, b, edge, text('t', box))).edges).toEqual([expected])
  })

  it('is no label if it explains more than one line', async () => {
    const long = 'A sentence about the network that stands on the line because of the lack of room'
    expect((await read(a, b, line(), text(long, [200, 150, 60, 40]))).skipped).toEqual([`Text “${long}”`])
  })

  it('is one of several, in their order from its start, as are the cells in it', async () => {
    const inner = (value: string, x: number) =>
      vertex(value, [x, 0, 0, 0], { style: 'edgeLabel', parent: 'l' })
    const { edges, skipped } = await read(
      a,
      b,
      line('', { value: 'trunk' }),
      inner('eth1', 0.8),
      inner('eth0', -0.8),
      text('10G', [215, 164, 30, 12]),
    )
    expect([edges, skipped]).toEqual([['A-B trunk / eth0 / 10G / eth1'], []])
  })
})

describe('DIA-17 a text beside a device without a label', () => {
  const device = vertex('D', [200, 200, 50, 50], { style: 'shape=mxgraph.cisco.routers.router', value: '' })
  it.each([
    ['below it', [190, 252, 70, 20], 'R1'],
    ['above it', [190, 185, 70, 12], 'R1'],
    ['on it', [205, 215, 40, 20], 'R1'],
    ['far below it', [190, 290, 70, 20], 'Router'],
    ['left of it', [60, 215, 70, 20], 'Router'],
  ])('is its name %s', async (_, box, label) => {
    const { nodes, skipped } = await read(device, text('R1', box))
    expect([nodes, skipped]).toEqual([[label], label === 'R1' ? [] : ['Text “R1”']])
  })
  it('is its name, not the label of the line that leaves there', async () => {
    const { nodes, edges } = await read(
      vertex('A', [200, 200, 50, 50], { style: 'shape=mxgraph.cisco.routers.router', value: '' }),
      vertex('B', [200, 500, 50, 50]),
      line(),
      text('R1', [190, 252, 70, 20]),
      text('VLAN 5', [200, 380, 50, 20]),
    )
    expect([nodes, edges]).toEqual([['R1', 'B'], ['A-B VLAN 5']])
  })
})

describe('DIA-17 a rotated shape of a draw.io file', () => {
  it('has the free end of a line where it is drawn', async () => {
    const wrong: string[] = []
    for (const degrees of [0, 30, 90, 135, 270, -45, 450])
      for (let x = 240; x <= 560; x += 16)
        for (let y = 240; y <= 560; y += 16) {
          const angle = (degrees * Math.PI) / 180
          const [dx, dy] = [x - 400, y - 400]
          const [across, down] = [
            Math.abs(dx * Math.cos(angle) + dy * Math.sin(angle)),
            Math.abs(dy * Math.cos(angle) - dx * Math.sin(angle)),
          ]
          const distance = Math.hypot(Math.max(0, across - 100), Math.max(0, down - 10))
          const { edges } = await read(
            vertex('A', [900, 900, 60, 40]),
            vertex('bus', [300, 390, 200, 20], { style: `rotation=${degrees};html=1` }),
            `<mxCell id="l" edge="1" parent="1" source="A"><mxGeometry as="geometry"><mxPoint x="${x}" y="${y}" as="targetPoint"/></mxGeometry></mxCell>`,
          )
          if (edges.join() !== (distance <= 12 ? 'A-bus' : ''))
            wrong.push(`${degrees} at ${x} ${y}: ${edges}`)
        }
    expect(wrong).toEqual([])
  })
  it('is around what is drawn in it', async () => {
    const xml = `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>${vertex('rack', [0, 200, 500, 200], { style: 'rotation=90' })}${vertex('A', [220, 150, 60, 40])}${vertex('B', [220, 400, 60, 40])}</root></mxGraphModel>`
    const { nodes } = await runWithin(createBudget(), () => parseDrawio(xml, 1))
    expect(nodes).toMatchObject([
      { type: 'group', position: { x: 150, y: 50 }, style: { height: 500 } },
      { parent_id: 'rack' },
      { parent_id: 'rack' },
    ])
  })
})
