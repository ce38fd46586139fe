import axe from 'axe-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeStatus } from '#functions/staff/html.ts'
import { pageStyle } from '#http/page-style.ts'
import { samples } from '#local/dashboard/preview-samples.ts'
import { buildWeeklyReport } from '#rules/reports/build-weekly.ts'
import { renderReportHtml } from '#rules/reports/html.ts'
import { renderComparison } from '#rules/versions/html.ts'
import { fullReport } from '#test/lib/rules/exports/export-document.ts'
import { openBrowser } from '#test/support/browser.ts'
import { night } from '#test/support/night.ts'
import { renderHtml } from '#test/support/with-budget.ts'

let browser: Awaited<ReturnType<typeof openBrowser>>
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

it.each(['light', 'dark'] as const)(
  'RPT-14 the page of a report has charts with titles, descriptions and tables, and can be read in %s mode',
  night,
  async (colorScheme) => {
    const page = await browser.newPage({ colorScheme, viewport: { width: 400, height: 800 } })
    await page.setContent(
      renderReportHtml(buildWeeklyReport(samples.week)).replace(/<meta http-equiv[^>]*>/, ''),
    )
    expect(await page.locator('svg[role=img] > title').allTextContents()).toEqual([
      'Sessions per day',
      'Sessions started per hour of the day',
    ])
    expect(await page.locator('svg > desc').first().textContent()).toMatch(
      /^Started: \d+ in all, most in \w{3} \(\d+\)\. Resolved: \d+ in all/,
    )
    for (const summary of await page.locator('summary').all()) await summary.click()
    expect(await page.locator('details table tbody tr').count()).toBe(7 + 24)
    await page.evaluate(axe.source)
    const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run())
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400)
    await page.close()
  },
)

const pages: [string, () => string][] = [
  ['an export of a session', () => renderHtml(fullReport)],
  [
    'a comparison of versions',
    () =>
      renderComparison('Flow', {
        base: 1,
        version: 2,
        fields: [],
        items: [],
      }),
  ],
]
it.each(
  pages.flatMap(([name, render]) =>
    (['light', 'dark'] as const).map((scheme) => [name, scheme, render] as const),
  ),
)('RPT-19 %s has landmarks and can be read in %s mode', night, async (_, colorScheme, render) => {
  const page = await browser.newPage({ colorScheme, viewport: { width: 390, height: 800 } })
  await page.setContent(render().replace(/<meta http-equiv[^>]*>/, ''))
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (window as unknown as { axe: typeof axe }).axe.run())
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  const [red = 0] =
    (await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g))) ?? []
  expect(Number(red) < 128).toBe(colorScheme === 'dark')
  await page.close()
})

it('RPT-19 the page of staff shows the buttons of its tables on a phone', async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } })
  const backlogs = [
    { outbox: 'deliveries' as const, open: 30_000, due: 10_000, oldest_due_seconds: 3_600_000 },
  ]
  const status = { dependencies: {}, warnings: [], backlogs, failing_webhooks: [], slow_statements: null }
  const others = {
    schedules: { due: 0, oldest_due_seconds: 0 },
    versions: { service: '1.2.3', migration: '0001_x.sql', postgresql: '18.4' },
  }
  await page.setContent(
    writeStatus({ ...status, ...others } as never, { message: undefined, formToken: 'x' }),
  )
  await page.addStyleTag({ content: pageStyle })
  const box = await page.locator('.table button').first().boundingBox()
  expect((box?.x ?? 400) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
  await page.close()
})
