import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { parseDrawio } from '#rules/diagrams/drawio.ts'
import { DiagramFileError } from '#rules/diagrams/file-error.ts'

// What public reports say of other readers of draw.io files, tried on ours. test/reports.tsv has what came of
// each.

/** Return the nodes, lines and left out parts of a file, or the refusal. */
const read = (content: string) =>
  runWithin(createBudget({ steps: jobSteps }), () => parseDrawio(content, 1)).then(
    ({ nodes, edges, skipped }) => ({
      nodes: nodes.map(({ data }) => data.label),
      edges: edges.map(({ source, target, label = '' }) => `${source}-${target} ${label}`.trim()),
      skipped,
    }),
    (error: unknown) => {
      if (error instanceof DiagramFileError) return error.message
      throw error
    },
  )
const geometry = (x: number, y = 0) => `<mxGeometry x="${x}" y="${y}" width="80" height="40" as="geometry"/>`
const vertex = (id: string, x = 0, attributes = '', value = id) =>
  `<mxCell id="${id}" value="${value}" vertex="1" parent="1" ${attributes}>${geometry(x)}</mxCell>`
const edge = (content = '<mxGeometry relative="1" as="geometry"/>', attributes = '') =>
  `<mxCell id="l" edge="1" parent="1" source="A" target="B" ${attributes}>${content}</mxCell>`
const model = (...cells: string[]) =>
  `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>${cells.join('')}</root></mxGraphModel>`
const [a, b] = [vertex('A'), vertex('B', 400)]
const two = { nodes: ['A', 'B'], edges: ['A-B'], skipped: [] }
const pack = (xml: string) => deflateRawSync(encodeURIComponent(xml)).toString('base64')
const escapeXml = (xml: string) => xml.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
const file = (content: string, attributes = '') =>
  `<mxfile host="Electron" ${attributes}><diagram id="d" name="Page-1">${content}</diagram></mxfile>`
const noCopy = /^This is no draw\.io file\. Send the \.drawio file/

describe('DIA-17 reports about draw.io files', () => {
  const cases: [string, string, unknown][] = [
    [
      'lgazo/drawio-mcp-server#69',
      model(
        `<UserObject id="A" label="Alpha"><mxCell vertex="1" parent="1">${geometry(0)}</mxCell></UserObject>`,
        `<object id="B" label="Beta"><mxCell vertex="1" parent="1">${geometry(400)}</mxCell></object>`,
        '<object id="l" label="10G"><mxCell edge="1" parent="1" source="A" target="B"><mxGeometry as="geometry"/></mxCell></object>',
      ),
      { nodes: ['Alpha', 'Beta'], edges: ['A-B 10G'], skipped: [] },
    ],
    [
      'dmulyalin/N2G#1',
      model(
        a,
        b,
        edge(),
        '<mxCell id="t" value="Te1/2" style="edgeLabel" vertex="1" connectable="0" parent="l"><mxGeometry x="0.5" y="-1" relative="1" as="geometry"><mxPoint as="offset"/></mxGeometry></mxCell>',
        '<mxCell id="s" value="Gi1/1" style="edgeLabel" vertex="1" connectable="0" parent="l"><mxGeometry x="-0.5" y="1" relative="1" as="geometry"><mxPoint as="offset"/></mxGeometry></mxCell>',
      ),
      { ...two, edges: ['A-B Gi1/1 / Te1/2'] },
    ],
    [
      'jgraph/drawio#2698',
      model(
        a,
        b,
        vertex('C', 800),
        edge(
          '<mxGeometry relative="1" as="geometry"><mxPoint x="810" y="10" as="sourcePoint"/><mxPoint x="820" y="9" as="targetPoint"/></mxGeometry>',
        ),
      ),
      { ...two, nodes: ['A', 'B', 'C'] },
    ],
    [
      'jgraph/drawio#4169',
      `<mxlibrary>[{"xml":"${escapeXml(model(a))}","w":80,"h":40,"title":"A"}]</mxlibrary>`,
      expect.stringMatching(/^This is a library of shapes, not a diagram/),
    ],
    ['jgraph/drawio-desktop#1020', file(encodeURIComponent(model(a, b, edge()))), two],
    ['laingsimon/render-diagram#5', file(pack(model(a, b, edge())).replace(/(.{76})/g, '$1\n')), two],
    [
      'KonghaYao/docsify-drawio#2',
      file(model(a, b, edge()), 'compressed="false" version="15.8.7" etag="x" type="device"'),
      two,
    ],
    [
      'jgraph/drawio#3813',
      '\ufffdPNG\r\n\u001a\n\0\0\0\rIHDR tEXtmxfile\0%3Cmxfile',
      expect.stringMatching(noCopy),
    ],
    [
      'hediet/vscode-drawio#119',
      `<svg xmlns="http://www.w3.org/2000/svg" content="${escapeXml(file(pack(model(a, b, edge()))))}"><g/></svg>`,
      two,
    ],
    [
      'jgraph/drawio#774',
      `<?xml version="1.0" encoding="UTF-8"?>\n<!-- comment -->\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n<svg content="${escapeXml(file(model(a, b, edge())))}"/>`,
      two,
    ],
    [
      'DayuanJiang/next-ai-draw-io#130',
      model(a, b, edge('<mxGeometry relative="1" as="geometry"><mxPoint x="200" y="90"/></mxGeometry>')),
      two,
    ],
    [
      'TheLobbi/claude#95',
      model(
        vertex('A', 0, 'style="shape=image;\n  html=1;\n  image=img/lib/mscae/Firewall.svg;"', ''),
        vertex(
          'B',
          400,
          'style="rounded=1;\n      html=1;\n      fillColor=#ff0000;"',
          '&lt;b&gt;B&lt;/b&gt;',
        ),
        vertex('T', 800, 'style="whiteSpace=wrap;\n  text;"'),
        edge(),
      ),
      { nodes: ['Firewall', 'B'], edges: ['A-B'], skipped: ['Text “T”'] },
    ],
    [
      'jgraph/drawio-mcp#64',
      model(
        `<mxCell id="box" value="Site" vertex="1" parent="1" style="swimlane">${geometry(0)}</mxCell>`,
        `<mxCell id="A" value="A" vertex="1" parent="box">${geometry(10)}</mxCell><mxCell id="B" value="B" vertex="1" parent="box">${geometry(300)}</mxCell>`,
        '<mxCell id="l" edge="1" parent="1" source="A" target="B"/>',
      ),
      { nodes: ['Site', 'A', 'B'], edges: ['A-B'], skipped: [] },
    ],
    [
      'maxGraph/maxGraph#485',
      model(
        vertex(
          'A',
          0,
          'style="html=1"',
          '&lt;b&gt;SW&lt;/b&gt;&lt;div&gt;10.0.0.1&lt;/div&gt;&lt;p&gt;x&lt;/p&gt;a&lt;br /&gt;b',
        ),
        b,
        edge(),
      ),
      { ...two, nodes: ['SW 10.0.0.1 x a b', 'B'] },
    ],
    [
      'MerrimanInd/drawpyo#125',
      model(
        `<UserObject id="A" label="A" link="data:page/id,d2" tooltip="rack 4"><mxCell vertex="1" parent="1">${geometry(0)}</mxCell></UserObject>`,
        b,
        edge(),
      ),
      two,
    ],
    ['jgraph/drawio#966', file(model(a, b)).slice(0, -60), expect.stringMatching(/^The file /)],
  ]
  it.each(cases)('%s', async (_, content, expected) => {
    expect(await read(content)).toEqual(expected)
  })
})
