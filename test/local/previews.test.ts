import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { listPreviews } from '#local/dashboard/previews.ts'
import { eventKeyList } from '#rules/events/keys.ts'
import { openBrowser } from '#test/support/browser.ts'
import { night } from '#test/support/night.ts'
import { linkEmails, securityEmails } from '#vendors/mail/contents.ts'
import { ClaimedDelivery } from '#work/claimed-deliveries.ts'
import { startTestServer } from './test-server.ts'

test('NOT-75 every event and every purpose of an e-mail has previews, with a plain text and both chat tools for each event', () => {
  const previews = listPreviews('#0f766e')
  const ids = new Set(previews.map(({ id }) => id))
  for (const key of [...eventKeyList, 'notification_test'])
    for (const part of ['member', 'listed', 'stranger', 'chat1', 'chat2'])
      expect(ids).toContain(`${key}.${part}`)
  // A text message, which has no layout.
  const mailPurposes = ClaimedDelivery.shape.purpose.unwrap().exclude(['verify_phone'])
  for (const purpose of mailPurposes.options) expect(ids).toContain(purpose)
  for (const preview of previews)
    if (preview.kind === 'mail') expect(preview.text).toMatch(/\n\n-- \n.+\n.+\n.+$/)
})

test('NOT-73 every e-mail says why somebody gets it and how to stop, and only those about an account show its name', () => {
  const mails = listPreviews().flatMap((preview) => (preview.kind === 'mail' ? [preview] : []))
  const own = ['sales_lead', 'feedback', ...Object.keys(linkEmails), ...Object.keys(securityEmails)]
  for (const { id, text, html } of mails) {
    const [, sender, reason, stop] = /\n\n-- \n(.+)\n(.+)\n(.+)$/.exec(text) ?? []
    expect([id, sender]).toEqual([id, own.includes(id) ? 'Support Flow' : 'Northwind IT via Support Flow'])
    expect([id, Boolean(reason && stop)]).toEqual([id, true])
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
  }
})

test('shows the page of the previews and each preview in frames that load nothing', async () => {
  const { call, read } = await startTestServer()
  const list = await read('/desk/previews.json')
  expect(list.length).toBeGreaterThan(60)
  expect(await (await call('GET', '/desk/previews?colour=0f766e')).text()).toContain(
    'session.escalated.member',
  )
  for (const { id } of list.filter((_, index) => index % 10 === 0)) {
    const response = await call('GET', `/desk/previews/${id}`)
    expect([response.status, response.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("default-src 'none'"),
    ])
  }
  expect((await call('GET', '/desk/previews/none')).status).toBe(404)
})

/** Return the elements that are wider than the page, and the lowest contrast of the page's texts. */
async function inspect(page: Page) {
  return page.evaluate(() => {
    const parse = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (colour: string) => {
      const [red = 0, green = 0, blue = 0] = parse(colour).map((value) =>
        value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
      )
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const findBackground = (element: Element | null): string => {
      for (let at = element; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at)
        if (parse(backgroundColor)[3] !== 0) return backgroundColor
      }
      return 'rgb(255,255,255)'
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const contrasts: number[] = []
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement
      if (!element || !walker.currentNode.textContent?.trim()) continue
      const [text, background] = [
        luminance(getComputedStyle(element).color),
        luminance(findBackground(element)),
      ]
      contrasts.push((Math.max(text, background) + 0.05) / (Math.min(text, background) + 0.05))
    }
    return {
      overflow: document.documentElement.scrollWidth - window.innerWidth,
      contrast: Math.min(...contrasts),
    }
  })
}

test(
  'NOT-74 the e-mails fit 320 pixels and can be read in light and dark mode in Chromium',
  night,
  async () => {
    const browser = await openBrowser()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    // The longest name, in one word.
    const all = listPreviews('#ffee00', 'W'.repeat(80))
    const mails = all.flatMap((preview) =>
      preview.kind === 'mail' && !preview.id.endsWith('.listed') ? [preview] : [],
    )
    for (const width of [320, 600]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        for (const { id, html } of mails) {
          await page.setContent(html)
          const { overflow, contrast } = await inspect(page)
          expect([id, width, colorScheme, overflow <= 0, contrast >= 4.5], `${contrast}`).toEqual([
            id,
            width,
            colorScheme,
            true,
            true,
          ])
        }
      }
    }
  },
)

test('axe finds nothing in an e-mail of each kind', async () => {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const browser = await openBrowser()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  for (const id of ['session.escalated.member', 'invite', 'verify_email']) {
    const mail = listPreviews('#ffee00').find((preview) => preview.id === id)
    await page.setContent(mail?.kind === 'mail' ? mail.html : '')
    await page.evaluate(axe)
    const run = () =>
      (window as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } }).axe.run()
    expect([id, (await page.evaluate(run)).violations.map((violation) => violation.id)]).toEqual([id, []])
  }
})
