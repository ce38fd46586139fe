import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, expect, it, type TestContext } from 'vitest'
import { demoSignIns, seedDemo } from '#local/demo.ts'
import { startSample } from '#local/sample.ts'
import { startOwnService } from '#test/support/app.ts'
import { useBrowserPages } from '#test/support/browser-pages.ts'
import { night } from '#test/support/night.ts'

const openPage = useBrowserPages()
const service = await startOwnService()
const cacheDir = await mkdtemp(join(tmpdir(), 'sample-'))
const sample = await startSample({ port: 0, api: service.api, people: demoSignIns, cacheDir })
await seedDemo(service)
afterAll(async () => {
  await sample.close()
  await service.close()
  await rm(cacheDir, { recursive: true })
})

/** Sign in with the button of a demo person. */
async function openDesk(context: TestContext, person: string | RegExp) {
  const watched = await openPage(context, { viewport: { width: 400, height: 800 } })
  await watched.page.goto(sample.origin)
  await watched.page.getByRole('button', { name: person }).click()
  await watched.page.getByRole('heading', { name: 'Flows' }).waitFor()
  return watched
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

it('CLI-10 the sample front end runs a flow from the sign-in to the note of the ticket', async (context) => {
  const { page, problems } = await openPage(context)
  await page.goto(sample.origin)
  await page.getByLabel('E-mail').fill('engineer@northwind.example')
  await page.getByLabel('Password').fill('wrong')
  await button(page, 'Sign in').click()
  await page.getByRole('alert').getByText('Incorrect email or password').waitFor()
  await page.getByLabel('Password').fill('demo-ladder-42')
  await page.keyboard.press('Enter')
  await page.getByLabel('Search flows').fill('vpn')
  await page.getByRole('link', { name: 'VPN drops or does not connect' }).click()
  await page.getByLabel('Name of the VPN gateway').fill('no host')
  await button(page, 'Start').click()
  // The message is tied to its field.
  const user = page.getByLabel('User', { exact: true })
  await expect.poll(() => user.getAttribute('aria-invalid')).toBe('true')
  const describedBy = await user.getAttribute('aria-describedby')
  expect(await page.locator(`id=${describedBy}`).textContent()).toBe('User: an answer is required')
  expect(await page.getByLabel('Name of the VPN gateway').inputValue()).toBe('no host')
  await user.fill('maya')
  await page.getByLabel('Name of the VPN gateway').fill('vpn.contoso.example')
  // A trial asks the same and stores nothing; what was entered is entered again.
  await button(page, 'Try it').click()
  await button(page, 'One person').click()
  await page.getByText('1 of').waitFor()
  await button(page, 'Back').click()
  await page.getByText('0 of').waitFor()
  await button(page, 'End the trial').click()
  await user.fill('maya')
  await page.getByLabel('Name of the VPN gateway').fill('vpn.contoso.example')
  await button(page, 'Start').click()
  await page.getByLabel('Note').fill('Only Maya is affected')
  await button(page, 'One person').click()
  // The keyboard goes on at the next step.
  await page.locator('h2:focus', { hasText: "user's internet line" }).waitFor()
  await page.getByText('1 of').waitFor()
  await page.reload()
  await page.getByText('1 of').waitFor()
  await button(page, 'Loss, or wild times').click()
  await button(page, 'Yes, clean on the cable').click()
  await button(page, 'Done').click()
  await button(page, 'Complete').click()
  await page.getByRole('heading', { name: 'Completed: Resolved' }).waitFor()
  await page.getByText('Only Maya is affected').waitFor()
  expect(await page.getByRole('progressbar').getAttribute('value')).toBe('100')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    button(page, 'Download as PDF').click(),
  ])
  expect(download.suggestedFilename()).toMatch(/\.pdf$/)
  expect(problems.filter((problem) => !/401|422/.test(problem))).toEqual([])
})

it(
  'CLI-11 an escalation appears in the queue of a colleague without a reload, who picks it up and sees what was tried',
  night,
  async (context) => {
    const people = [
      await openDesk(context, 'engineer'),
      await openDesk(context, 'lead'),
      await openDesk(context, /^admin account admin$/),
    ]
    const [dana, lina, alex] = people.map(({ page }) => page) as [Page, Page, Page]
    for (const page of [lina, alex]) {
      await page.getByRole('link', { name: 'Queue' }).click()
      await page.getByText('Nobody waits for help').waitFor()
    }
    await dana.getByRole('link', { name: 'Cases' }).click()
    await dana.getByLabel('What is the problem?').fill('The tunnel of LT-0412 drops every ten minutes')
    await dana.getByLabel('Client').fill('Northwind Dental')
    await dana.getByLabel('Machine').fill('LT-0412')
    await button(dana, 'Open a case').click()
    await dana.getByText('Northwind Dental · LT-0412').waitFor()
    await dana.getByLabel('Ask the assistant').fill('It drops as soon as nobody types')
    await button(dana, 'Ask').click()
    await dana.getByRole('listitem').getByText('You report').waitFor()
    await button(dana, 'Escalate to a colleague').click()
    await button(dana, 'Let the assistant write it').click()
    await expect.poll(() => dana.getByLabel('Problem').inputValue()).not.toBe('')
    await dana.getByLabel('What was tried').fill('Reset the network adapter: holds for an hour')
    await dana.getByLabel('Urgency').selectOption('critical')
    await button(dana, 'Escalate').click()
    // Nobody has touched the other pages since.
    await lina.getByText('Dana Reyes escalated').waitFor()
    await button(lina, 'Claim').click()
    await lina.getByText('claimed by you').waitFor()
    await alex.getByText('claimed by a colleague').waitFor()
    await dana.getByText('Lina Haddad took a case').waitFor()
    await button(lina, 'Pick up').click()
    await lina.getByRole('heading', { name: 'What was tried' }).waitFor()
    await lina.getByText('now with Lina Haddad').waitFor()
    await lina.getByText('Reset the network adapter: holds for an hour').first().waitFor()
    await alex.getByText('Nobody waits for help').waitFor()
    const widths = await Promise.all(
      people.map(({ page }) => page.evaluate(() => document.documentElement.scrollWidth)),
    )
    expect([people.flatMap(({ problems }) => problems), Math.max(...widths)]).toEqual([[], 400])
  },
)
