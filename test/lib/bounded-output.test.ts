import { join } from 'node:path'
import { extractText, getDocumentProxy } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { folderAssets } from '#platform/node/static-files.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { toDiagramContent } from '#rules/diagrams/compare.ts'
import { computePositions } from '#rules/diagrams/layout.ts'
import type { DiagramNode } from '#rules/diagrams/schema.ts'
import { spreadNodes } from '#rules/diagrams/spread.ts'
import { renderSvg } from '#rules/diagrams/svg.ts'
import { renderHtml } from '#rules/exports/html.ts'
import { renderMarkdown } from '#rules/exports/markdown.ts'
import { maskReport } from '#rules/exports/mask.ts'
import { renderPdf } from '#rules/exports/pdf.ts'
import type { Report } from '#rules/exports/report.ts'
import { renderText } from '#rules/exports/text.ts'
import { renderTicketNote } from '#rules/exports/ticket-note.ts'
import { mask, maskStored } from '#rules/masking/mask.ts'
import { writeIndentedJson } from '#rules/text/json.ts'
import { shortenedMark } from '#rules/text/written-bytes.ts'
import { type Content, compareVersions } from '#rules/versions/compare.ts'
import { renderComparison } from '#rules/versions/html.ts'
import { night } from '#test/support/night.ts'
import { createReport } from '#test/support/report.ts'
import { createStep } from './rules/exports/export-document.ts'

// What was stored is shown within limits of work and of size, and says where it was shortened.

const maxAnswerBytes = 8 * 1024 * 1024

describe('SES-58 an export', () => {
  const render = (report: Report) =>
    [renderMarkdown, renderText, renderTicketNote]
      .map((write) => write(report))
      .concat(renderHtml(report, new Map()))

  it.each([
    [
      'a table of cells that its text does not name',
      `${'a|'.repeat(160)}\n${'-|'.repeat(160)}\n${'a|\n'.repeat(400)}\n`.repeat(10),
    ],
    ['a deep quote of many lines', `${'>'.repeat(79)}a\n${'b\n'.repeat(10_000)}`],
    ['a deep list of many lines', `${'- '.repeat(39)}a\n${'b\n'.repeat(10_000)}`],
  ])('SES-58 shows %s as its source when it would be large', (_, description) => {
    for (const text of render(createReport({ steps: Array(20).fill(createStep({ description })) })))
      expect(text.length).toBeLessThan(maxAnswerBytes)
  })

  it('SES-58 of quotation marks, which are escaped, has at most 8 MiB', () => {
    const html = renderHtml(
      createReport({ facts: Array(40).fill({ label: 'a', value: '"'.repeat(60_000) }) }),
      new Map(),
    )
    expect([
      html.length < maxAnswerBytes,
      html.includes(shortenedMark),
      html.length > 4 * 1024 * 1024,
    ]).toEqual([true, true, true])
  })

  it('SES-58 with images has less room for its texts', () => {
    const report = createReport({ facts: Array(40).fill({ label: 'a', value: 'x'.repeat(60_000) }) })
    const image = { jpeg: new Uint8Array(6 * 1024 * 1024), width: 1, height: 1 }
    expect(
      runWithin(createBudget({ steps: jobSteps }), () => renderHtml(report, new Map())).length,
    ).toBeGreaterThan(1_500_000)
    expect(
      runWithin(createBudget({ steps: jobSteps }), () => renderHtml(report, new Map([[0, image]]))).length,
    ).toBeLessThan(1_100_000)
  })

  it('SES-58 of many small parts is cut, and says so in its notes', () => {
    const report = createReport({ facts: Array(60_000).fill({ label: 'a', value: 'b' }), notes: 'c' })
    for (const text of runWithin(createBudget({ steps: jobSteps }), () => render(report)))
      expect([text.length < maxAnswerBytes, text.includes(shortenedMark)]).toEqual([true, true])
  })

  it('SES-58 counts each format before it is written', () => {
    const report = createReport({ notes: 'word '.repeat(4000) })
    for (const write of [renderMarkdown, renderText, renderTicketNote]) {
      const budget = createBudget()
      runWithin(budget, () => write(report))
      expect(budget.getSpent().steps).toBeGreaterThan(300_000)
      expect(runWithin(createBudget({ steps: 300_000 }), () => write(report))).toContain(shortenedMark)
    }
  })

  it('SES-58 masks within half of the work, leaves out the rest, and counts names of secrets', async () => {
    const [budget, names] = [createBudget(), createBudget()]
    const masked = await runWithin(budget, () =>
      maskReport(
        createReport({ variables: Array(100).fill({ label: 'a', value: 'x '.repeat(20_000) }) }),
        maskStored,
      ),
    )
    expect(masked.variables.filter(({ value }) => value === shortenedMark)).toHaveLength(85)
    expect(budget.getSpent().steps).toBeLessThan(12_500_000)
    runWithin(names, () => maskStored('password '.repeat(1000)))
    expect(names.getSpent().steps).toBe(9000 * 20 + 1000 * 1500)
  })
})

describe('SES-58 a PDF', () => {
  const assets = folderAssets(join(root, 'dist/assets'))
  const branding = { company: 'Northwind IT', colour: null, footer: 'Harbour Street 12', logo: null }
  const render = (report: Partial<Report>) =>
    renderPdf(createReport({ title: '', ...report }), { branding, images: new Map(), assets })

  it('SES-58 counts its characters, those that may be shaped, and its lines', async () => {
    const budget = createBudget({ steps: jobSteps })
    await runWithin(budget, () => render({ notes: `${'a'.repeat(1000)}\n${'ا'.repeat(1000)}` }))
    expect(budget.getSpent().steps).toBe(2001 * 100 + 1000 * 200 + 2 * 1200)
  })

  it(
    'SES-58 of more text than a second can write is shortened, and lets other requests run in between',
    night,
    async () => {
      const budget = createBudget({ steps: jobSteps })
      const counts: number[] = []
      const counting = {
        ...budget,
        pause(counted = 0) {
          counts.push(counted)
          return budget.pause(counted)
        },
      }
      const steps = Array.from({ length: 60 }, (_, index) =>
        createStep({ number: `${index}`, note: `${index} ${'word '.repeat(4000)}` }),
      )
      const document = await getDocumentProxy(await runWithin(counting, () => render({ steps })))
      const { text } = await extractText(document, { mergePages: true })
      expect(text.match(/shortened: the report is too large/g)).toHaveLength(60 - 49)
      // A step of 20,000 characters fills four pages or five.
      expect([counts.length, counts.filter((counted) => counted >= 3_000_000).length]).toEqual([60, 49])
    },
  )
})

describe('SES-58 the pause of a budget', () => {
  it('SES-58 lets other work run after 50 ms of work that were counted before', async () => {
    const budget = createBudget()
    const order: string[] = []
    setTimeout(() => order.push('other'), 0)
    for (const counted of [2_000_000, 2_000_000, 2_000_000]) {
      await budget.pause(counted)
      order.push('part')
    }
    expect(order).toEqual(['part', 'part', 'other', 'part'])
  })
})

describe('VER-08 a comparison', () => {
  const createFlow = (count: number, fields: object): Content => ({
    fields: {},
    items: Array.from({ length: count }, (_, id) => ({
      list: 'steps',
      id: `${id}`,
      label: 'x',
      parentId: null,
      fields: { ...fields },
    })),
    isOrdered: true,
  })
  const createDiagram = (label: string): Content => {
    const edges = Array.from({ length: 2000 }, (_, id) => ({ id: `${id}`, source: 'a', target: 'b', label }))
    return toDiagramContent({
      name: '',
      description: '',
      client_name: null,
      asset_name: null,
      nodes: [],
      edges,
    })
  }
  const nested = (value: number) =>
    JSON.parse(`${'['.repeat(20)}${Array(100).fill(value)}${']'.repeat(20)}`) as unknown

  it.each([
    [
      'texts that differ in every word',
      createFlow(2000, { notes: 'a b '.repeat(500) }),
      createFlow(2000, { notes: 'a c '.repeat(500) }),
    ],
    [
      'texts of characters that are escaped',
      createFlow(2000, { notes: '"'.repeat(2000) }),
      createFlow(2000, { notes: "'".repeat(2000) }),
    ],
    ['deep values', createFlow(4000, { options: nested(1) }), createFlow(4000, { options: nested(2) })],
    ['edge labels', createDiagram('a b '.repeat(75)), createDiagram('c d '.repeat(75))],
  ])('VER-08 of %s has at most 8 MiB, and takes a quarter of a second', (_, before, after) => {
    const budget = createBudget()
    const comparison = { base: 1, version: 2, ...runWithin(budget, () => compareVersions(before, after)) }
    const page = runWithin(budget, () => renderComparison('x', comparison))
    for (const answer of [JSON.stringify(comparison), page])
      expect(Buffer.byteLength(answer)).toBeLessThan(maxAnswerBytes)
    expect(comparison.items).toHaveLength(after.items.length)
  })

  it('VER-08 shows a mark in place of a change that is too large', () => {
    const [before, after] = [
      createFlow(2000, { notes: 'a'.repeat(3000) }),
      createFlow(2000, { notes: 'b'.repeat(3000) }),
    ]
    const budget = createBudget({ steps: jobSteps })
    const { items } = runWithin(budget, () => compareVersions(before, after))
    expect([items[0]?.fields[0]?.parts?.length, items.at(-1)?.fields]).toEqual([
      2,
      [{ field: 'notes', before: null, after: shortenedMark, parts: null }],
    ])
    const page = runWithin(createBudget({ steps: 500_000 }), () =>
      renderComparison('x', { base: 1, version: 2, fields: [], items }),
    )
    expect([page.length < 600_000, page.includes(`<p>${shortenedMark}</p>`)]).toEqual([true, true])
  })
})

describe('DIA-20 a diagram', () => {
  const createNodes = (label: string): DiagramNode[] =>
    Array.from({ length: 1000 }, (_, id) => ({
      id: `${id}`,
      type: 'x',
      position: { x: (id % 30) * 200, y: id * 4 },
      data: { label },
    }))
  const edges = Array.from({ length: 2000 }, (_, id) => ({
    id: `${id}`,
    source: `${id % 1000}`,
    target: '0',
    label: 'w '.repeat(150),
  }))

  it('DIA-20 of the largest size is drawn whole, and each part is counted', () => {
    const budget = createBudget()
    const svg = runWithin(budget, () => renderSvg('Office', { nodes: createNodes('x'.repeat(3200)), edges }))
    expect([svg.includes(shortenedMark), svg.length < 2_000_000]).toEqual([false, true])
    expect(budget.getSpent().steps).toBe(1000 * (2000 + 3200) + 2000 * (1000 + 2500 + 300))
  })

  it('DIA-20 that takes too much work is drawn in part, with a mark', () => {
    const svg = runWithin(createBudget({ steps: 1_000_000 }), () =>
      renderSvg('Office', { nodes: createNodes('x'), edges }),
    )
    expect([svg.includes(shortenedMark), svg.match(/<g><rect/g)?.length]).toEqual([true, 499])
  })

  it('DIA-20 is laid out within the work of the request', () => {
    const [budget, nodes] = [createBudget(), createNodes('x')]
    runWithin(budget, () => spreadNodes(nodes))
    runWithin(budget, () => computePositions(['a'], [{ source: 'a', target: 'a' }], nodes))
    expect(budget.getSpent().steps).toBe(1000 * 1500 + 1002 * 100)
  })

  it('DIA-20 is a file without indentation if that would be larger than an answer may be', () => {
    const data = JSON.parse(`${'['.repeat(50)}${Array(1000).fill(1)}${']'.repeat(50)}`) as object
    expect(writeIndentedJson({ data }, 50_000)).toBe(JSON.stringify({ data }))
    expect(writeIndentedJson({ data }, 500_000)).toBe(JSON.stringify({ data }, null, 2))
  })
})

describe('SES-58 a stored text that is masked', () => {
  it('SES-58 is left out when it takes more work than is left, and never shown unmasked', () => {
    const text = 'password: Sommer!9x'
    // 19 characters, and a place that names a secret.
    const steps = 19 * 20 + 1500
    expect(runWithin(createBudget({ steps }), () => maskStored(text))).toBe('password: [masked secret]')
    expect(runWithin(createBudget({ steps: steps - 1 }), () => maskStored(text))).toBe(shortenedMark)
    expect(() => runWithin(createBudget({ steps: steps - 1 }), () => mask(text))).toThrow(
      expect.objectContaining({ status: 422 }),
    )
  })

  it('VER-08 counts what a page of a comparison writes', () => {
    const budget = createBudget()
    const fields = [{ field: 'name', before: null, after: 'ab', parts: null }]
    runWithin(budget, () => renderComparison('x', { base: 1, version: 2, fields, items: [] }))
    expect(budget.getSpent().steps).toBe(150 + 2)
    const item = {
      list: 'steps',
      id: 'a',
      label: 'b',
      change: 'added',
      moved: false,
      position_before: null,
      position_after: null,
    } as const
    const parts = [{ op: 'insert', text: 'cd' } as const]
    runWithin(budget, () =>
      renderComparison('x', {
        base: 1,
        version: 2,
        fields: [],
        items: [{ ...item, fields: [{ ...fields[0], field: 'name', before: null, after: null, parts }] }],
      }),
    )
    expect(budget.getSpent().steps).toBe(152 + 400 + 2 + 150 + 11 + 2)
  })
})
