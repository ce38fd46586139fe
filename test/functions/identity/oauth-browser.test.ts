import type { Page } from 'playwright-core'
import { afterAll, expect, it } from 'vitest'
import { dashboard, startOwnService } from '#test/support/app.ts'
import { useBrowserPages } from '#test/support/browser-pages.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createVerifier, postOAuth, registerClient } from '#test/support/mcp-oauth.ts'
import { requestAuthorization, signInAtProvider } from '#test/support/oauth.ts'
import { createAccount } from '#test/support/people.ts'
import { postWithoutToken } from '#test/support/public-requests.ts'

const service = await startOwnService()
afterAll(() => service.close())
const { waitForLink } = dashboard(service)
const openPage = useBrowserPages()

/** Wait until the sign-in has ended. Return the message and the user that the page shows. */
async function waitForOutcome(
  page: Page,
): Promise<{ message: string; user: Record<string, unknown> | null }> {
  await page.waitForURL(/\/oauth\/\w+\/callback$/)
  const readMessage = () => page.locator('#status').textContent()
  await expect.poll(readMessage, { timeout: 30_000 }).not.toBe('Signing in…')
  const userJson = (await page.locator('#user').textContent()) || 'null'
  return { message: (await readMessage()) ?? '', user: JSON.parse(userJson) }
}

it('lets an invited colleague join with one click on the page of the local Google', async (context) => {
  const { page, requestedUrls, problems } = await openPage(context)
  const account = await createAccount(service)
  await account.admin.call('POST', '/accounts/me/invites', { email: 'noa@example.com', role: 'engineer' })
  const code = await waitForLink('noa@example.com', /register\?code=([\w-]+)/)
  await page.goto(`${service.localOrigin}/sign-in?code=${code}`)
  await page.click('button[data-provider=google]')
  await page.click('button:text-is("Noa Lindqvist")')
  const { message, user } = await waitForOutcome(page)
  expect(message).toBe('Signed in as Noa Lindqvist, engineer of Test account.')
  expect(user).toMatchObject({ email: 'noa@example.com', account_id: account.id, email_verified: true })
  expect(new Set(requestedUrls.map((url) => new URL(url).origin))).toEqual(
    new Set([service.localOrigin, service.api]),
  )
  expect(problems).toEqual([])
})

it('MCP-09 a person gives a program fewer scopes than it asked for, on the local page', async (context) => {
  const { page, problems } = await openPage(context)
  const email = `consent-${crypto.randomUUID()}@people.example`
  const registration = { email, password: 'violet-tractor-81', full_name: 'Dana Reyes' }
  expectStatus(await postWithoutToken(service, '/auth/register', registration), 201)
  // The program's own page is on this origin, so that the browser may leave to it.
  const redirect_uri = `${service.localOrigin}/callback`
  const client_id = await registerClient(service, {
    client_name: '<b>Helper</b>',
    redirect_uris: [redirect_uri],
  })
  const { verifier, challenge: code_challenge } = createVerifier()
  const query = {
    client_id,
    redirect_uri,
    code_challenge,
    code_challenge_method: 'S256',
    response_type: 'code',
    scope: 'flows:read *:write',
  }
  await page.goto(`${service.api}/oauth/authorize?${new URLSearchParams(query)}`)
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', registration.password)
  await page.click('button:text-is("Sign in")')
  await expect.poll(() => page.locator('#program').textContent()).toBe('<b>Helper</b>')
  await page.uncheck('input[value="*:write"]')
  await page.click('button:text-is("Allow")')
  await page.waitForURL(/callback\?code=/)
  const code = new URL(page.url()).searchParams.get('code') ?? ''
  const exchange = {
    grant_type: 'authorization_code',
    code,
    client_id,
    redirect_uri,
    code_verifier: verifier,
  }
  expect((await postOAuth(service, '/oauth/token', exchange)).body.scope).toBe('flows:read')
  expect(problems.filter((problem) => !problem.includes('/callback') && !problem.includes('404'))).toEqual([])
})

it('recognises a user of the local Microsoft by the typed address on the second sign-in', async (context) => {
  const { page, problems } = await openPage(context)
  const email = `typed-${crypto.randomUUID()}@people.example`
  const ids: unknown[] = []
  for (const name of ['Typed Name', 'Another Name']) {
    await page.goto(`${service.localOrigin}/sign-in`)
    await page.click('button[data-provider=microsoft]')
    await page.fill('input[name=email]:not([type=hidden])', email)
    await page.fill('input[name=name]:not([type=hidden])', name)
    await page.click('button:text-is("Continue")')
    const { message, user } = await waitForOutcome(page)
    expect(message).toBe("Signed in as Typed Name, admin of Typed Name's team.")
    ids.push(user?.id)
  }
  expect(ids[0]).toBe(ids[1])
  expect(problems).toEqual([])
})

it('shows the error of a denied sign-in and of an unverified address', async (context) => {
  const { page } = await openPage(context)
  await page.goto(`${service.localOrigin}/sign-in`)
  await page.click('button[data-provider=google]')
  await page.click('button:text-is("Deny")')
  expect((await waitForOutcome(page)).message).toBe('The provider returned access_denied.')
  await page.goto(`${service.localOrigin}/sign-in`)
  await page.click('button[data-provider=google]')
  await page.click('button:text-is("Una Berger")')
  expect((await waitForOutcome(page)).message).toMatch(/^400 oauth_email_unverified/)
})

it('refuses an attacker’s callback link, because its state is not stored in this tab', async (context) => {
  const { page, requestedUrls } = await openPage(context)
  const { body } = await requestAuthorization(service, 'google')
  const link = await signInAtProvider(body.authorization_url, {
    email: `attacker-${crypto.randomUUID()}@people.example`,
  })
  await page.goto(`${service.localOrigin}/oauth/google/callback?${new URLSearchParams(link)}`)
  expect((await waitForOutcome(page)).message).toBe(
    'This sign-in was not started in this tab. Start at /sign-in.',
  )
  expect(requestedUrls.filter((url) => url.startsWith(service.api))).toEqual([])
})
