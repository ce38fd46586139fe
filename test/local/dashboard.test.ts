import { request } from 'node:http'
import { Client } from '@upstash/qstash'
import { Resend } from 'resend'
import { expect, test } from 'vitest'
import { expectStatus } from '../support/expect-status.ts'
import { secrets, startDestination, startTestServer } from './test-server.ts'

test('the dashboard returns an empty list for every service at first, and 404 for an unknown service', async () => {
  const { call, read } = await startTestServer()
  for (const service of ['mail', 'chat', 'queue', 'ai', 'psa', 'billing']) expect(await read(`/desk/${service}`)).toEqual([])
  expectStatus(await call('GET', '/desk/fax'), 404)
  expectStatus(await call('DELETE', '/desk/fax'), 404)
})

test('the dashboard keeps the newest 1,000 records of a service, newest first, and clears one service at a time', async () => {
  const { dashboard, call, read } = await startTestServer()
  for (let n = 0; n < 1001; n++) dashboard.records.add('ai', { method: 'POST', path: `/${n}`, request: {}, status: 200, response: {} })
  await call('POST', '/chat/1/x', { text: 'hello' })
  const calls = await read('/desk/ai')
  expect(calls).toHaveLength(1000)
  expect([calls[0]?.path, calls[999]?.path]).toEqual(['/1000', '/1'])
  expectStatus(await call('DELETE', '/desk/ai'), 204)
  expect(await read('/desk/ai')).toEqual([])
  expect(await read('/desk/chat')).toHaveLength(1)
})

test('the page shows the recorded messages, escapes them, and loads nothing from other origins', async () => {
  const { origin, call, faults } = await startTestServer({ createEscalation: async () => undefined })
  const resend = new Resend(secrets.resendKey, { baseUrl: `${origin}/resend` })
  const html = '<b onclick="x">Hi</b><script>alert(1)</script>'
  await resend.emails.send({ from: 'a@example.com', to: 'b@example.com', subject: '<script>subject</script>', html })
  const link = { type: 'context', elements: [{ type: 'mrkdwn', text: '*Bold* <https://example.com/a?b=1|the link> <!channel>' }] }
  await call('POST', '/chat/1/x', { text: 't', blocks: [{ type: 'header', text: { type: 'plain_text', text: 'A <header>' } }, link] })
  await call('POST', '/chat/1/x', '<img src=x>')
  const content = { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text: 'Card text' }] }
  const actions = [{ type: 'Action.OpenUrl', title: 'Bad', url: 'javascript:alert(1)' }]
  const contentType = 'application/vnd.microsoft.card.adaptive'
  await call('POST', '/chat/2/x', { attachments: [{ contentType, content: { ...content, actions } }] })
  faults.set({ service: 'psa', mode: 'hang' })
  const response = await call('GET', '/')
  const page = await response.text()
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(page).toContain('&lt;b onclick=&quot;x&quot;&gt;Hi')
  expect(page).toContain('<iframe sandbox="allow-popups allow-popups-to-escape-sandbox"')
  expect(page).toContain('<h4>A &lt;header&gt;</h4>')
  expect(page).toContain('<a href="https://example.com/a?b=1" rel="noreferrer">the link</a>')
  expect(page).toContain('<mark>&lt;!channel&gt;</mark>')
  expect(page).toContain('Card text')
  expect(page).toContain('psa: hang')
  expect(page).toContain('data-path="/desk/demo/escalation"')
  expect(page).not.toMatch(/<script>subject|<img src=x|href="javascript|<link|src="http/)
  expect(page.match(/<script/g)).toHaveLength(1)
})

test('the page is JSON for a request that accepts JSON', async () => {
  const { origin, call } = await startTestServer()
  await call('POST', '/chat/1/x', { text: 'hello' })
  const overview = await (await fetch(origin, { headers: { accept: 'application/json' } })).json()
  expect(overview).toMatchObject({
    clock: { offset_seconds: 0 },
    faults: [],
    demo: false,
    totp: [],
    mail: [],
    chat: [{ body: { text: 'hello' } }],
    queue: [],
  })
})

test('advancing the clock moves PostgreSQL first, then waits for the due messages and the messages that these publish', async () => {
  const order: string[] = []
  const moveClock = async (offsetMs: number) => void order.push(`moved ${offsetMs}`)
  const { call, origin, read } = await startTestServer({ moveClock })
  const client = new Client({ baseUrl: `${origin}/qstash`, token: secrets.qstashToken })
  const followUp = () => client.publishJSON({ url, body: 'second' })
  const { url } = await startDestination([], async ({ body }) => {
    order.push(body)
    // Publishes after the response, as a Worker does in waitUntil.
    if (body === '"first"') setTimeout(followUp, 20)
  })
  await client.publishJSON({ url, body: 'first', delay: 30 })
  const response = await call('POST', '/desk/clock', { advance_seconds: 30.5 })
  const { now, offset_seconds } = (await response.json()) as { now: string; offset_seconds: number }
  expect(offset_seconds).toBe(30.5)
  expect(Math.abs(Date.parse(now) - Date.now() - 30_500)).toBeLessThan(1000)
  expect(order).toEqual(['moved 30500', '"first"', '"second"'])
  expect(await read('/desk/queue')).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }])
  expect(await (await call('POST', '/desk/clock', { advance_seconds: 10 })).json()).toMatchObject({ offset_seconds: 40.5 })
  expect(await (await call('DELETE', '/desk/clock')).json()).toMatchObject({ offset_seconds: 0 })
  expect(order.slice(-2)).toEqual(['moved 40500', 'moved 0'])
  expect(await (await call('GET', '/desk/clock')).json()).toMatchObject({ offset_seconds: 0 })
})

test.each([
  { advance_seconds: 0 },
  { advance_seconds: -1 },
  { advance_seconds: '30' },
  { advance_seconds: 11 * 366 * 86_400 },
  { advance_seconds: 1, more: true },
  {},
  'no json',
])('refuses %j with 422 and does not move the clock', async (body) => {
  const { call, clock } = await startTestServer()
  expectStatus(await call('POST', '/desk/clock', body), 422)
  expect(clock.offsetMs()).toBe(0)
})

test('creates a demo escalation, and returns 404 if the server cannot create one', async () => {
  const { call } = await startTestServer({ createEscalation: async (input) => ({ escalated: input }) })
  const response = await call('POST', '/desk/demo/escalation', { problem_summary: 'Printer' })
  expect([response.status, await response.json()]).toEqual([201, { escalated: { problem_summary: 'Printer' } }])
  expectStatus(await (await startTestServer()).call('POST', '/desk/demo/escalation', {}), 404)
})

test('the dashboard refuses requests from pages of other sites', async () => {
  const { port, origin, read } = await startTestServer()
  const fault = JSON.stringify({ service: 'chat1', mode: 'down' })
  const crossSite = { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' }, body: fault }
  expectStatus(await fetch(`${origin}/desk/faults`, crossSite), 403)
  const dnsRebindingStatus = new Promise((resolve) => {
    const headers = { host: 'evil.example' }
    request({ port, path: '/desk/faults', method: 'POST', headers }, (response) => resolve(response.resume().statusCode)).end(fault)
  })
  expect(await dnsRebindingStatus).toBe(403)
  expect(await read('/desk/faults')).toEqual([])
})
