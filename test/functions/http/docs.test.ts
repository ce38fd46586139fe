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

it('redirects /docs to /docs/ and serves every file of the page with its content type', async () => {
  const response = await fetch(`${service.api}/docs`, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([308, '/docs/'])
  for (const [name, type] of [
    ['', 'text/html'],
    ['swagger-ui.css', 'text/css'],
    ['swagger-ui-bundle.js', 'text/javascript'],
    ['start.js', 'text/javascript'],
    ['favicon.svg', 'image/svg+xml'],
  ]) {
    const file = await fetch(`${service.api}/docs/${name}`)
    expect([name, file.status, file.headers.get('content-type')?.split(';')[0]]).toEqual([name, 200, type])
  }
})

it('WIR-36 lets the docs page load only its own files, and the JSON answers nothing', async () => {
  const readPolicy = async (path: string) => (await fetch(`${service.api}${path}`)).headers.get('content-security-policy')
  for (const path of ['/health', '/openapi.json', '/nowhere', '/api/v1/trees'])
    expect([path, await readPolicy(path)]).toEqual([path, "default-src 'none'; frame-ancestors 'none'"])
  for (const path of ['/docs/', '/docs/start.js'])
    expect(await readPolicy(path)).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; (?!.*unsafe).*frame-ancestors 'none'$/,
    )
})

it('the docs page refers to no other origin, because it must work offline', async () => {
  for (const name of ['', 'start.js', 'favicon.svg']) {
    const text = await (await fetch(`${service.api}/docs/${name}`)).text()
    expect(text.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/|["']\/\//)
  }
})

it('serves the committed OpenAPI document at /docs/openapi.json', async () => {
  const response = await fetch(`${service.api}/docs/openapi.json`)
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(await response.json()).toEqual(openapi)
})

it('serves the OpenAPI document without examples at /openapi.json, in at most 600 KB', async () => {
  const text = await (await fetch(`${service.api}/openapi.json`)).text()
  expect(JSON.parse(text)).toEqual(removeExamples(openapi))
  expect(text.length).toBeLessThanOrEqual(600_000)
})

/** Return the operations that the page shows at the moment, such as `GET /api/v1/…`. */
function listShownOperations(page: Page): Promise<string[]> {
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

it('the docs page lists every operation and sends requests to its own origin only', async (context) => {
  const { page, requestedUrls, problems } = await openPage(context)
  await page.goto(`${service.api}/docs`)
  await page.waitForSelector('.opblock-tag')
  // The page renders the operations of a group only when the group is opened.
  const listedOperations: string[] = []
  for (const group of await page.locator('.opblock-tag').all()) {
    await group.click()
    await page.locator('.opblock').first().waitFor()
    listedOperations.push(...(await listShownOperations(page)))
    await group.click()
    await page.locator('.opblock').first().waitFor({ state: 'detached' })
  }
  const declaredOperations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect(listedOperations.sort()).toEqual(declaredOperations.sort())
  expect(requestedUrls.length).toBeGreaterThan(4)
  expect(requestedUrls.filter((url) => new URL(url).origin !== service.api && !url.startsWith('data:'))).toEqual([])
  expect(problems).toEqual([])
})

it('WIR-36 the docs page executes an operation with a pasted token, shows the response, and forgets the token when it is left', async (context) => {
  const { page, requestedUrls, problems } = await openPage(context)
  const { admin } = await createAccount(service)
  const address = `${service.api}/docs/#/notifications/notifications.listEventKeys`
  await page.goto(address)
  await page.click('.scheme-container .authorize')
  await page.fill('.modal-ux input[type=text]', admin.token)
  await page.click('.modal-ux button.authorize')
  await page.click('.modal-ux .btn-done')
  await page.click('.opblock.is-open .execute')
  const liveResponse = page.locator('.opblock.is-open .live-responses-table tbody .response')
  await liveResponse.waitFor()
  expect((await liveResponse.locator('.response-col_status').textContent())?.trim()).toBe('200')
  expect(await liveResponse.textContent()).toContain('session.escalated')
  expect(await page.locator('.opblock.is-open .request-url').textContent()).toContain(`${service.api}/api/v1/notifications/event-keys`)
  expect(requestedUrls).toContain(`${service.api}/api/v1/notifications/event-keys`)
  expect(requestedUrls.filter((url) => new URL(url).origin !== service.api && !url.startsWith('data:'))).toEqual([])
  expect(problems).toEqual([])
  await page.goto('about:blank')
  await page.goto(address)
  await page.click('.opblock.is-open .execute')
  await liveResponse.waitFor()
  expect((await liveResponse.locator('.response-col_status').textContent())?.trim()).toBe('401')
})

it('the docs page shows the request example and every documented status of an opened operation', async (context) => {
  const { page, problems } = await openPage(context)
  await page.goto(`${service.api}/docs/#/notifications/notifications.createConfig`)
  const operationBlock = page.locator('.opblock.is-open')
  await operationBlock.locator('.response-col_status', { hasText: '201' }).waitFor()
  expect(await operationBlock.locator('textarea.body-param__text').inputValue()).toContain('oncall@northwind.example')
  const declaredStatuses = Object.keys(openapi.paths['/api/v1/notifications/configs'].post.responses)
  const shownStatuses = await operationBlock
    .locator('.responses-table:not(.live-responses-table) .response > .response-col_status')
    .allTextContents()
  expect(shownStatuses.map((text) => /^\s*(\d{3}|default)/.exec(text)?.[1]).sort()).toEqual(declaredStatuses.sort())
  expect(problems).toEqual([])
})
