import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { desk, ownService } from '../../support/app.ts'
import { authorize, say } from '../../support/oauth.ts'
import { browserPages } from '../../support/pages.ts'
import { newAccount } from '../../support/people.ts'

const service = await ownService()
afterAll(() => service.close())
const { linkIn } = desk(service)
const openPage = browserPages()

/** What the page says at the end of a flow, and the user it shows. */
async function end(page: Page): Promise<{ said: string; user: Record<string, unknown> | null }> {
  await page.waitForURL(/\/oauth\/\w+\/callback$/)
  const said = () => page.locator('#said').textContent()
  await expect.poll(said, { timeout: 10_000 }).not.toBe('Signing in…')
  const user = (await page.locator('#user').textContent()) || 'null'
  return { said: (await said()) ?? '', user: JSON.parse(user) }
}

it('an invited colleague joins in the browser by one click on the page of the local Google', async (context) => {
  const { page, asked, wrong } = await openPage(context)
  const account = await newAccount(service)
  await account.admin.call('POST', '/accounts/me/invites', { email: 'noa@example.com', role: 'engineer' })
  const code = await linkIn('noa@example.com', /register\?code=([\w-]+)/)
  await page.goto(`${service.local}/sign-in?code=${code}`)
  await page.click('button[data-provider=google]')
  await page.click('button:text-is("Noa Lindqvist")')
  const { said, user } = await end(page)
  expect(said).toBe('Signed in as Noa Lindqvist, engineer of Test account.')
  expect(user).toMatchObject({ email: 'noa@example.com', account_id: account.id, email_verified: true })
  expect(new Set(asked.map((url) => new URL(url).origin))).toEqual(new Set([service.local, service.api]))
  expect(wrong).toEqual([])
})

it('somebody types who they are at the local Microsoft, and is known again the second time', async (context) => {
  const { page, wrong } = await openPage(context)
  const email = `typed-${crypto.randomUUID()}@people.example`
  const ids: unknown[] = []
  for (const name of ['Typed Name', 'Another Name']) {
    await page.goto(`${service.local}/sign-in`)
    await page.click('button[data-provider=microsoft]')
    await page.fill('input[name=email]:not([type=hidden])', email)
    await page.fill('input[name=name]:not([type=hidden])', name)
    await page.click('button:text-is("Go on")')
    const { said, user } = await end(page)
    expect(said).toBe("Signed in as Typed Name, admin of Typed Name's team.")
    ids.push(user?.id)
  }
  expect(ids[0]).toBe(ids[1])
  expect(wrong).toEqual([])
})

it('a person who denies, and one whose address is not verified, are told so', async (context) => {
  const { page } = await openPage(context)
  await page.goto(`${service.local}/sign-in`)
  await page.click('button[data-provider=google]')
  await page.click('button:text-is("Deny")')
  expect((await end(page)).said).toBe('The provider answered access_denied.')
  await page.goto(`${service.local}/sign-in`)
  await page.click('button[data-provider=google]')
  await page.click('button:text-is("Una Berger")')
  expect((await end(page)).said).toMatch(/^400 oauth_email_unverified/)
})

it('a stranger’s link signs nobody in as the stranger: the page takes no state that its tab did not keep', async (context) => {
  const { page, asked } = await openPage(context)
  const { body } = await authorize(service, 'google')
  const link = await say(body.authorization_url, { email: `stranger-${crypto.randomUUID()}@people.example` })
  await page.goto(`${service.local}/oauth/google/callback?${new URLSearchParams(link)}`)
  expect((await end(page)).said).toBe('This sign-in did not begin in this tab. Begin at /sign-in.')
  expect(asked.filter((url) => url.startsWith(service.api))).toEqual([])
})
