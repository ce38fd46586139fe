import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '../../support/app.ts'
import { useBrowserPages } from '../../support/browser-pages.ts'
import { createAccount } from '../../support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())
const openPage = useBrowserPages()

it('shows e-mails and the messages of both chat tools on the local dashboard', async (context) => {
  const { page, requestedUrls, problems } = await openPage(context)
  const { admin } = await createAccount(service)
  const webhook = (tool: number) => ({ channel: `chat${tool}_webhook`, webhook_url: `${service.localOrigin}/chat/${tool}/desk` })
  for (const config of [webhook(1), webhook(2), { channel: 'email', email_addresses: ['desk@people.example'] }]) {
    const created = await admin.call('POST', '/notifications/configs', config)
    expect((await admin.call('POST', '/notifications/configs/test', { config_id: created.body.id })).body.success).toBe(true)
  }
  await page.goto(service.localOrigin)
  for (const tool of [1, 2]) {
    const message = page.locator('#chat article', { hasText: `/chat/${tool}/desk` }).locator('.message')
    expect(await message.textContent()).toContain('Test message')
    expect(await message.locator('a', { hasText: 'Open in Support Flow' }).getAttribute('href')).toMatch(/^https:\/\/app\./)
  }
  const mail = page.locator('#mail article', { hasText: 'desk@people.example' })
  expect(await mail.locator('b').first().textContent()).toBe('Test message')
  await mail.scrollIntoViewIfNeeded()
  const mailBody = mail.locator('iframe').contentFrame()
  expect(await mailBody.locator('p').first().textContent()).toContain('This channel is set up.')
  expect(await mailBody.getByRole('link', { name: 'Open in Support Flow' }).getAttribute('href')).toBe(
    'https://app.supportflow.example/settings/notifications',
  )
  expect(requestedUrls.filter((url) => new URL(url).origin !== service.localOrigin && !url.startsWith('about:'))).toEqual([])
  expect(problems).toEqual([])
})

it('sets and clears faults and advances the clock on the local dashboard', async (context) => {
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
  const [offset] = await service.sql<{ seconds: number }>('select round(extract(epoch from app.now() - now()))::int as seconds')
  expect(offset?.seconds).toBe(120)
  expect(problems).toEqual([])
})
