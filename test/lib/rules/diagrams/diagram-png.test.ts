import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { folderAssets } from '#platform/node/static-files.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { renderPng } from '#rules/diagrams/png.ts'
import { DiagramEdge, DiagramNode } from '#rules/diagrams/schema.ts'
import { someByDay } from '#test/support/night.ts'

const assets = folderAssets(join(root, 'dist/assets'))
const node = (id: string, x: number, y: number, label = id, fields: object = {}) =>
  DiagramNode.parse({ id, type: 'network', position: { x, y }, data: { label }, ...fields })
const render = (
  nodes: DiagramNode[],
  edges: DiagramEdge[] = [],
  budget = createBudget({ steps: jobSteps }),
) => runWithin(budget, () => renderPng('Site', { nodes, edges }, assets))
const measure = async (png: Uint8Array) => {
  const { format, width, height } = await sharp(png).metadata()
  return [format, width, height]
}

describe('the PNG image of a diagram', () => {
  // The first test, because the first calls start the renderer.
  it('DIA-29 is drawn for 32 callers at the same time', async () => {
    const callers = 32
    const all = Promise.withResolvers<void>()
    let waiting = 0
    const loadResvg = async () => {
      if (++waiting === callers) all.resolve()
      await all.promise
      return compiled
    }
    const compiled = await assets.loadResvg()
    const nodes = [node('a', 0, 0)]
    const images = await Promise.all(
      Array.from({ length: callers }, () =>
        runWithin(createBudget({ steps: jobSteps }), () =>
          renderPng('Site', { nodes, edges: [] }, { ...assets, loadResvg }),
        ),
      ),
    )
    expect(new Set(images.map((image) => Buffer.from(image).toString('base64'))).size).toBe(1)
  })

  it('DIA-29 has two pixels per pixel of the diagram, and at most 2 million', async () => {
    expect(await measure(await render([node('a', 0, 0)]))).toEqual(['png', 400, 286])
    expect(await measure(await render([]))).toEqual(['png', 800, 400])
    expect(await measure(await render([node('a', 0, 0), node('b', 5000, 5000)]))).toEqual(['png', 1422, 1406])
    expect(await measure(await render([node('a', -1_000_000, 0), node('b', 1_000_000, 0)]))).toEqual([
      'png',
      10_000,
      1,
    ])
  })

  it('DIA-29 shows the colours of nodes and lines', async () => {
    const style = { backgroundColor: '#ff0000', borderColor: '#0000ff', strokeWidth: 12 }
    const nodes = [node('a', 0, 0, 'a', { style }), node('b', 400, 0)]
    const edges = [
      DiagramEdge.parse({ id: 'e', source: 'a', target: 'b', style: { stroke: '#00ff00', strokeWidth: 8 } }),
    ]
    const { data, info } = await sharp(await render(nodes, edges))
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    const readPixel = (x: number, y: number) => [...data.subarray((y * info.width + x) * 3).subarray(0, 3)]
    // The margin is 40 pixels, and the box is 120 by 63.
    expect([readPixel(110, 120), readPixel(80, 140), readPixel(600, 143), readPixel(4, 4)]).toEqual([
      [255, 0, 0],
      [0, 0, 255],
      [0, 255, 0],
      [255, 255, 255],
    ])
  })

  // A character without a glyph is a square, so that two texts of one script would look the same.
  it.each([
    ['Ελλ', 'Ελά'],
    ['ﺏжд', 'ﺏжя'],
    ['Łód', 'Łóź'],
    ['東京', '東海'],
    ['안녕', '안전'],
    ['مرحبا', 'مرحبت'],
    ['שלום', 'שלוה'],
    ['हिन्दी', 'हिन्दु'],
    ['ไทย', 'ไทม'],
    ['😀', '😎'],
    ['é', 'è'],
  ])('DIA-29 draws the characters of every script, also in a text of several: %s', async (first, second) => {
    const [a, b] = [
      await render([node('a', 0, 0, `Site ${first} 1`)]),
      await render([node('a', 0, 0, `Site ${second} 1`)]),
    ]
    expect(Buffer.compare(a, b)).not.toBe(0)
    expect(Buffer.compare(a, await render([node('a', 0, 0, `Site ${first} 1`)]))).toBe(0)
  })

  it('DIA-29 is the same for letters that are composed in another way', async () => {
    const [a, b] = [
      await render([node('a', 0, 0, 'Gr\u00f6\u00dfe')]),
      await render([node('a', 0, 0, 'Gro\u0308\u00dfe')]),
    ]
    expect(Buffer.compare(a, b)).toBe(0)
  })

  const grid = (label: string, distance = 200) =>
    Array.from({ length: 1000 }, (_, n) =>
      node(`n${n}`, (n % 40) * distance, Math.floor(n / 40) * distance, label),
    )
  const links = (label: string, fields: object = {}) =>
    Array.from({ length: 2000 }, (_, n) =>
      DiagramEdge.parse({
        id: `e${n}`,
        source: `n${n % 1000}`,
        target: `n${(n * 7 + 1) % 1000}`,
        label,
        ...fields,
      }),
    )

  it.each(
    someByDay(
      [
        ['short labels', grid('Switch 1'), links('label 1')],
        ['long labels', grid('abcdefgh '.repeat(8)), links('abcdefghi '.repeat(3))],
        ['labels of many fonts', grid('aЯ東ไم'.repeat(13)), links('aЯ東ไم'.repeat(6))],
        ['curves', grid('a'), links('', { routing: 'curved', style: { strokeWidth: 12 } })],
        ['dashes', grid('a', 25_000), links('', { style: { strokeDasharray: '0 1', strokeWidth: 12 } })],
      ],
      2,
    ),
  )('DIA-29 of the largest size takes a bounded amount of work: %s', async (_, nodes, edges) => {
    const budget = createBudget({ steps: jobSteps })
    expect((await measure(await render(nodes, edges, budget)))[0]).toBe('png')
    expect(budget.getSpent().steps).toBeLessThanOrEqual(jobSteps)
    // Drawn without a bound, the slowest of them takes more than 10 s.
  })

  it('DIA-29 leaves out what takes too much work, and is refused when nothing can be drawn', async () => {
    const whole = await render(grid('Switch 1'))
    const part = await render(grid('Switch 1'), [], createBudget({ steps: 30_000_000 }))
    expect(part.length).toBeLessThan(whole.length / 2)
    await expect(render([], [], createBudget({ steps: 1_000_000 }))).rejects.toMatchObject({
      status: 422,
    })
  })
})
