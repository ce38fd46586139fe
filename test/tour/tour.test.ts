// @module-tag journey
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDemoEscalation } from '#local/demo.ts'
import { createKey } from '#test/support/api-keys.ts'
import { startOwnService } from '#test/support/app.ts'
import { addLocalPrices } from '#test/support/billing.ts'
import { useBrowserPages } from '#test/support/browser-pages.ts'
import { night } from '#test/support/night.ts'
import { createAccount } from '#test/support/people.ts'
import type { Addresses } from './client.ts'
import { playSmokeTest } from './smoke.ts'
import { playTour } from './tour.ts'

let service: Awaited<ReturnType<typeof startOwnService>>
let addresses: Addresses
const openPage = useBrowserPages()
beforeAll(async () => {
  service = await startOwnService({}, { createEscalation: createDemoEscalation, databaseFaults: true })
  await addLocalPrices(service.stack.ownerUrl)
  addresses = { api: service.api, dashboard: service.localOrigin }
})
afterAll(() => service.close())

/** Set a fault before the tour sends its next request. */
function setFault(name: 'resend' | 'postgres'): void {
  service.stack.localServer.faults.set({ service: name, mode: 'down' })
}

async function readDashboard(name: 'faults' | 'clock'): Promise<unknown> {
  return (await fetch(`${addresses.dashboard}/desk/${name}`)).json()
}

it('the tour completes, and prints one short line per request without a complete token', async () => {
  const lines: string[] = []
  await playTour(addresses, (line) => lines.push(line))
  expect(lines.filter((line) => line.length > 120)).toEqual([])
  expect(lines.filter((line) => /[\w-]{32,}/.test(line))).toEqual([])
  expect(lines.at(-1)).toContain('DELETE /auth/me 204')
})

it(
  'the local dashboard shows the newest record of every list in each of its tabs',
  night,
  async (context) => {
    const { page, problems } = await openPage(context)
    await page.goto(addresses.dashboard)
    const lists = page.locator('#navigation a', { has: page.locator('span') })
    await lists.first().waitFor()
    const links = await lists.evaluateAll((all) =>
      all.map((link) => ({
        section: link.getAttribute('href') ?? '',
        count: Number(link.querySelector('span')?.textContent),
      })),
    )
    const shown: Record<string, string[]> = {}
    for (const { section } of links.filter(({ count }) => count > 0)) {
      await page.goto(`${addresses.dashboard}/${section}`)
      await page.locator(`#items a[href^="${section}/"]`).first().click()
      await page.locator(`#list a[href^="${section}/"][aria-current]`).first().waitFor()
      const tabs = await page.getByRole('tab').allTextContents()
      shown[section] = tabs
      for (const name of tabs) {
        await page.getByRole('tab', { name, exact: true }).click()
        await page.getByRole('tab', { name, exact: true, selected: true }).waitFor()
        expect([section, name, await page.getByRole('tabpanel').innerHTML()]).not.toContain('')
      }
    }
    // No chapter has a webhook, a browser that is told, an analytics provider or a provider that redirects.
    expect(links.map(({ section }) => section).filter((section) => !shown[section])).toEqual([
      '#hooks',
      '#push',
      '#analytics',
      '#redirect',
    ])
    expect(problems).toEqual([])
  },
)

it('the tour fails when an expected e-mail does not arrive', night, async () => {
  const breakMail = (line: string) => {
    if (line.includes('2. Invite')) setFault('resend')
  }
  await expect(playTour(addresses, breakMail, 2000)).rejects.toThrow(
    /^GET \/desk\/mail .* no mail to robin-.* \(waited 2 s\)$/,
  )
})

it('the tour fails on an unexpected status, clears the faults and resets the clock', night, async () => {
  const breakDatabase = (line: string) => {
    if (line.includes('"offset_seconds": 604900')) setFault('postgres')
  }
  await expect(playTour(addresses, breakDatabase)).rejects.toThrow('GET /teams returned 503, expected 403')
  expect(await readDashboard('faults')).toEqual([])
  expect(await readDashboard('clock')).toMatchObject({ offset_seconds: 0 })
})

it('the smoke test of a deployed service reads what is public, and with an API key writes a draft and deletes it', async () => {
  const account = await createAccount(service)
  const { key: apiKey } = await createKey(service, account, { scopes: ['flows:write'] })
  const lines: string[] = []
  const target = { api: service.api, readyToken: service.settings.READY_TOKEN, apiKey }
  await playSmokeTest(target, (line) => lines.push(line))
  expect(lines.map((line) => line.replace(/ (\d{3})\b.*/, ' $1').trim())).toEqual([
    'GET /health 200',
    'GET /ready 200',
    'GET /docs/ 200',
    'GET /openapi.json 200',
    'GET /api/v1/plans/public 200',
    'GET /api/v1/auth/me 401',
    'POST /trees 201',
    'GET /trees 200',
    expect.stringMatching(/^DELETE \/trees\/…\w{4} 204$/),
  ])
  expect(lines.filter((line) => line.includes(apiKey))).toEqual([])
  expect(
    await service.sql('select from trees where account_id = $1 and deleted_at is null', [account.id]),
  ).toEqual([])
})

it('the smoke test fails on the first unexpected status, and without an API key says what it left out', async () => {
  const lines: string[] = []
  await playSmokeTest({ api: service.api }, (line) => lines.push(line))
  expect(lines.at(-1)).toBe('Without SMOKE_API_KEY nothing that needs a sign-in was tried.')
  setFault('postgres')
  await expect(playSmokeTest({ api: service.api }, () => {})).rejects.toThrow(
    /^GET \/\S+ returned 503, expected 200/,
  )
  service.stack.localServer.faults.clear()
  await expect(playSmokeTest({ api: 'http://127.0.0.1:9' }, () => {})).rejects.toThrow('got no response')
})

it('the smoke test names the setting whose secret the service refuses', async () => {
  const account = await createAccount(service)
  const { key: apiKey } = await createKey(service, account, { scopes: ['flows:read'] })
  const api = service.api
  await expect(playSmokeTest({ api, apiKey }, () => {})).rejects.toThrow(
    /^SMOKE_API_KEY must be .* flows:write/,
  )
  await expect(playSmokeTest({ api, readyToken: 'another-token-0123456789' }, () => {})).rejects.toThrow(
    'READY_TOKEN is not that of the service',
  )
})

it('the tour asks the user to start the service when no service responds', async () => {
  await expect(playTour({ ...addresses, api: 'http://127.0.0.1:9' }, () => {})).rejects.toThrow(
    'Start the service with `npm start` first',
  )
})
