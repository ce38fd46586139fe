import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { parseDrawio } from '#rules/diagrams/drawio.ts'

const vertex = (id: string, [x, y, width, height]: number[], parent = '1', style = '') =>
  `<mxCell id="${id}" value="${id}" vertex="1" parent="${parent}" style="${style}"><mxGeometry x="${x}" y="${y}" width="${width}" height="${height}" as="geometry"/></mxCell>`
const line = (attributes: string, points: string, parent = '1') =>
  `<mxCell id="l" edge="1" parent="${parent}" ${attributes}><mxGeometry relative="1" as="geometry">${points}</mxGeometry></mxCell>`
const point = (end: 'source' | 'target', x: number, y: number) =>
  `<mxPoint x="${x}" y="${y}" as="${end}Point"/>`
const readLines = async (...cells: string[]) => {
  const xml = `<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>${cells.join('')}</root></mxGraphModel>`
  const { edges, skipped } = await runWithin(createBudget(), () => parseDrawio(xml, 1))
  return [...edges.map(({ source, target }) => `${source}-${target}`), ...skipped]
}
const leftOut = 'Line (l): it does not connect two imported shapes'

describe('DIA-17 the free end of a line in a draw.io file', () => {
  // Shapes and lines may be in containers, whose places add up.
  const containers: [string, string, string][] = [
    ['on the page', '', '1'],
    ['in a container', vertex('box', [300, 70, 900, 900], '1', 'swimlane'), 'box'],
    [
      'in a container of another',
      vertex('outer', [50, -40, 2000, 2000], '1', 'container=1') +
        vertex('box', [300, 70, 900, 900], 'outer', 'container=1'),
      'box',
    ],
  ]
  it.each(containers)(
    'belongs to the shape that it lies on or almost touches, %s',
    async (_, around, parent) => {
      const wrong: string[] = []
      for (const end of ['source', 'target'] as const)
        for (let x = 180; x <= 300; x += 6)
          for (let y = 180; y <= 260; y += 4) {
            const other = end === 'source' ? 'target' : 'source'
            const distance = Math.hypot(Math.max(200 - x, 0, x - 280), Math.max(200 - y, 0, y - 240))
            const found = await readLines(
              around,
              vertex('A', [500, 500, 80, 40], parent),
              vertex('B', [200, 200, 80, 40], parent),
              line(`${other}="A"`, point(end, x, y), parent),
            )
            const expected = distance > 12 ? leftOut : end === 'source' ? 'B-A' : 'A-B'
            if (found.join() !== expected) wrong.push(`${end} at ${x} ${y}: ${found}`)
          }
      expect(wrong).toEqual([])
    },
  )
  it.each([
    ['both ends are free', 'A-B', line('', point('source', 70, 20) + point('target', 205, 20))],
    ['the line is in no container, but the shape is', 'A-C', line('source="A"', point('target', 420, 130))],
    ['an end in a container lies on nothing', leftOut, line('source="A"', point('target', 520, 330))],
    ['an end lies on the border of a container', 'A-box', line('source="A"', point('target', 395, 330))],
    ['the nearer of two shapes counts', 'C-B', line('source="C"', point('target', 193, 20))],
    ['both ends lie on one shape', leftOut, line('', point('source', 10, 10) + point('target', 40, 20))],
    ['only a text is there', leftOut, line('source="A"', point('target', 20, 310))],
    [
      'an end is where the file says, not where it lies',
      'A-B',
      line('source="A" target="B"', point('target', 40, 20)),
    ],
  ])('when %s', async (_, expected, cell) => {
    const found = await readLines(
      vertex('A', [0, 0, 80, 40]),
      vertex('B', [200, 0, 80, 40]),
      vertex('box', [400, 100, 200, 300], '1', 'swimlane'),
      vertex('C', [20, 20, 80, 40], 'box'),
      vertex('T', [0, 300, 80, 40], '1', 'text'),
      cell,
    )
    expect(found.filter((text) => !text.startsWith('Text'))).toEqual([expected])
  })
})
