import { afterAll, expect, it } from 'vitest'
import { startOwnService } from '#test/support/app.ts'
import { useBrowserPages } from '#test/support/browser-pages.ts'
import { insertStreamEvents } from '#test/support/escalations.ts'
import { startFrontend } from '#test/support/frontend.ts'
import { createAccount } from '#test/support/people.ts'
import { startStreamProxy } from '#test/support/stream-proxy.ts'

const frontend = await startFrontend()
const service = await startOwnService({ CORS_ORIGINS: frontend })
afterAll(() => service.close())
const openPage = useBrowserPages()
const pollOptions = { timeout: 30_000, interval: 20 }

/** Collects the events of an EventSource in the page, which has another origin than the service. */
interface StreamWindow extends Window {
  source: EventSource
  numbers: number[]
  openings: number
}

function openEventSource(url: string): void {
  const page = window as unknown as StreamWindow
  Object.assign(page, { source: new EventSource(url), numbers: [], openings: 0 })
  page.source.onopen = () => page.openings++
  page.source.addEventListener('handoff_created', ({ data }) => page.numbers.push(JSON.parse(data).n))
}

it('SSE-21 SSE-22 keeps a real EventSource up to date with one ticket while its connection is lost twice', async (context) => {
  const { page } = await openPage(context)
  const { id: accountId, admin } = await createAccount(service)
  const proxy = await startStreamProxy(service.api)
  const { body } = await admin.call('POST', '/auth/stream-ticket')
  await page.goto(frontend)
  await page.evaluate(
    openEventSource,
    `${proxy.origin}/api/v1/ai-sessions/escalations/stream?ticket=${body.ticket}`,
  )
  const readState = () =>
    page.evaluate(() => {
      const { source, numbers, openings } = window as unknown as StreamWindow
      return { numbers, openings, readyState: source.readyState }
    })
  await expect.poll(readState, pollOptions).toEqual({ numbers: [], openings: 1, readyState: 1 })
  // The first loss is before any event, the second after one.
  proxy.dropConnections()
  await insertStreamEvents(service, accountId, 2)
  await expect.poll(readState, pollOptions).toEqual({ numbers: [1, 2], openings: 2, readyState: 1 })
  proxy.dropConnections()
  await insertStreamEvents(service, accountId, 1)
  await expect.poll(readState, pollOptions).toEqual({ numbers: [1, 2, 1], openings: 3, readyState: 1 })
})

it('SSE-23 closes a real EventSource whose ticket was used by another one', async (context) => {
  const { page } = await openPage(context)
  const { admin } = await createAccount(service)
  const { body } = await admin.call('POST', '/auth/stream-ticket')
  const url = `${service.api}/api/v1/ai-sessions/escalations/stream?ticket=${body.ticket}`
  await page.goto(frontend)
  await page.evaluate(openEventSource, url)
  const readState = () => page.evaluate(() => (window as unknown as StreamWindow).source.readyState)
  await expect.poll(readState, pollOptions).toBe(1)
  await page.evaluate(openEventSource, url)
  await expect.poll(readState, pollOptions).toBe(2)
})
