import { describe, expect, it } from 'vitest'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { parseDrawio } from '#rules/diagrams/drawio.ts'
import { readCells } from '#rules/diagrams/drawio-cells.ts'

const escapeText = (text: string) => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
const file = (cells: string, page = 'Site') =>
  `<mxfile><diagram name="${escapeText(page)}"><mxGraphModel><root>${cells}</root></mxGraphModel></diagram><diagram/></mxfile>`
const readLabels = async (cells: string, page?: string) => {
  const parsed = await runWithin(createBudget({ steps: jobSteps }), () => readCells(file(cells, page), 1))
  return parsed.cells.map(({ label }) => label)
}
const cell = (value: string, style: string, attributes = 'vertex="1"') =>
  `<mxCell id="a" value="${escapeText(value)}" style="${style}" ${attributes}/>`

describe('the label of a draw.io cell', () => {
  it.each([
    ['VLAN < 100 & > 20', '', 'VLAN < 100 & > 20'],
    ['a &amp; b', 'shape=x', 'a &amp; b'],
    ['<b>A</b>', 'html=0', '<b>A</b>'],
    ['<b>A</b>', 'xhtml=1', '<b>A</b>'],
    ['<b>A</b>', 'html=1;html=0', '<b>A</b>'],
    ['<b>A</b>', 'html=0;html=1;', 'A'],
    ['VLAN &lt; 100 &amp; &gt; 20', 'html=1', 'VLAN < 100 & > 20'],
    ['&uuml;&copy;&euro;&#8364;&#x20ac;&hellip;&nbsp;&#39;x', 'html=1', "ü©€€€… 'x"],
    ['S<b>W</b>-<font color="red">CORE</font><div>10.0.0.1</div>a<br>b', 'html=1', 'SW-CORE 10.0.0.1 a b'],
    ['a\n  b', '', 'a b'],
    ['x'.repeat(301), '', 'x'.repeat(300)],
    [`${'x'.repeat(299)}😀`, '', 'x'.repeat(299)],
  ])('DIA-21 is read as draw.io shows it: %j with the style %j', async (value, style, label) => {
    expect(await readLabels(cell(value, style))).toEqual([label])
    expect(await readLabels(cell(value, style, 'edge="1"'))).toEqual([label])
    expect(await readLabels(cell(value, style, ''))).toEqual([label])
  })

  const parents =
    '<object id="0" label="" site="Berlin" rack="9"><mxCell/></object><mxCell id="1" parent="0"/><object id="g" label="G" rack="7"><mxCell vertex="1" parent="1"/></object>'
  it.each([
    ['%ip%', '10.0.0.1'],
    ['%ip%/%rack%/%site%', '10.0.0.1/7/Berlin'],
    ['%id%', 'a'],
    ['%page% %pagenumber%/%pagecount%', 'B & C 1/2'],
    ['%%ip%', '%ip%'],
    ['%none% 100% of 5 % x', '%none% 100% of 5 % x'],
    ['%label% %empty%|', '%label% |'],
    ['<b>%html%</b>', 'x < y'],
  ])('DIA-21 has the values of placeholders: %s', async (label, expected) => {
    const object = (placeholders: string) =>
      `<object id="a" label="${escapeText(label)}" ip="10.0.0.1" empty="" html="x &amp;lt; y" ${placeholders}><mxCell vertex="1" parent="g" style="html=1"/></object>`
    expect((await readLabels(parents + object('placeholders="1"'), 'B & C')).at(-1)).toBe(expected)
    expect((await readLabels(parents + object(''))).at(-1)).toBe(label.replace(/<\/?b>/g, ''))
  })

  it('DIA-21 is the value of its only placeholder', async () => {
    const object = (name: string) =>
      `<object id="a" label="x" ip="10.0.0.1" placeholders="1" placeholder="${name}"><mxCell vertex="1"/></object>`
    expect([await readLabels(object('ip')), await readLabels(object('gone'))]).toEqual([['10.0.0.1'], ['']])
  })

  it('DIA-21 counts the work of its placeholders', async () => {
    const object = `<object id="a" x="${'y'.repeat(1000)}" label="${'%x% '.repeat(12_000)}" placeholders="1"><mxCell vertex="1"/></object>`
    const many = file(object.repeat(10))
    await expect(
      runWithin(createBudget({ steps: jobSteps }), () => readCells(many, 1)),
    ).rejects.toMatchObject({
      body: { errors: [{ type: 'too_complex' }] },
    })
  })

  it('DIA-21 is written into what was skipped', async () => {
    const cells = cell('A &amp; <i>B</i>', 'text;html=1')
    const { skipped } = await parseDrawio(
      file(cells).replace('<diagram/>', '<diagram name="C &amp;amp; D&#10;E"/>'),
      1,
    )
    expect(skipped).toEqual([
      'Page “C &amp; D E”: only one page is imported; `page` chooses it',
      'Text “A & B”',
    ])
  })
})

describe('a hidden part of a draw.io file', () => {
  const shape = (id: string, attributes = '', x = 0) =>
    `<mxCell id="${id}" value="${id}" vertex="1" style="shape=mxgraph.cisco.routers.router" ${attributes}><mxGeometry x="${x}" width="80" height="60"/></mxCell>`
  const line = (id: string, source: string, target: string, attributes = '') =>
    `<mxCell id="${id}" edge="1" source="${source}" target="${target}" ${attributes}/>`

  it('DIA-22 is left out with what is in it, counted and named in skipped', async () => {
    const { nodes, edges, skipped } = await parseDrawio(
      file(
        [
          '<mxCell id="0"/><mxCell id="1" parent="0"/><mxCell id="2" value="Old site" parent="0" visible="0"/><mxCell id="3" parent="0" visible="0"/>',
          shape('A', 'parent="1"'),
          shape('B', 'parent="1"', 400),
          shape('Retired', 'parent="1" visible="0"', 800),
          shape('Gone', 'parent="2"', 1200),
          shape('In a group', 'parent="Gone" visible="0"', 0),
          '<object id="w" label="W"><mxCell vertex="1" parent="3"/></object>',
          line('l1', 'A', 'B', 'parent="1"'),
          line('l2', 'A', 'Retired', 'parent="1"'),
          line('l3', 'A', 'B', 'parent="1" visible="0" value="Spare"'),
        ].join(''),
      ).replace('<diagram/>', ''),
      1,
    )
    expect([nodes.map(({ id }) => id), edges.map(({ id }) => id)]).toEqual([['A', 'B'], ['l1']])
    expect(skipped).toEqual([
      'Layer “Old site”: it is hidden, with what is in it (2)',
      'Layer (3): it is hidden, with what is in it (1)',
      'Shape “Retired”: it is hidden',
      'Line “Spare”: it is hidden',
      'Line (l2): it does not connect two imported shapes',
    ])
  })

  it('DIA-22 is left out however deep it is in what is hidden, and what only shares its depth stays', async () => {
    const depths = [1, 49, 50, 51, 52, 500]
    const chain = (name: string, depth: number) =>
      Array.from({ length: depth }, (_, n) => `<mxCell id="${name}${n + 1}" parent="${name}${n}"/>`).join(
        '',
      ) + shape(`${name} text`, `parent="${name}${depth}"`)
    const wrong: number[] = []
    for (const depth of depths) {
      const cells = `<mxCell id="gone0" visible="0"/><mxCell id="seen0"/>${chain('gone', depth)}${chain('seen', depth)}`
      const { nodes } = await parseDrawio(file(cells), 1)
      if (nodes.map(({ id }) => id).join() !== 'seen text') wrong.push(depth)
    }
    expect(wrong).toEqual([])
  })

  it('DIA-22 is left out of a circle of parents', async () => {
    const cells = `<mxCell id="a" parent="b"/><mxCell id="b" parent="a" visible="0"/>${shape('c', 'parent="a"')}${shape('d')}`
    expect((await parseDrawio(file(cells), 1)).nodes.map(({ id }) => id)).toEqual(['d'])
  })
})
