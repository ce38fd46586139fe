import { describe, expect, it } from 'vitest'
import { createLabelPlacer } from '#rules/diagrams/edge-labels.ts'
import { DiagramEdge, DiagramNode, deviceCategories } from '#rules/diagrams/schema.ts'
import { renderSvg } from '#rules/diagrams/svg.ts'

const node = (id: string, x: number, y: number, fields: object = {}) =>
  DiagramNode.parse({ id, type: 'network', position: { x, y }, data: { label: id }, ...fields })
const edge = (source: string, target: string, fields: object = {}) =>
  DiagramEdge.parse({ id: `${source}-${target}`, source, target, ...fields })

it('renders a diagram with every form of node, line and label exactly as before', async () => {
  const categories = deviceCategories.map((category, n) => node(category, n * 160, 0, { type: category }))
  const nodes = [
    ...categories,
    node('long', 0, 200.256, {
      data: {
        label: 'A label of many words that needs more than three lines to be shown completely in its box',
      },
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
    edge('long', 'network', {
      routing: 'step',
      label: 'A label that is longer than the thirty characters of one line',
    }),
    edge('word', 'styled', {
      routing: 'step',
      style: { stroke: 'teal', strokeWidth: 2, strokeDasharray: '6 3' },
    }),
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

describe('the style of a node', () => {
  /**
   * Return the fill, the line, the width of the line and the dashes of a node, and the colour of its text.
   */
  const render = (style?: object) => {
    const svg = renderSvg('x', { nodes: [node('a', 0, 0, style ? { style } : {})], edges: [] })
    const rect =
      /rx="8" fill="([^"]*)" stroke="([^"]*)" stroke-width="([^"]*)"(?: stroke-dasharray="([^"]*)")?/
        .exec(svg)
        ?.slice(1)
    return [...(rect ?? []), /text-anchor="middle" fill="([^"]*)"/.exec(svg)?.[1]]
  }

  it.each<[object | undefined, unknown[]]>([
    [undefined, ['#ffffff', '#1d4ed8', '1.5', undefined, '#111827']],
    [{ borderColor: 'red', stroke: 'blue' }, ['#ffffff', 'red', '1.5', undefined, '#111827']],
    [{ borderColor: 'url(x)', stroke: 'blue' }, ['#ffffff', 'blue', '1.5', undefined, '#111827']],
    [
      { backgroundColor: 'silver', background: 'yellow', fill: 'white' },
      ['silver', '#1d4ed8', '1.5', undefined, '#111827'],
    ],
    [{ background: 'yellow', fill: 'white' }, ['yellow', '#1d4ed8', '1.5', undefined, '#111827']],
    [{ fill: 'silver' }, ['silver', '#1d4ed8', '1.5', undefined, '#111827']],
    [{ color: 'navy', fontColor: 'maroon' }, ['#ffffff', '#1d4ed8', '1.5', undefined, 'navy']],
    [{ fontColor: 'maroon' }, ['#ffffff', '#1d4ed8', '1.5', undefined, 'maroon']],
    [{ color: 'yellow' }, ['#ffffff', '#1d4ed8', '1.5', undefined, '#111827']],
    [{ strokeWidth: 3, borderWidth: 5 }, ['#ffffff', '#1d4ed8', '3', undefined, '#111827']],
    [{ borderWidth: '2px' }, ['#ffffff', '#1d4ed8', '2', undefined, '#111827']],
    [{ borderWidth: 0.1 }, ['#ffffff', '#1d4ed8', '0.5', undefined, '#111827']],
    [{ borderWidth: 99 }, ['#ffffff', '#1d4ed8', '12', undefined, '#111827']],
    [{ strokeDasharray: ' 4 2 ' }, ['#ffffff', '#1d4ed8', '1.5', '4 2', '#111827']],
    [{ strokeDasharray: '4"2', borderStyle: 'dashed' }, ['#ffffff', '#1d4ed8', '1.5', '6 4', '#111827']],
    [{ borderStyle: 'dotted' }, ['#ffffff', '#1d4ed8', '1.5', '2 4', '#111827']],
    [{ borderStyle: 'solid' }, ['#ffffff', '#1d4ed8', '1.5', undefined, '#111827']],
  ])('%j is drawn as %j', (style, expected) => {
    expect(render(style)).toEqual(expected)
  })
})

describe('the lines of a diagram', () => {
  const nodes = [node('a', 0, 0), node('b', 400, 0)]
  const listLines = (...edges: DiagramEdge[]) =>
    Array.from(
      renderSvg('x', { nodes, edges }).matchAll(/^<path d="([^"]*)" fill="none" stroke="([^"]*)"/gm),
      ([, path, colour]) => [path, colour],
    )

  it('are at both sides of the middle, also in opposite directions', () => {
    const [first, second, third] = [edge('a', 'b'), edge('b', 'a'), edge('a', 'b', { id: 'x' })]
    expect(listLines(first).map(([path]) => path)).toEqual(['M120 31.5L400 31.5'])
    expect(listLines(first, second).map(([path]) => path)).toEqual([
      'M120 20.5L400 20.5',
      'M400 42.5L120 42.5',
    ])
    expect(listLines(first, second, third).map(([path]) => path)).toEqual([
      'M120 10.5L400 10.5',
      'M400 31.5L120 31.5',
      'M120 52.5L400 52.5',
    ])
  })

  it.each<[object, string]>([
    [{}, '#6b7280'],
    [{ stroke: 'red', color: 'blue' }, 'red'],
    [{ color: 'blue' }, 'blue'],
  ])('have the colour of the style %j', (style, colour) => {
    expect(listLines(edge('a', 'b', { style })).map(([, stroke]) => stroke)).toEqual([colour])
  })

  it('are left out when a node is missing', () => {
    expect(listLines(edge('a', 'x'), edge('x', 'b'))).toEqual([])
  })

  it('have no label for a text of spaces', () => {
    const labels = (label?: string) =>
      renderSvg('x', { nodes, edges: [edge('a', 'b', label === undefined ? {} : { label })] }).match(
        /fill-opacity/g,
      )?.length ?? 0
    expect([labels(), labels(' '), labels('x')]).toEqual([0, 0, 1])
  })
})

it('escapes markup, and leaves out characters that XML does not allow', () => {
  const svg = renderSvg('<a>&"\'\u0000\u0008\t\u000b\uffff', {
    nodes: [node('a', 0, 0, { data: { label: '<b>' } })],
    edges: [],
  })
  expect(/<title>(.*)<\/title>/s.exec(svg)?.[1]).toBe('&#60;a&#62;&#38;&#34;&#39;&#9;')
  expect(svg).toContain('>&#60;b&#62;</tspan>')
})
