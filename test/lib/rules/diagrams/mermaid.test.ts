import { describe, expect, it } from 'vitest'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { parseMermaid } from '#rules/diagrams/mermaid.ts'
import { writeMermaid } from '#rules/diagrams/mermaid-write.ts'
import { type DiagramEdge, DiagramNode, deviceCategories, maxGroupDepth } from '#rules/diagrams/schema.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'

const parse = (text: string) => runWithin(createBudget({ steps: jobSteps }), () => parseMermaid(text))
const body = (text: string) => parse(`flowchart TB\n${text}`)
const listLabels = (text: string) => body(text).nodes.map(({ id, data }) => [id, data.label])
const listEdges = (text: string) =>
  body(text).edges.map(({ source, target, label, style }) => [source, target, label, style].filter(Boolean))
const listParents = (text: string) => body(text).nodes.map(({ id, parent_id }) => [id, parent_id ?? null])

describe('a mermaid flowchart', () => {
  it.each([
    ['graph', null],
    ['graph LR; a', null],
    ['flowchart', null],
    ['\uFEFF\r\n%% comment\r\n%%{init: {"theme": "dark"}}%%\r\nflowchart-elk RL\r\na', null],
    ['---\ntitle: Head office\nconfig:\n  theme: dark\n---\nflowchart TD\na', 'Head office'],
    ['---\ntitle: "A \\"B\\" c"\n---\ngraph', 'A "B" c'],
    ['```mermaid\ngraph TD\na-->b\n```\n', null],
  ])('DIA-27 starts with its kind, and may have a title: %j', (text, name) => {
    expect(parse(text)).toMatchObject({ name, skipped: [] })
  })

  it.each(['', 'sequenceDiagram\nA->>B: x', 'flowcharts TD', '---\ntitle: x\n---\npie', '<mxfile/>'])(
    'DIA-27 is refused if it is none: %j',
    (text) => {
      expect(() => parse(text)).toThrow(
        'This is no mermaid flowchart: its first line must start with flowchart or graph',
      )
    },
  )

  it.each([
    ['a', 'a'],
    ['a[Core switch]', 'Core switch'],
    ['a("Core [1] (2)")', 'Core [1] (2)'],
    ['a([x])', 'x'],
    ['a[[x]]', 'x'],
    ['a[(x)]', 'x'],
    ['a((x))', 'x'],
    ['a(((x)))', 'x'],
    ['a>x]', 'x'],
    ['a{x}', 'x'],
    ['a{{x}}', 'x'],
    ['a[/x/]', 'x'],
    ['a[/x\\]', 'x'],
    ['a[\\x\\]', 'x'],
    ['a(-x-)', 'x'],
    ['a@{ shape: cyl, label: "x, y" }', 'x, y'],
    ['a@{ shape: cloud }', 'a'],
    ['a["two\nlines<br/>and #quot;more#quot; #35;1 #9829; &lt;b&gt;"]', 'two lines and "more" #1 ♥ <b>'],
    ['a["`bold`"]', 'bold'],
    ['a["fa:fa-server Server"]', 'Server'],
    ['a[ ]', 'a'],
    ['a[x]:::network', 'x'],
  ])('DIA-27 has nodes of each shape: %j', (text, label) => {
    expect([listLabels(text), body(text).skipped]).toEqual([[['a', label]], []])
  })

  it('DIA-27 has the label that a node gets later', () => {
    expect(listLabels('a --> b\na[First]\na[Second] --> c\na')).toEqual([
      ['a', 'Second'],
      ['b', 'b'],
      ['c', 'c'],
    ])
  })

  it.each([
    ['a[x]:::security', 'security'],
    ['a[Backup NAS]', 'storage'],
    ['a[(x)]', 'storage'],
    ['a@{ shape: cyl }', 'storage'],
    ['firewall1', 'security'],
    ['a["fa:fa-cloud x"]', 'cloud'],
    ['a(x)', 'compute'],
    ['a[x]:::other', 'compute'],
  ])('DIA-27 has a category by the class, the words and the shape: %s', (text, category) => {
    expect(body(text).nodes).toMatchObject([{ type: category, data: { category } }])
  })

  it.each<[string, unknown[][]]>([
    ['a --> b', [['a', 'b']]],
    ['a-->b', [['a', 'b']]],
    ['a---b', [['a', 'b']]],
    ['a ---->b', [['a', 'b']]],
    ['a <--> b', [['a', 'b']]],
    ['a --x b', [['a', 'b']]],
    ['a o--o b', [['a', 'b']]],
    ['a e1@--> b', [['a', 'b']]],
    ['a -->|10 Gbit/s| b', [['a', 'b', '10 Gbit/s']]],
    ['a -->|"x | #quot;y#quot;"| b', [['a', 'b', 'x | "y"']]],
    ['a -- 10G --> b', [['a', 'b', '10G']]],
    ['a -- "a -- b" --- b', [['a', 'b', 'a -- b']]],
    ['a -.-> b', [['a', 'b', { strokeDasharray: '6 4' }]]],
    ['a -. x.y .-> b', [['a', 'b', 'x.y', { strokeDasharray: '6 4' }]]],
    ['a ==> b', [['a', 'b', { strokeWidth: 3 }]]],
    ['a == x ==> b', [['a', 'b', 'x', { strokeWidth: 3 }]]],
    [
      'a --> b --> c',
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
    ],
    [
      'a & b --> c & d',
      [
        ['a', 'c'],
        ['a', 'd'],
        ['b', 'c'],
        ['b', 'd'],
      ],
    ],
    [
      'a[x y] --> b{z}; c --> a',
      [
        ['a', 'b'],
        ['c', 'a'],
      ],
    ],
    ['a -->\n  b', [['a', 'b']]],
    ['a --> b %% comment', [['a', 'b']]],
    ['sw-core.1 --> größe_2', [['sw-core.1', 'größe_2']]],
    ['a --> a', [['a', 'a']]],
  ])('DIA-27 has links: %j', (text, edges) => {
    expect([listEdges(text), body(text).skipped]).toEqual([edges, []])
  })

  it.each<[string, unknown[][]]>([
    [
      'subgraph g\na\nend\nb',
      [
        ['g', null],
        ['a', 'g'],
        ['b', null],
      ],
    ],
    [
      'subgraph g [Head office]\n direction LR\n a --> b\n end',
      [
        ['g', null],
        ['a', 'g'],
        ['b', 'g'],
      ],
    ],
    [
      'subgraph g["Site"]\nsubgraph h\na\nend\nb\nend',
      [
        ['g', null],
        ['h', 'g'],
        ['a', 'h'],
        ['b', 'g'],
      ],
    ],
    [
      'a --> g\nsubgraph g\nb\nend',
      [
        ['a', null],
        ['g', null],
        ['b', 'g'],
      ],
    ],
    [
      'subgraph g\na\nend\nsubgraph h\na\ng\nend',
      [
        ['g', 'h'],
        ['a', 'g'],
        ['h', null],
      ],
    ],
    [
      'subgraph g\ng\na\nend',
      [
        ['g', null],
        ['a', 'g'],
      ],
    ],
    [
      'subgraph g\nh\nend\nsubgraph h\ng\nend',
      [
        ['g', null],
        ['h', 'g'],
      ],
    ],
    [
      'subgraph g\na',
      [
        ['g', null],
        ['a', 'g'],
      ],
    ],
  ])('DIA-27 has subgraphs, which become groups: %j', (text, parents) => {
    expect([listParents(text), body(text).skipped]).toEqual([parents, []])
    expect(body(text).nodes.find(({ id }) => id === 'g')?.type).toBe('group')
  })

  it.each([
    ['g', 'g'],
    ['g [Head "office"]', 'Head "office"'],
    ['g["Head #35;1"]', 'Head #1'],
    ['"Head office"', 'Head office'],
    ['Head office', 'Head office'],
    ['', 'subgraph0'],
  ])('DIA-27 has subgraphs with a title: %j', (title, label) => {
    expect(body(`subgraph ${title}\na\nend`).nodes[0]?.data.label).toBe(label)
  })

  it('DIA-27 names what is not imported', () => {
    const { nodes, edges, skipped } = body(
      'classDef x fill:#f00\nstyle a fill:#f00\nclick a "https://x.example"\nlinkStyle 0 stroke:red\na ~~~ b\nc --> [\nend\n+++\nclassic --> end1',
    )
    expect([nodes.map(({ id }) => id), edges.length]).toEqual([['a', 'b', 'c', 'classic', 'end1'], 1])
    expect(skipped).toEqual([
      ...[
        'classDef x fill:#f00',
        'style a fill:#f00',
        'click a "https://x.example"',
        'linkStyle 0 stroke:red',
      ].map((line) => `Line “${line}”: this kind of line is not imported`),
      'Line from “a” to “b”: it is invisible',
      'Line “c --> [”: it is not understood',
      'Line “end”: there is no subgraph to end',
      'Line “+++”: it is not understood',
    ])
    expect(body('+\n'.repeat(1101)).skipped.slice(99)).toEqual([
      'Line “+”: it is not understood',
      '1,001 more parts',
    ])
    expect(body(`${'x'.repeat(101)}\n${'y'.repeat(100)}`).nodes.map(({ id }) => id)).toEqual([
      'y'.repeat(100),
    ])
  })

  it('DIA-27 is laid out: what is in a group is within its frame, and no boxes overlap', () => {
    const { nodes } = body(
      'subgraph g\na1-->a2\nsubgraph h\nb1\nb2\nend\nend\nsubgraph i\nc1\nend\nd1 --> a1\nd2',
    )
    const frame = (id: string) => {
      const node = nodes.find((candidate) => candidate.id === id)
      const { width = 120, height = 63 } = (node?.style ?? {}) as { width?: number; height?: number }
      return { x: node?.position.x ?? 0, y: node?.position.y ?? 0, width, height }
    }
    type Box = ReturnType<typeof frame>
    const isIn = (a: Box, b: Box) =>
      a.x > b.x && a.y > b.y && a.x + a.width < b.x + b.width && a.y + a.height < b.y + b.height
    const overlaps = (a: Box, b: Box) =>
      a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
    for (const { id, parent_id } of nodes) if (parent_id) expect(isIn(frame(id), frame(parent_id))).toBe(true)
    for (const [index, a] of nodes.entries())
      for (const b of nodes.slice(index + 1))
        if (a.parent_id === b.parent_id) expect(overlaps(frame(a.id), frame(b.id))).toBe(false)
  })

  it('DIA-27 has at most 1,000 nodes, 2,000 links and 20 levels of subgraphs', () => {
    const nodes = (count: number) => Array.from({ length: count }, (_, n) => `n${n}\n`).join('')
    expect(body(nodes(1000)).nodes).toHaveLength(1000)
    expect(() => body(nodes(1001))).toThrow('The flowchart has more than 1000 nodes and subgraphs')
    expect(body('a --> b\n'.repeat(2000)).edges).toHaveLength(2000)
    expect(() => body('a --> b\n'.repeat(2001))).toThrow('The flowchart has more than 2000 links')
    const nest = (depth: number) =>
      body(`${Array.from({ length: depth }, (_, n) => `subgraph g${n}\n`).join('')}a`)
    expect(nest(maxGroupDepth).nodes).toHaveLength(maxGroupDepth + 1)
    expect(() => nest(maxGroupDepth + 1)).toThrow('The flowchart has more than 20 levels of subgraphs')
    const chain = (depth: number) =>
      body(Array.from({ length: depth }, (_, n) => `subgraph g${n}\ng${n + 1}\nend\n`).join(''))
    expect(chain(maxGroupDepth).nodes).toHaveLength(maxGroupDepth + 1)
    expect(() => chain(maxGroupDepth + 1)).toThrow('The flowchart has more than 20 levels of subgraphs')
  })
})

describe('a mermaid flowchart that the service wrote', () => {
  const node = (id: string, fields: object = {}) =>
    DiagramNode.parse({ id, type: 'network', position: { x: 7, y: 8 }, data: { label: id }, ...fields })
  const write = (nodes: DiagramNode[], edges: DiagramEdge[] = [], name = 'Site') =>
    writeMermaid(name, { nodes, edges })

  it('DIA-28 has the nodes, groups, labels, categories and lines of a diagram', () => {
    const nodes = [
      ...deviceCategories.map((category) =>
        node(category, { type: category, data: { label: `Part of ${category}` } }),
      ),
      node('g', { type: 'group' }),
      node('inner', { parent_id: 'g', data: { label: 'Room' } }),
      node('fw', { parent_id: 'inner' }),
      node('empty', { type: 'group' }),
    ]
    const edges: DiagramEdge[] = [
      { id: 'e1', source: 'fw', target: 'cloud', label: '10 "G" | x' },
      { id: 'e2', source: 'fw', target: 'g', style: { strokeDasharray: '6 4' } },
      { id: 'e3', source: 'g', target: 'fw', style: { strokeWidth: 3 } },
    ]
    const read = parse(write(nodes, edges, 'A "B": c\\d'))
    const toKey = (list: readonly DiagramNode[], { id, parent_id, type, data }: DiagramNode) =>
      [id, parent_id, list.some((child) => child.parent_id === id) ? 'group' : type, data.label].join()
    expect([read.name, read.skipped, read.edges]).toEqual(['A "B": c\\d', [], edges])
    expect(read.nodes.map((part) => toKey(read.nodes, part)).sort()).toEqual(
      nodes.map((part) => toKey(nodes, part)).sort(),
    )
  })

  it.each([
    '"',
    '#35;',
    '&lt;',
    '<b>x</b>',
    '`x`',
    'end',
    'a;b',
    'style:#1;',
    '|',
    ']',
    '😀 ü',
    '%% x',
    'x -->|y| z',
    '\\',
    "'",
    '%id%',
    'fa:fa-x',
  ])('DIA-28 has the label %s', (label) => {
    const edges = [{ id: 'e1', source: 'end', target: 'n1', label }]
    const read = parse(
      write(
        [node('end', { data: { label } }), node('n1', { type: 'group', data: { label } }), node('a-b.c')],
        edges,
      ),
    )
    expect([read.nodes.map(({ data }) => data.label), read.edges[0]?.label]).toEqual([
      [label, label, 'a-b.c'],
      label,
    ])
  })

  it('DIA-28 leaves out what takes too much work, with a mark', () => {
    const nodes = Array.from({ length: 1000 }, (_, n) => node(`n${n}`))
    expect(write(nodes)).not.toContain(shortenedMark)
    const text = runWithin(createBudget({ steps: 100_000 }), () =>
      writeMermaid('Site', { nodes, edges: [{ id: 'e', source: 'n0', target: 'n999' }] }),
    )
    expect([text.includes(shortenedMark), text.includes('---|'), text.match(/:::network/g)?.length]).toEqual([
      true,
      false,
      198,
    ])
  })
})
