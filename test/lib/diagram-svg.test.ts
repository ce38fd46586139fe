import { expect, it } from 'vitest'
import { createLabelPlacer } from '../../lib/diagrams/edge-labels.ts'
import { DiagramEdge, DiagramNode, deviceCategories } from '../../lib/diagrams/schema.ts'
import { renderSvg } from '../../lib/diagrams/svg.ts'

const node = (id: string, x: number, y: number, fields: object = {}) =>
  DiagramNode.parse({ id, type: 'network', position: { x, y }, data: { label: id }, ...fields })
const edge = (source: string, target: string, fields: object = {}) =>
  DiagramEdge.parse({ id: `${source}-${target}`, source, target, ...fields })

it('renders a diagram with every form of node, line and label exactly as before', async () => {
  const categories = deviceCategories.map((category, n) => node(category, n * 160, 0, { type: category }))
  const nodes = [
    ...categories,
    node('long', 0, 200.256, {
      data: { label: 'A label of many words that needs more than three lines to be shown completely in its box' },
    }),
    node('word', 300, 200, { data: { label: 'Averylongwordwithoutanyspaceinside' } }),
    node('文字', 600, 200, { data: { label: '東京のデータセンターの主要なスイッチ' } }),
    node('styled', 900, 220, {
      style: {
        width: 200,
        height: 150,
        borderColor: '#ff0000',
        backgroundColor: 'silver',
        color: '#00ff00',
        strokeWidth: 3,
        strokeDasharray: '4 2',
      },
    }),
    node('below', 40, 420),
  ]
  const edges = [
    edge('network', 'compute'),
    edge('network', 'long', { routing: 'curved', label: '10 Gbit/s' }),
    edge('long', 'network', { routing: 'step', label: 'A label that is longer than the thirty characters of one line' }),
    edge('word', 'styled', { routing: 'step', style: { stroke: 'teal', strokeWidth: 2, strokeDasharray: '6 3' } }),
    edge('styled', 'word', { routing: 'curved' }),
    edge('below', 'styled', { routing: 'straight' }),
    edge('below', 'cloud', { routing: 'step' }),
    edge('storage', 'word'),
    edge('文字', '文字', { label: 'itself' }),
  ]
  await expect(renderSvg('Headquarters & branch', { nodes, edges })).toMatchFileSnapshot('diagram.svg')
})

it('renders a diagram without nodes as an empty sheet', () => {
  expect(renderSvg('Empty', { nodes: [], edges: [] })).toContain('viewBox="0 0 400 200"')
})

it('a label takes the first free place, and otherwise the nearest free one below or above the first', () => {
  const placeLabel = createLabelPlacer()
  const createBox = (x: number, y: number) => ({ x, y, width: 50, height: 18 })
  expect(placeLabel([createBox(0, 100)])).toEqual(createBox(0, 100))
  expect(placeLabel([createBox(50, 100)])).toEqual(createBox(50, 100))
  expect(placeLabel([createBox(49, 100), createBox(0, 140)])).toEqual(createBox(0, 140))
  expect([1, 2, 3].map(() => placeLabel([createBox(0, 100)]).y)).toEqual([120, 80, 60])
})
