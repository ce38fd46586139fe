import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Locator, Page } from 'playwright-core'
import { afterAll, expect, it, type TestContext } from 'vitest'
import openapi from '#functions/openapi.json' with { type: 'json' }
import { docsFolder, removeExamples } from '#local/build/build.ts'
import type { SampledDocument } from '#local/build/code-samples.ts'
import { createDocsDocument } from '#local/build/docs-document.ts'
import { demoSignIns, seedDemo } from '#local/demo.ts'
import { root } from '#local/root.ts'
import { startOwnService } from '#test/support/app.ts'
import { useBrowserPages } from '#test/support/browser-pages.ts'
import { night } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'
import { registerUser } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const openPage = useBrowserPages()

/** Return the name of Scalar's script, which the page loads. */
async function findScript(): Promise<string> {
  const page = await (await fetch(`${service.api}/docs/`)).text()
  return /scalar-[\da-f]{12}\.js/.exec(page)?.[0] ?? ''
}
const guides = await readFile(join(root, 'lib/http/docs/guides.md'), 'utf8')
const docsDocument = createDocsDocument(openapi as unknown as SampledDocument, guides)

it('redirects /docs to /docs/ and serves every file of the page with its content type', async () => {
  const response = await fetch(`${service.api}/docs`, { redirect: 'manual' })
  expect([response.status, response.headers.get('location')]).toEqual([308, '/docs/'])
  for (const [name, type] of [
    ['', 'text/html'],
    ['style.css', 'text/css'],
    [await findScript(), 'text/javascript'],
    ['start.js', 'text/javascript'],
    ['demo.json', 'application/json'],
    ['favicon.svg', 'image/svg+xml'],
  ]) {
    const file = await fetch(`${service.api}/docs/${name}`)
    expect([name, file.status, file.headers.get('content-type')?.split(';')[0]]).toEqual([name, 200, type])
  }
})

it('INS-11 a browser keeps the script of the page for good, and asks for other files whether they have changed', async () => {
  const read = (name: string, headers = {}) => fetch(`${service.api}/${name}`, { headers })
  const script = await read(`docs/${await findScript()}`)
  expect([script.status, script.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ])
  await script.arrayBuffer()
  for (const name of ['docs/', 'docs/start.js', 'openapi.json']) {
    const file = await read(name)
    expect([name, file.status, file.headers.get('cache-control')]).toEqual([name, 200, 'no-cache'])
    await file.text()
    const again = await read(name, { 'if-none-match': file.headers.get('etag') ?? '' })
    expect([name, again.status, await again.text(), again.headers.get('cache-control')]).toEqual([
      name,
      304,
      '',
      'no-cache',
    ])
  }
  for (const name of ['docs/missing.js', 'docs/scalar-0123456789ab.js']) {
    const missing = await read(name)
    expect([name, missing.status, missing.headers.get('cache-control')]).toEqual([name, 404, 'no-store'])
  }
})

it('WIR-36 lets the docs page load only its own files, and the JSON answers nothing', async () => {
  const readPolicy = async (path: string) =>
    (await fetch(`${service.api}${path}`)).headers.get('content-security-policy')
  for (const path of ['/health', '/openapi.json', '/nowhere', '/api/v1/trees'])
    expect([path, await readPolicy(path)]).toEqual([path, "default-src 'none'; frame-ancestors 'none'"])
  for (const path of ['/docs/', '/docs/start.js'])
    expect(await readPolicy(path)).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; (?!.*unsafe).*frame-ancestors 'none'$/,
    )
})

it('the docs page refers to no other origin, because it must work offline', async () => {
  for (const name of ['', 'start.js', 'style.css', 'favicon.svg']) {
    const text = await (await fetch(`${service.api}/docs/${name}`)).text()
    expect(text.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\/|["']\/\//)
  }
})

it('serves the OpenAPI document with guides and code samples at /docs/openapi.json', async () => {
  const response = await fetch(`${service.api}/docs/openapi.json`)
  expect(response.headers.get('content-type')).toContain('application/json')
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(docsDocument)))
})

it('DOC-01 the files of the docs page are at most 1.5 MB, compressed', async () => {
  const files = await Promise.all((await readdir(docsFolder)).map((name) => readFile(join(docsFolder, name))))
  expect(files.reduce((total, file) => total + gzipSync(file).length, 0)).toBeLessThanOrEqual(1_500_000)
})

it('DOC-02 every command of the guides succeeds as it is written', async () => {
  await seedDemo(service)
  const [{ email, password }] = demoSignIns as [(typeof demoSignIns)[number]]
  const commands = [...guides.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text).join('')
  const values: Record<string, string> = { API: `${service.api}/api/v1`, EMAIL: email, PASSWORD: password }
  const ownCommands = commands.replace(
    /\b(API|EMAIL|PASSWORD)=\S+/g,
    (_, name: string) => `${name}=${values[name]}`,
  )
  // A stream has no end. 28 is a request that took too long.
  const curl = `curl() { case "$1" in -sN) command curl -m 1 -f "$@" || [ $? = 28 ] ;; *) command curl -f "$@" ;; esac; }`
  const script = `set -euo pipefail; cd "$(mktemp -d)"; ${curl}\n${ownCommands}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script])
  for (const part of [
    '"Only Maya"',
    'rel="next"',
    `"email":"${email}"`,
    '4712',
    '"current_step"',
    'Verified Successfully',
    'retry:',
  ])
    expect(stdout).toContain(part)
})

it('serves the OpenAPI document without examples at /openapi.json, in at most 2.1 KB for each operation', async () => {
  const text = await (await fetch(`${service.api}/openapi.json`)).text()
  expect(JSON.parse(text)).toEqual(removeExamples(openapi))
  const count = Object.values(openapi.paths).flatMap((path) => Object.keys(path)).length
  expect(text.length / count).toBeLessThanOrEqual(2100)
})

/**
 * Return the addresses of the operations in the navigation, such as `GET /api/v1/…`, after opening all
 * groups.
 */
async function listShownOperations(page: Page): Promise<string[]> {
  const closedGroups = page.locator('aside button[aria-expanded=false]')
  const openAll = async () => {
    await closedGroups.evaluateAll((buttons) => {
      for (const button of buttons as HTMLElement[]) button.click()
    })
    return closedGroups.count()
  }
  await expect.poll(openAll, { timeout: 30_000 }).toBe(0)
  const addresses = await page
    .locator('aside a[href*="/api/v1/"]')
    .evaluateAll((links) => links.map((link) => `${link.getAttribute('href')}`))
  return addresses.map((address) => address.replace(/^#tag\/[^/]+\/([A-Z]+)(\/.*)$/, '$1 $2'))
}

function listForeignUrls(urls: readonly string[]): string[] {
  return urls.filter((url) => new URL(url).origin !== service.api && !url.startsWith('data:'))
}

it(
  'the docs page lists every operation and sends requests to its own origin only',
  night,
  async (context) => {
    const { page, requestedUrls, problems } = await openPage(context)
    await page.goto(`${service.api}/docs`)
    await page.locator('aside button[aria-expanded]').first().waitFor()
    const declaredOperations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect((await listShownOperations(page)).sort()).toEqual(declaredOperations.sort())
    expect(requestedUrls.length).toBeGreaterThan(4)
    expect(listForeignUrls(requestedUrls)).toEqual([])
    expect(problems).toEqual([])
  },
)

const { paths, ...rest } = docsDocument
const fewPaths = Object.entries(paths).filter(
  ([path]) => path.startsWith('/api/v1/notifications/') || path === '/api/v1/trees',
)
const shortDocument = { ...rest, paths: Object.fromEntries(fewPaths) }

/**
 * Open a page whose reference has only the operations of notifications and the list of flows, because the
 * complete document takes seconds to draw.
 */
async function openShortPage(context: TestContext) {
  const opened = await openPage(context)
  await opened.page.route('**/docs/openapi.json', (route) => route.fulfill({ json: shortDocument }))
  return opened
}

/** Open the reference at an operation of a group. Return its section. */
async function openOperation(page: Page, group: string, operation: string): Promise<Locator> {
  await page.goto(`${service.api}/docs/#tag/${group}/${operation}`)
  const section = page.locator(`section[id$="/${operation}"]`)
  await section.waitFor()
  return section
}

/** Send the request of an operation from the page. Return the dialog with the response. */
async function sendRequest(page: Page, section: Locator): Promise<Locator> {
  await section.getByRole('button', { name: /Test Request/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /Send/ }).first().click()
  await dialog.getByText(/Duration:/).waitFor()
  return dialog
}

const listEventKeys = 'GET/api/v1/notifications/event-keys'

it(
  'WIR-36 the docs page executes an operation with a pasted token, shows the response, and forgets the token when it is left',
  night,
  async (context) => {
    const { page, requestedUrls, problems } = await openShortPage(context)
    const { admin } = await createAccount(service)
    await page.goto(`${service.api}/docs/`)
    await page.getByPlaceholder('Token').first().fill(admin.token)
    const dialog = await sendRequest(page, await openOperation(page, 'notifications', listEventKeys))
    expect(await dialog.textContent()).toContain('200 OK')
    expect(await dialog.textContent()).toContain('session.escalated')
    expect(requestedUrls).toContain(`${service.api}/api/v1/notifications/event-keys`)
    expect(listForeignUrls(requestedUrls)).toEqual([])
    expect(problems).toEqual([])
    await page.goto('about:blank')
    const repeated = await sendRequest(page, await openOperation(page, 'notifications', listEventKeys))
    expect(await repeated.textContent()).toContain('401 Unauthorized')
  },
)

it('DOC-03 the docs page is signed in as a demo user where the service has some', night, async (context) => {
  const { page, problems } = await openShortPage(context)
  const user = await registerUser(service)
  await page.route('**/docs/demo.json', (route) =>
    route.fulfill({ json: [{ ...user, description: 'account admin' }] }),
  )
  const section = await openOperation(page, 'notifications', listEventKeys)
  await page.getByText('is signed in for the requests of this page.').waitFor()
  expect(await (await sendRequest(page, section)).textContent()).toContain('200 OK')
  expect(problems).toEqual([])
})

it(
  'the docs page shows every documented status of an operation, and its request in four languages',
  night,
  async (context) => {
    const { page, problems } = await openShortPage(context)
    const section = await openOperation(page, 'notifications', 'POST/api/v1/notifications/configs')
    expect(await page.getByLabel('Demo user').isVisible()).toBe(false)
    const statuses = await section
      .locator('button[id*=".responses."]')
      .evaluateAll((all) => all.map(({ id }) => id.split('.').pop()))
    expect(statuses.sort()).toEqual(
      Object.keys(openapi.paths['/api/v1/notifications/configs'].post.responses).sort(),
    )
    const selectLanguage = section.locator('button', { hasText: 'Shell Curl' })
    expect(await section.textContent()).toContain('oncall@northwind.example')
    await selectLanguage.click()
    expect(await page.getByRole('option').allInnerTexts()).toEqual([
      'TypeScript client',
      'Invoke-RestMethod',
      'Requests',
      'Curl',
    ])
    await page.getByRole('option', { name: 'TypeScript client' }).click()
    await section.getByText('client.notifications.createConfig').waitFor()
    expect(problems).toEqual([])
  },
)

it('the docs page finds an operation by words of its summary', night, async (context) => {
  const { page, problems } = await openShortPage(context)
  await page.goto(`${service.api}/docs/`)
  await page
    .getByRole('button', { name: /Search/ })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('combobox').fill('event keys')
  await page
    .getByRole('option', { name: /List event keys/ })
    .first()
    .waitFor()
  expect(problems).toEqual([])
})

it('DOC-04 the docs page has guides, and first sends a list without filters', night, async (context) => {
  const { page, requestedUrls, problems } = await openShortPage(context)
  const user = await registerUser(service)
  await page.route('**/docs/demo.json', (route) =>
    route.fulfill({ json: [{ ...user, description: 'account admin' }] }),
  )
  const section = await openOperation(page, 'flowstrees', 'GET/api/v1/trees')
  const chapters = ['Start', 'Sign-in and keys', 'Paging', 'Errors', 'Streams', 'Webhooks']
  for (const name of chapters) await page.locator('aside').getByText(name, { exact: true }).first().waitFor()
  expect(await (await sendRequest(page, section)).textContent()).toContain('"tree_type"')
  expect(requestedUrls).toContain(`${service.api}/api/v1/trees`)
  expect(problems).toEqual([])
})

// Links to what others document, and names that nobody can register (RFC 2606).
const foreignAddress = /https?:\/\/(?!www\.standardwebhooks\.com|[\w.-]*\.example[/:)'"\s])[^\s'"`)]*/g

it(
  'DOC-05 guides and samples have no address but that of the service that is open',
  night,
  async (context) => {
    for (const { name, description } of docsDocument.tags)
      expect([name, ...(description.match(foreignAddress) ?? [])]).toEqual([name])
    const { page, problems } = await openShortPage(context)
    await openOperation(page, 'flowstrees', 'GET/api/v1/trees')
    const chapters = docsDocument['x-tagGroups'][0]?.tags ?? []
    for (const chapter of chapters) {
      await page.locator('aside').getByText(chapter, { exact: true }).first().click()
      await page.getByRole('heading', { name: chapter, exact: true }).first().waitFor()
    }
    const text = `${await page.locator('main').textContent()}`
    expect(text).toContain(`API=${service.api}/api/v1`)
    expect(text).toContain(`baseUrl: '${service.api}'`)
    expect(text).not.toContain('{service_address}')
    const addresses = (text.match(foreignAddress) ?? []).filter((address) => !address.startsWith(service.api))
    expect(addresses).toEqual([])
    expect(problems).toEqual([])
  },
)

it(
  'DOC-05 the samples of the guides fit beside the navigation, and the bar of demo users on a phone',
  night,
  async (context) => {
    const { page } = await openShortPage(context)
    const user = await registerUser(service)
    await page.route('**/docs/demo.json', (route) =>
      route.fulfill({ json: [{ ...user, description: 'account admin' }] }),
    )
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${service.api}/docs/#tag/start`)
    const samples = page.locator('[id$="tag-group/guides"] pre')
    await samples.first().waitFor()
    const isCut = (element: Element) => element.scrollWidth > element.clientWidth
    expect(await samples.first().evaluate((sample) => sample.clientWidth)).toBeGreaterThan(800)
    for (const sample of await samples.all()) expect(await sample.evaluate(isCut)).toBe(false)
    await page.setViewportSize({ width: 390, height: 844 })
    const status = page.locator('#demo output')
    await status.getByText('is signed in for the requests of this page.').waitFor()
    expect(await status.evaluate(isCut)).toBe(false)
    expect(await page.locator('#demo').evaluate((bar) => bar.scrollHeight > bar.clientHeight)).toBe(false)
  },
)
