import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { pageStyle } from '#http/page-style.ts'
import { request, startOwnService } from '#test/support/app.ts'
import { useBrowserPages } from '#test/support/browser-pages.ts'
import { night } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'
import { registerUser } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const openPage = useBrowserPages()

/** Make the service send a test message over every channel. */
async function sendTestMessages(): Promise<void> {
  const { admin } = await createAccount(service)
  const webhook = (tool: number) => ({
    channel: `chat${tool}_webhook`,
    webhook_url: `${service.localOrigin}/chat/${tool}/desk`,
  })
  for (const config of [
    webhook(1),
    webhook(2),
    { channel: 'email', email_addresses: ['desk@people.example'] },
  ]) {
    const created = await admin.call('POST', '/notifications/configs', config)
    expect(
      (await admin.call('POST', '/notifications/configs/test', { config_id: created.body.id })).body.success,
    ).toBe(true)
  }
}

/** Open a list and choose the first item that contains a text. */
async function openItem(page: Page, section: string, text: string): Promise<void> {
  await page.goto(`${service.localOrigin}/#${section}`)
  await page.locator('#items a', { hasText: text }).first().click()
  await page.getByRole('tab').first().waitFor()
}

it('the local dashboard shows an e-mail as HTML, text and source, and the messages of both chat tools', async (context) => {
  const { page, requestedUrls, problems } = await openPage(context)
  await sendTestMessages()
  await openItem(page, 'mail', 'desk@people.example')
  const mail = page.frameLocator('iframe')
  await mail.getByText('This channel is set up.').first().waitFor()
  const link = mail.getByRole('link', { name: 'Open in Support Flow' })
  expect(await link.getAttribute('href')).toBe('https://app.supportflow.example/settings/notifications')
  await page.getByRole('tab', { name: 'Text' }).click()
  await page.locator('pre', { hasText: 'This channel is set up.' }).waitFor()
  await page.getByRole('tab', { name: 'Source' }).click()
  await page.locator('pre', { hasText: '"html": "<!doctype' }).waitFor()
  for (const tool of ['Slack', 'Teams']) {
    await openItem(page, 'chat', tool)
    const message = page.frameLocator('iframe').locator('.message', { hasText: 'Test message' })
    expect(await message.locator('a', { hasText: 'Open in Support Flow' }).getAttribute('href')).toMatch(
      /^https:\/\/app\./,
    )
  }
  expect(
    requestedUrls.filter((url) => new URL(url).origin !== service.localOrigin && !url.startsWith('about:')),
  ).toEqual([])
  expect(problems).toEqual([])
})

it('the local dashboard leads from a message to its request, the log and the operation in the reference', async (context) => {
  const { page, problems } = await openPage(context)
  await sendTestMessages()
  await openItem(page, 'chat', 'Slack')
  await page.getByRole('tab', { name: 'Trace' }).click()
  const line = page.getByRole('row', { name: /notifications\.testConfig/ })
  const requestId = await line.locator('code').textContent()
  expect(
    service.log.some(
      (text) => text.includes('"operation":"notifications.testConfig"') && text.includes(`"${requestId}"`),
    ),
  ).toBe(true)
  const reference = line.getByRole('link', { name: 'notifications.testConfig' })
  expect(await reference.getAttribute('href')).toBe(
    `${service.api}/docs/#tag/notifications/POST/api/v1/notifications/configs/test`,
  )
  await line.getByRole('link').first().click()
  await page.getByRole('heading', { name: 'Log line' }).waitFor()
  expect(problems).toEqual([])
})

it('DSK-01 the local dashboard shows calls of the model by task with tokens and cents, and a call as a conversation', async (context) => {
  const { page, problems } = await openPage(context)
  const { records } = service.stack.localServer.dashboard
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: JSON.stringify({ session: { title: 'No network', steps: [] } }) },
  ]
  const call = {
    method: 'POST',
    path: '/chat/completions',
    request: { messages },
    status: 200,
    task: 'chat_turn',
  }
  for (const cents of [0.5, 0.75])
    records.add('ai', {
      ...call,
      response: '{"reply":"Check the cable.\\nThen the switch."}',
      usage: { input: 1200, cached: 0, output: 40, cents },
    })
  await page.goto(`${service.localOrigin}/#ai`)
  const row = page.getByRole('row', { name: 'chat turn' })
  await row.waitFor()
  expect(await row.getByRole('cell').allTextContents()).toEqual(['chat turn', '2', '2,400', '80', '1.25'])
  await page.locator('#items a', { hasText: 'chat turn' }).first().click()
  const [question, answer] = [page.locator('article.user'), page.locator('article.assistant')]
  await answer.waitFor()
  expect(await question.locator('dt').allTextContents()).toEqual(['session', 'title'])
  expect(await answer.locator('dd').textContent()).toBe('Check the cable.\nThen the switch.')
  // On a phone, lists in lists leave room for the text.
  await page.setViewportSize({ width: 390, height: 800 })
  const [outer, inner] = [await question.boundingBox(), await question.locator('dl dl dd').boundingBox()]
  expect((inner?.x ?? 390) - (outer?.x ?? 0)).toBeLessThan(45)
  expect(problems).toEqual([])
})

it('DSK-02 the local dashboard shows requests and latency as plots, and a trace as bars in the order of time', async (context) => {
  const { page, problems } = await openPage(context)
  await sendTestMessages()
  await page.goto(`${service.localOrigin}/#logs`)
  for (const title of ['Requests per minute', 'Latency that 95 % of the requests stay below'])
    await page.getByRole('img', { name: `${title}. The last 30 minutes, at most ` }).waitFor()
  // On a phone they stand one under the other, before the list.
  await page.setViewportSize({ width: 400, height: 800 })
  const tops = await page
    .locator('.plot, #items')
    .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top))
  const [list = 0, ...plots] = tops
  expect(plots).toEqual(plots.toSorted((a, b) => a - b))
  expect([plots.length, Math.min(...plots) > 0, Math.max(...plots) < list]).toEqual([2, true, true])
  await page.setViewportSize({ width: 1280, height: 800 })
  await openItem(page, 'chat', 'Slack')
  await page.getByRole('tab', { name: 'Trace' }).click()
  await page.getByRole('row', { name: /notifications\.testConfig/ }).waitFor()
  const starts = await page.locator('td:first-child').allTextContents()
  expect(starts[0]).toBe('+0 ms')
  const boxes = await page
    .locator('.span i')
    .evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().toJSON() as DOMRect))
  const lefts = boxes.map(({ left }) => left)
  expect(Math.max(...boxes.map(({ right }) => right))).toBeLessThan(
    await page.evaluate(() => window.innerWidth),
  )
  expect(lefts.length).toBeGreaterThan(1)
  expect(lefts).toEqual(lefts.toSorted((a, b) => a - b))
  expect(problems).toEqual([])
})

it('DSK-03 a hint says what to select, or how something gets into an empty list, and nothing that went well is red', async (context) => {
  const { page, problems } = await openPage(context)
  const open = async (section: string) => page.goto(`${service.localOrigin}/#${section}`)
  await open('billing')
  await page.getByText('Nothing yet. Send an event of the billing provider under Actions.').waitFor()
  await sendTestMessages()
  await open('mail')
  await page.getByText('Select an e-mail').waitFor()
  for (const section of ['mail', 'chat', 'logs']) {
    await open(section)
    await page.locator('#items a').first().waitFor()
    expect([section, await page.locator('#items .bad, #bar .bad').allTextContents()]).toEqual([section, []])
  }
  await open('actions')
  await page
    .getByLabel('E-mail of a user of the account')
    .last()
    .fill((await createAccount(service)).admin.email)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('#message.good', { hasText: 'Done.' }).waitFor()
  expect(problems).toEqual([])
})

it('DSK-04 the pages of staff and of the local services have one style sheet', async () => {
  const read = async (url: string) => (await fetch(url)).text()
  expect(await read(`${service.localOrigin}/desk/style.css`)).toBe(pageStyle)
  expect(await read(`${service.api}/admin/operations/style.css`)).toBe(pageStyle)
  for (const path of ['/', '/desk/previews'])
    expect(await read(service.localOrigin + path)).toContain('href="/desk/style.css"')
  for (const path of ['/sign-in', '/oauth/google/callback', '/oauth/consent'])
    expect(await read(service.localOrigin + path)).toContain(pageStyle)
})

it('the list of the local dashboard follows new records and finds them by words', async (context) => {
  const { page, problems } = await openPage(context)
  await page.goto(`${service.localOrigin}/#chat`)
  const send = (text: string) =>
    fetch(`${service.localOrigin}/chat/1/${text}`, { method: 'POST', body: JSON.stringify({ text }) })
  await send('first-message')
  await page.locator('#items a', { hasText: 'first-message' }).waitFor()
  await send('second-message')
  await page.locator('#items a', { hasText: 'second-message' }).waitFor()
  await page.getByLabel('Search this list').fill('SECOND message')
  await page.locator('#items a', { hasText: 'first-message' }).waitFor({ state: 'detached' })
  expect(await page.locator('#items a').count()).toBe(1)
  expect(problems).toEqual([])
})

it('sets and clears faults and advances the clock on the local dashboard', night, async (context) => {
  const { page, problems } = await openPage(context)
  await page.goto(service.localOrigin)
  await page.getByText('No faults').click()
  await page.getByLabel('Service').selectOption('chat1')
  await page.getByLabel('How it fails').selectOption('error')
  await page.getByLabel('Times').fill('3')
  await page.getByRole('button', { name: 'Set', exact: true }).click()
  await page.getByText('chat1: error, 3 more').waitFor()
  expect(service.stack.localServer.faults.list()).toEqual([{ service: 'chat1', mode: 'error', times: 3 }])
  await page.getByRole('button', { name: 'Clear all' }).click()
  await page.getByText('No faults').waitFor()
  expect(service.stack.localServer.faults.list()).toEqual([])
  await page.locator('#bar summary').first().click()
  await page.getByRole('button', { name: '+ 2 min' }).click()
  await page.getByText('120 s ahead').waitFor()
  const [offset] = await service.sql<{ seconds: number }>(
    'select round(extract(epoch from app.now() - now()))::int as seconds',
  )
  expect(offset?.seconds).toBe(120)
  expect(problems).toEqual([])
})

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Return the rules of axe that the page breaks, with the elements. */
async function listViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run()
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    )
  })
}
interface AxeResult {
  violations: { id: string; nodes: { target: string[] }[] }[]
}

it('the local dashboard signs in as a demo user and shows the token', async (context) => {
  const { page, problems } = await openPage(context)
  const user = await registerUser(service)
  // Read once: a request that the page sends every second may still run when the test ends.
  const state = await (await fetch(`${service.localOrigin}/desk/state`)).json()
  await page.route('**/desk/state', (route) =>
    route.fulfill({ json: { ...state, users: [{ ...user, description: 'account admin' }] } }),
  )
  await page.goto(`${service.localOrigin}/#users`)
  await page.getByRole('button', { name: `Sign in as ${user.email}` }).click()
  const token = await page.getByLabel(`Access token of ${user.email}`).inputValue()
  expect((await request(service, 'GET', '/auth/me', { token })).body.email).toBe(user.email)
  await page.getByRole('button', { name: 'Copy' }).waitFor()
  expect(problems).toEqual([])
})

it.for([
  ['light', 1280],
  ['dark', 400],
] as const)(
  'the local dashboard is accessible and fits, %s and %i px wide',
  night,
  async ([colorScheme, width], context) => {
    const { page } = await openPage(context, {
      colorScheme,
      viewport: { width, height: 800 },
      bypassCSP: true,
    })
    await sendTestMessages()
    const check = async () => {
      expect(await listViolations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
    await openItem(page, 'mail', 'desk@people.example')
    await check()
    await openItem(page, 'chat', 'Teams')
    await page.getByRole('tab', { name: 'Trace' }).click()
    await page.getByRole('table').waitFor()
    await check()
    for (const section of ['queue', 'logs', 'ai', 'users', 'actions']) {
      await page.goto(`${service.localOrigin}/#${section}`)
      await page
        .locator('#navigation a[aria-current]', { hasText: /Queue|Log|AI calls|Sign in|Actions/ })
        .waitFor()
      await page.getByText(/faults/i).click()
      await check()
    }
  },
)
