import { describe, expect, it } from 'vitest'
import {
  DiagramEdge,
  DiagramEdges,
  DiagramNode,
  DiagramNodes,
  getCategory,
  getLabel,
  guessCategory,
  validateDiagram,
} from '#rules/diagrams/schema.ts'

const node = (id: string, fields: Partial<DiagramNode> = {}): DiagramNode => ({
  id,
  type: 'device',
  position: { x: 0, y: 0 },
  data: {},
  ...fields,
})
const edge = (id: string, source: string, target: string): DiagramEdge => ({ id, source, target })

describe('validateDiagram', () => {
  it('accepts nodes and edges with the same ids', () => {
    expect(
      validateDiagram({ nodes: [node('a'), node('b')], edges: [edge('a', 'a', 'b'), edge('b', 'b', 'b')] }),
    ).toEqual([])
  })

  it('reports each repeated id and each missing end', () => {
    const nodes = [node('a'), node('b'), node('a'), node('a')]
    const edges = [edge('e', 'a', 'x'), edge('e', 'x', 'b')]
    const end = 'must be the id of a node in this diagram'
    expect(validateDiagram({ nodes, edges })).toEqual([
      { path: ['nodes', 2, 'id'], message: 'must be unique; a is used twice' },
      { path: ['nodes', 3, 'id'], message: 'must be unique; a is used twice' },
      { path: ['edges', 1, 'id'], message: 'must be unique; e is used twice' },
      { path: ['edges', 0, 'target'], message: end },
      { path: ['edges', 1, 'source'], message: end },
    ])
  })
})

it.each<[Partial<DiagramNode>, string]>([
  [{ data: { label: ' FW ' }, nodeType: 'Firewall' }, 'FW'],
  [{ data: { label: ' ' }, nodeType: 'Firewall' }, 'Firewall'],
  [{ data: { label: 5 }, nodeType: 'Firewall' }, 'Firewall'],
  [{ data: {} }, 'a'],
])('the label of a node with %j is %s', (fields, label) => {
  expect(getLabel(node('a', fields))).toBe(label)
})

it.each<[Partial<DiagramNode>, string]>([
  [{ type: 'cloud', data: { category: 'storage' } }, 'storage'],
  [{ type: 'cloud', data: { category: 'other' } }, 'cloud'],
  [{ type: 'cloud', data: { category: 5 } }, 'cloud'],
  [{ type: 'custom', nodeType: 'Core switch' }, 'network'],
  [{ type: 'router' }, 'network'],
  [{ type: 'custom' }, 'compute'],
])('the category of a node with %j is %s', (fields, category) => {
  expect(getCategory(node('a', fields))).toBe(category)
})

it.each([
  ['VPN server', 'security'],
  ['Azure backup', 'cloud'],
  ['NAS', 'storage'],
  ['Nastase', 'compute'],
  ['Patch panel', 'infrastructure'],
  ['Network printer', 'endpoint'],
  ['WiFi', 'network'],
  ['ESXi', 'compute'],
  ['', 'compute'],
])('%j is guessed to be of the category %s', (text, category) => {
  expect(guessCategory(text)).toBe(category)
})

describe('the size of a part of a diagram', () => {
  const text = (length: number) => 'x'.repeat(length)
  const repeat = <T>(count: number, create: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => create(n))
  const rows: [string, (size: number) => boolean, number, number][] = [
    ['the id of a node', (size) => DiagramNode.safeParse(node(text(size))).success, 1, 100],
    ['the type of a node', (size) => DiagramNode.safeParse(node('a', { type: text(size) })).success, 1, 100],
    ['the device type', (size) => DiagramNode.safeParse(node('a', { nodeType: text(size) })).success, 1, 200],
    [
      'a name in the data',
      (size) => DiagramNode.safeParse(node('a', { data: { [text(size)]: 1 } })).success,
      0,
      100,
    ],
    [
      'a name in the style',
      (size) => DiagramNode.safeParse(node('a', { style: { [text(size)]: 1 } })).success,
      0,
      100,
    ],
    ['x', (x) => DiagramNode.safeParse(node('a', { position: { x, y: 0 } })).success, -1_000_000, 1_000_000],
    ['y', (y) => DiagramNode.safeParse(node('a', { position: { x: 0, y } })).success, -1_000_000, 1_000_000],
    ['the source', (size) => DiagramEdge.safeParse(edge('e', text(size), 'b')).success, 1, 100],
    ['the target', (size) => DiagramEdge.safeParse(edge('e', 'a', text(size))).success, 1, 100],
    [
      'the label of an edge',
      (size) => DiagramEdge.safeParse({ ...edge('e', 'a', 'b'), label: text(size) }).success,
      0,
      300,
    ],
    ['the nodes', (size) => DiagramNodes.safeParse(repeat(size, (n) => node(`n${n}`))).success, 0, 1000],
    [
      'the edges',
      (size) => DiagramEdges.safeParse(repeat(size, (n) => edge(`e${n}`, 'a', 'b'))).success,
      0,
      2000,
    ],
  ]

  it.each(rows)('is checked for %s', (_, isValid, min, max) => {
    expect([min, max, max + 1].map(isValid)).toEqual([true, true, false])
    if (min !== 0) expect(isValid(min - 1)).toBe(false)
  })
})
