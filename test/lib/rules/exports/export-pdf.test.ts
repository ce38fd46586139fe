import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { folderAssets } from '#platform/node/static-files.ts'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { renderPdf } from '#rules/exports/pdf.ts'
import type { Branding } from '#rules/exports/pdf-frame.ts'
import type { Report } from '#rules/exports/report.ts'
import { buildWeeklyReport } from '#rules/reports/build-weekly.ts'
import { renderReportPdf } from '#rules/reports/pdf.ts'
import { createImage } from '#test/support/images.ts'
import { createReport } from '#test/support/report.ts'
import { createWeekCounts } from '#test/support/week-counts.ts'
import { createStep, fullReport } from './export-document.ts'
import { listDrawingOperators } from './pdf-operators.ts'

const assets = folderAssets(join(root, 'dist/assets'))
const createBranding = (fields: Partial<Branding> = {}): Branding => ({
  company: 'Northwind IT',
  colour: '#b4232a',
  footer: null,
  logo: null,
  ...fields,
})

async function drawReport(report: Report, branding = createBranding(), images = new Map()): Promise<string> {
  return listDrawingOperators(
    await runWithin(createBudget({ steps: jobSteps }), () => renderPdf(report, { branding, images, assets })),
  )
}

it('SES-51 every section and every kind of block has its place and look in a PDF', async () => {
  const [screenshot, logo] = [
    { jpeg: await createImage('jpeg', 40, 20), width: 40, height: 20 },
    { jpeg: await createImage('jpeg', 220, 34), width: 220, height: 34 },
  ]
  const pendingStep = createStep({
    number: '3',
    title: 'Wait',
    description:
      '**bold** *slanted* ~~struck~~ `code` [link](https://x.example/)\n\n- # Head\n- \n\n> 1. one\n> > two',
    evidence: [{ kind: 'screenshot', title: 'Screen', content: 'Shows the error', image: 1 }],
  })
  const footer = 'Harbour Street 12\nBerlin\nGermany\nEurope'
  const operators = await drawReport(
    { ...fullReport, pendingStep },
    createBranding({ footer, logo }),
    new Map([[1, screenshot]]),
  )
  await expect(operators).toMatchFileSnapshot('export-document.pdf.txt')
})

it.each([
  [6, [11, 11]],
  [10, [11, 11]],
  [11, [8, 8]],
  [20, [8, 8, 8]],
  [28, [8, 8, 8, 8]],
  [29, [6, 6, 6]],
  [40, [6, 6, 6, 6]],
])('SES-24 the name of a company of %i words has lines of %j points', async (wordCount, sizes) => {
  const operators = await drawReport(
    createReport({}),
    createBranding({ company: 'Northwind '.repeat(wordCount).trim() }),
  )
  const lines = Array.from(operators.matchAll(/setFont \S+ (\d+)\nsetTextMatrix .*\nshowText "Northwind/g))
  expect(lines.map(([, size]) => Number(size))).toEqual(sizes)
})

it('SES-24 a team without a colour has blue headings', async () => {
  expect(await drawReport(createReport({}), createBranding({ colour: null }))).toMatch(
    /^page 1\nsetFillRGBColor #1c4fd9\n/,
  )
})

const weekCounts = createWeekCounts({
  flows: [{ tree_id: 'a', name: 'Printer 漢字', completed: 10, resolved: 9 }],
  hours: [
    { day: 1, hour: 9, sessions: 4, ai_sessions: 1, resolved: 3 },
    { day: 3, hour: 14, sessions: 2, ai_sessions: 0, resolved: 2 },
  ],
})

it('the tables and charts of a weekly report have their place and look in a PDF', async () => {
  const pdf = await renderReportPdf(buildWeeklyReport(weekCounts), {
    branding: createBranding({ footer: 'Harbour Street 12' }),
    assets,
  })
  await expect(await listDrawingOperators(pdf)).toMatchFileSnapshot('weekly-report.pdf.txt')
})

it('a weekly report without flows and without a footer says so', async () => {
  const pdf = await renderReportPdf(buildWeeklyReport({ ...weekCounts, flows: [] }), {
    branding: createBranding(),
    assets,
  })
  expect((await listDrawingOperators(pdf)).match(/showText "(?:None|Flows|Harbour).*"/g)).toEqual([
    'showText "Flows that help"',
    'showText "None this week."',
    'showText "Flows that do not help"',
    'showText "None this week."',
  ])
})

it('RPT-16 the PDF of a quiet week has sentences, and no charts and tables of zeros', async () => {
  const nothing = { completed: 0, resolved: 0, escalated: 0 }
  const claims = { escalated: 0, claimed: 0, unclaimed: 0, median_seconds: null, p90_seconds: null }
  const counts = {
    ...weekCounts,
    sessions: nothing,
    ai: { resolved: 0 },
    escalations: claims,
    flows: [],
    hours: [],
  }
  const operators = await listDrawingOperators(
    await renderReportPdf(buildWeeklyReport(counts), { branding: createBranding(), assets }),
  )
  expect(operators).toContain('showText "A quiet week: no session was started or ended.')
  expect(operators).not.toMatch(/showText "(?:Sessions|Flows|Busiest|None)/)
})

it('SES-52 Han characters have their Japanese shapes only in a report with kana', async () => {
  const listFonts = (pdf: Uint8Array) =>
    Array.from(
      Buffer.from(pdf)
        .toString('latin1')
        .matchAll(/\/F(\d+) \d+ 0 R/g),
      ([, font]) => font,
    )
  const options = { branding: createBranding(), images: new Map(), assets }
  const listReportFonts = async (notes: string) =>
    listFonts(await runWithin(createBudget(), () => renderPdf(createReport({ title: '直', notes }), options)))
  // A weekly report never has Japanese shapes.
  const week = { ...weekCounts.week, team_name: '直' }
  const weeklyFonts = listFonts(
    await renderReportPdf(buildWeeklyReport({ ...weekCounts, week, flows: [] }), options),
  )
  const countShared = (fonts: (string | undefined)[]) =>
    fonts.filter((font) => weeklyFonts.includes(font)).length
  expect([countShared(await listReportFonts('a')), countShared(await listReportFonts('aあ'))]).toEqual([2, 1])
})
