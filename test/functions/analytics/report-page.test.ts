import axe from 'axe-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { samples } from '#local/dashboard/preview-samples.ts'
import { buildWeeklyReport } from '#rules/reports/build-weekly.ts'
import { renderReportHtml } from '#rules/reports/html.ts'
import { openBrowser } from '#test/support/browser.ts'

let browser: Awaited<ReturnType<typeof openBrowser>>
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())

it.each(['light', 'dark'] as const)(
  'RPT-14 the page of a report has charts with titles, descriptions and tables, and can be read in %s mode',
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
