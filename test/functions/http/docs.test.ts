import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import openapi from '../../../functions/openapi.json' with { type: 'json' }
import { removeExamples } from '../../../lib/local/build.ts'
import { startOwnService } from '../../support/app.ts'
import { useBrowserPages } from '../../support/browser-pages.ts'
import { createAccount } from '../../support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())
const openPage = useBrowserPages()

it('/docs leads to /docs/, and what the page loads is there, with its type', async () => {
  const answer = await fetch(`${service.api}/docs`, { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([308, '/docs/'])
  for (const [name, type] of [
    ['', 'text/html'],
    ['swagger-ui.css', 'text/css'],
    ['swagger-ui-bundle.js', 'text/javascript'],
    ['start.js', 'text/javascript'],
    ['favicon.svg', 'image/svg+xml'],
  ]) {
    const part = await fetch(`${service.api}/docs/${name}`)
    expect([name, part.status, part.headers.get('content-type')?.split(';')[0]]).toEqual([name, 200, type])
  }
})

it('the page names no other origin: the browser of a laptop might not ask it', async () => {
  for (const name of ['', 'start.js', 'favicon.svg']) {
    const text = await (await fetch(`${service.api}/docs/${name}`)).text()
    expect(text.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/|["']\/\//)
  }
})

it('/docs/openapi.json is the committed document', async () => {
  const response = await fetch(`${service.api}/docs/openapi.json`)
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(await response.json()).toEqual(openapi)
})

it('/openapi.json is the committed document without examples, at most 500 KB', async () => {
  const text = await (await fetch(`${service.api}/openapi.json`)).text()
  expect(JSON.parse(text)).toEqual(removeExamples(openapi))
  expect(text.length).toBeLessThanOrEqual(500_000)
})

/** The operations that stand on the page now, as `GET /api/v1/…`. */
function drawnOperations(page: Page): Promise<string[]> {
  return page.locator('.opblock').evaluateAll((blocks) =>
    blocks.map((block) => {
      const text = (name: string) =>
        block
          .querySelector(name)
          ?.textContent?.replace(/\u200b/g, '')
          .trim()
      return `${text('.opblock-summary-method')} ${text('.opblock-summary-path')}`
    }),
  )
}

it('the reference lists every operation and asks nobody but its own origin', async (context) => {
  const { page, requestedUrls, problems } = await openPage(context)
  await page.goto(`${service.api}/docs`)
  await page.waitForSelector('.opblock-tag')
  // A group is drawn when it is opened.
  const listed: string[] = []
  for (const group of await page.locator('.opblock-tag').all()) {
    await group.click()
    await page.locator('.opblock').first().waitFor()
    listed.push(...(await drawnOperations(page)))
    await group.click()
    await page.locator('.opblock').first().waitFor({ state: 'detached' })
  }
  const declared = Object.entries(openapi.paths).flatMap(([path, methods]) => Object.keys(methods).map((m) => `${m.toUpperCase()} ${path}`))
  expect(listed.sort()).toEqual(declared.sort())
  expect(requestedUrls.length).toBeGreaterThan(4)
  expect(requestedUrls.filter((url) => new URL(url).origin !== service.api && !url.startsWith('data:'))).toEqual([])
  expect(problems).toEqual([])
})

it('an operation is opened, tried out with a pasted token, and its answer shown', async (context) => {
  const { page, requestedUrls, problems } = await openPage(context)
  const { admin } = await createAccount(service)
  await page.goto(`${service.api}/docs/`)
  await page.click('.scheme-container .authorize')
  await page.fill('.modal-ux input[type=text]', admin.token)
  await page.click('.modal-ux button.authorize')
  await page.click('.modal-ux .btn-done')
  await page.goto('about:blank')
  await page.goto(`${service.api}/docs/#/notifications/notifications.listEventKeys`)
  await page.click('.opblock.is-open .execute')
  const answered = page.locator('.opblock.is-open .live-responses-table tbody .response')
  await answered.waitFor()
  expect((await answered.locator('.response-col_status').textContent())?.trim()).toBe('200')
  expect(await answered.textContent()).toContain('session.escalated')
  expect(await page.locator('.opblock.is-open .request-url').textContent()).toContain(`${service.api}/api/v1/notifications/event-keys`)
  expect(requestedUrls).toContain(`${service.api}/api/v1/notifications/event-keys`)
  expect(requestedUrls.filter((url) => new URL(url).origin !== service.api && !url.startsWith('data:'))).toEqual([])
  expect(problems).toEqual([])
})

it('an opened operation shows its request and answer examples and its failures', async (context) => {
  const { page, problems } = await openPage(context)
  await page.goto(`${service.api}/docs/#/notifications/notifications.createConfig`)
  const opened = page.locator('.opblock.is-open')
  await opened.locator('.response-col_status', { hasText: '201' }).waitFor()
  expect(await opened.locator('textarea.body-param__text').inputValue()).toContain('oncall@northwind.example')
  const declared = Object.keys(openapi.paths['/api/v1/notifications/configs'].post.responses)
  const shown = await opened.locator('.responses-table:not(.live-responses-table) .response > .response-col_status').allTextContents()
  expect(shown.map((text) => /^\s*(\d{3}|default)/.exec(text)?.[1]).sort()).toEqual(declared.sort())
  expect(problems).toEqual([])
})

it('the local desk draws a mail and the messages of both chat tools', async (context) => {
  const { page, requestedUrls, problems } = await openPage(context)
  const { admin } = await createAccount(service)
  const webhook = (tool: number) => ({ channel: `chat${tool}_webhook`, webhook_url: `${service.localOrigin}/chat/${tool}/desk` })
  for (const config of [webhook(1), webhook(2), { channel: 'email', email_addresses: ['desk@people.example'] }]) {
    const made = await admin.call('POST', '/notifications/configs', config)
    expect((await admin.call('POST', '/notifications/configs/test', { config_id: made.body.id })).body.success).toBe(true)
  }
  await page.goto(service.localOrigin)
  for (const tool of [1, 2]) {
    const drawn = page.locator('#chat article', { hasText: `/chat/${tool}/desk` }).locator('.message')
    expect(await drawn.textContent()).toContain('Test message')
    expect(await drawn.locator('a', { hasText: 'Open in Support Flow' }).getAttribute('href')).toMatch(/^https:\/\/app\./)
  }
  const mail = page.locator('#mail article', { hasText: 'desk@people.example' })
  expect(await mail.locator('b').first().textContent()).toBe('Test message')
  await mail.scrollIntoViewIfNeeded()
  const letter = mail.locator('iframe').contentFrame()
  expect(await letter.locator('h1').textContent()).toBe('Test message')
  expect(await letter.locator('a').getAttribute('href')).toBe('https://app.supportflow.example/settings/notifications')
  expect(requestedUrls.filter((url) => new URL(url).origin !== service.localOrigin && !url.startsWith('about:'))).toEqual([])
  expect(problems).toEqual([])
})

it("the local desk's levers work: a fault is set and lifted, the clock moves", async (context) => {
  const { page, problems } = await openPage(context)
  await page.goto(service.localOrigin)
  await page.selectOption('select[name=service]', 'chat1')
  await page.selectOption('select[name=mode]', 'error')
  await page.fill('input[name=times]', '3')
  await page.click('button:text-is("set")')
  await page.locator('p.bad', { hasText: 'chat1: error, 3 more' }).waitFor()
  expect(service.stack.localServer.faults.list()).toEqual([{ service: 'chat1', mode: 'error', times: 3 }])
  await page.click('button:text-is("clear all")')
  await page.locator('p.bad').waitFor({ state: 'detached' })
  expect(service.stack.localServer.faults.list()).toEqual([])
  await page.click('button:text-is("+ 2 min")')
  await page.getByText('120 s ahead').waitFor()
  const [moved] = await service.sql<{ seconds: number }>('select round(extract(epoch from app.now() - now()))::int as seconds')
  expect(moved?.seconds).toBe(120)
  expect(problems).toEqual([])
})
