import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf'
import { describe, expect, it } from 'vitest'
import { samples } from '#local/dashboard/preview-samples.ts'
import { root } from '#local/root.ts'
import { folderAssets } from '#platform/node/static-files.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { renderPdf } from '#rules/exports/pdf.ts'
import { buildWeeklyReport } from '#rules/reports/build-weekly.ts'
import { renderReportPdf } from '#rules/reports/pdf.ts'
import { createImage } from '#test/support/images.ts'
import { createReport } from '#test/support/report.ts'
import { createStep, fullReport } from './export-document.ts'

// The checks of the Matterhorn protocol (https://pdfa.org/resource/the-matterhorn-protocol/) that a program can
// do, on what PDF.js reads: no checker of PDF/UA is in the registries.

const assets = folderAssets(join(root, 'dist/assets'))
const logo = { jpeg: await createImage('jpeg', 220, 34), width: 220, height: 34 }
const branding = { company: 'Northwind <IT> & Co', colour: null, footer: 'Harbour Street 12', logo }
const screenshot = { jpeg: await createImage('jpeg', 40, 20), width: 40, height: 20 }
const render = (report: typeof fullReport) =>
  runWithin(createBudget({ steps: jobSteps }), () =>
    renderPdf(report, { branding, images: new Map([[1, screenshot]]), assets }),
  )
const longTable = `| a | b |\n| --- | --- |\n${'| cell | |\n'.repeat(60)}| ${'word '.repeat(900)} | x |`

/** Every PDF that the service writes, by the file that writes it. */
const kinds: Record<string, Record<string, () => Promise<Uint8Array>>> = {
  'lib/rules/exports/pdf.ts': {
    'a session with every block': () =>
      render({
        ...fullReport,
        pendingStep: createStep({
          number: '3',
          title: 'Wait',
          description: '# One\n\n### Deep\n\n1. one\n   - two\n   - [ ] ~~three~~\n\n> quoted\n>\n> - four',
          evidence: [{ kind: 'screenshot', title: 'Screen', content: 'Shows <it>', image: 1 }],
        }),
      }),
    'a session of several pages': () =>
      render(
        createReport({
          description: `# First\n\n${longTable}`,
          steps: Array.from({ length: 40 }, (_, n) =>
            createStep({ number: `${n + 1}`, title: `Step ${n}`, description: 'text '.repeat(120) }),
          ),
          notes: `~~~\n${'code\n'.repeat(120)}~~~`,
        }),
      ),
    'an empty session': () => render(createReport({})),
    'a session from right to left': () =>
      render(createReport({ title: 'الطابعة', description: '- שלום\n- ok', notes: 'ملاحظة' })),
  },
  'lib/rules/reports/pdf.ts': {
    'a weekly report': () => renderReportPdf(buildWeeklyReport(samples.week), { branding, assets }),
  },
}

interface Node {
  role?: string
  type?: string
  id?: string
  alt?: string
  children?: Node[]
}
const listNodes = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(listNodes)]

/** Return what is wrong with a document. */
async function check(bytes: Uint8Array): Promise<string[]> {
  const file = Buffer.from(bytes).toString('latin1')
  const [document, { OPS }] = [await getDocumentProxy(bytes), await getResolvedPDFJS()]
  const problems: string[] = []
  const claim = (isRight: boolean, problem: string) => isRight || problems.push(problem)
  const { info, metadata } = (await document.getMetadata()) as unknown as {
    info: { Title?: string; Language?: string }
    metadata: { get(name: string): unknown } | null
  }
  claim((await document.getMarkInfo())?.Marked === true, '06: is not marked')
  claim(info.Language === 'en', '11-006: has no language')
  claim(metadata?.get('pdfuaid:part') === '1', '06-002: does not name its standard')
  claim(Boolean(info.Title) && metadata?.get('dc:title') === info.Title, '06-003: has no title')
  const preferences = (await document.getViewerPreferences()) as Record<string, unknown> | null
  claim(preferences?.DisplayDocTitle === true, '07: does not display its title')
  claim(file.split('/Tabs/S').length - 1 === document.numPages, '28-004: has another order of tabs')

  let lastLevel = 0
  const roles = new Set<string>()
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const tree = (await page.getStructTree()) as unknown as Node | null
    const nodes = tree ? listNodes(tree) : []
    for (const { role } of nodes) if (role) roles.add(role)
    const ids = nodes.flatMap(({ type, id }) =>
      type === 'content' ? Number(/mc(\d+)$/.exec(id ?? '')?.[1]) : [],
    )
    const { fnArray, argsArray } = await page.getOperatorList()
    const [marks, open]: [number[], string[]] = [[], []]
    for (const [index, code] of fnArray.entries()) {
      if (code === OPS.beginMarkedContent) open.push(String(argsArray[index][0]))
      else if (code === OPS.beginMarkedContentProps) {
        open.push('content')
        marks.push(Number(argsArray[index][1]))
      } else if (code === OPS.endMarkedContent) open.pop()
      else if (code === OPS.showText || code === OPS.constructPath || code === OPS.paintImageXObject)
        claim(open.length === 1, `01-005: page ${number} draws what is neither content nor an artifact`)
    }
    claim(open.length === 0, `page ${number} does not end its marked content`)
    claim(
      JSON.stringify([...marks].sort()) === JSON.stringify([...ids].sort()),
      `01-005: page ${number} has content that is not in the structure`,
    )
    for (const node of nodes) {
      const childRoles = (node.children ?? []).map(({ role, type }) => role ?? type)
      const only = (...allowed: string[]) => childRoles.every((role) => allowed.includes(role ?? ''))
      const level = Number(/^H(\d)$/.exec(node.role ?? '')?.[1] ?? 0)
      // A heading that continues on the next page is there too.
      if (level > 0 && level > lastLevel + 1) problems.push(`14-003: ${node.role} follows H${lastLevel}`)
      if (level > 0) lastLevel = level
      if (node.role === 'Table') claim(only('TR'), `15: a table has ${childRoles}`)
      if (node.role === 'TR') claim(only('TH', 'TD'), `15: a row has ${childRoles}`)
      if (node.role === 'L') claim(only('LI'), `16: a list has ${childRoles}`)
      if (node.role === 'LI') claim(only('Lbl', 'LBody'), `16: an item has ${childRoles}`)
      if (node.role === 'Figure') claim(Boolean(node.alt), '13-004: a figure has no text')
    }
  }
  claim(roles.has('H1') && !roles.has('undefined'), '14-002: has no H1')
  for (const item of (await document.getOutline()) ?? []) {
    const target = (item.dest as unknown[] | null)?.[0]
    claim(typeof (await document.getPageIndex(target as never)) === 'number', 'a bookmark leads nowhere')
  }
  return problems
}

describe.each(Object.entries(kinds))('SES-69 a PDF of %s is tagged', (_, documents) => {
  it.each(Object.entries(documents))('%s', async (_, write) => {
    expect(await check(await write())).toEqual([])
  })
})

it('SES-69 every file that writes a PDF is among those that are checked', () => {
  const writers = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' })
    .map((path) => `lib/${path}`)
    .filter((path) => path.endsWith('.ts') && !path.includes('/rules/pdf/'))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes('serializeDocument('))
  expect(writers.sort()).toEqual(Object.keys(kinds).sort())
})

it('SES-69 the structure has every kind of element, and bookmarks for the sections and steps', async () => {
  const document = await getDocumentProxy(
    (await kinds['lib/rules/exports/pdf.ts']?.['a session with every block']?.()) as Uint8Array,
  )
  const roles = new Set<string>()
  for (let number = 1; number <= document.numPages; number++) {
    const tree = (await (await document.getPage(number)).getStructTree()) as unknown as Node
    for (const { role } of listNodes(tree)) if (role) roles.add(role)
  }
  for (const role of 'H1 H2 H3 H4 P L LI Lbl LBody Table TR TH TD Figure BlockQuote'.split(' '))
    expect(roles).toContain(role)
  const [title] = (await document.getOutline()) as {
    title: string
    items: { title: string; items: unknown[] }[]
  }[]
  expect(title?.title).toBe('Printer offline')
  expect(title?.items.map((item) => item.title)).toEqual([
    'Details',
    'Steps',
    'Current step',
    'Also tried',
    'Also done',
    'Supporting data',
    'Notes',
    'Next steps',
  ])
  expect(title?.items[2]?.items).toMatchObject([{ title: '3. Wait' }])
})

it('SES-69 draws nothing for characters that nobody sees', async () => {
  const invisible =
    '\u00ad\u034f\u061c\u115f\u17b4\u180e\u200b\u200e\u2060\u2064\u2068\u2069\u206a\u3164\ufe0f\uffa0\u{e0041}\u{1d173}'
  const draw = async (notes: string) => {
    const document = await getDocumentProxy(await render(createReport({ notes })))
    const { items } = await (await document.getPage(1)).getTextContent()
    return items.map((item) => ('str' in item ? item.str : '')).join('|')
  }
  expect(await draw(`Dru${invisible}cker ${[...invisible].join('x')}`)).toBe(
    await draw(`Drucker ${'x'.repeat([...invisible].length - 1)}`),
  )
})
