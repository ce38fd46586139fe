import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@upstash/qstash'
import { expect, test } from 'vitest'
import { expectStatus } from '#test/support/expect-status.ts'
import { buildChatBody } from '#vendors/chat/webhooks.ts'
import { secrets, startDestination, startTestServer } from './test-server.ts'

test('the dashboard returns an empty list for every service at first, and 404 for an unknown service', async () => {
  const { call, read } = await startTestServer()
  for (const service of ['mail', 'chat', 'queue', 'ai', 'psa', 'billing'])
    expect(await read(`/desk/${service}`)).toEqual([])
  expectStatus(await call('GET', '/desk/fax'), 404)
  expectStatus(await call('DELETE', '/desk/fax'), 404)
})

test('the dashboard keeps the newest 1,000 records of a service, newest first, and clears one service at a time', async () => {
  const { dashboard, call, read } = await startTestServer()
  for (let n = 0; n < 1001; n++)
    dashboard.records.add('ai', {
      method: 'POST',
      path: `/${n}`,
      request: {},
      status: 200,
      response: {},
      task: null,
      usage: null,
    })
  await call('POST', '/chat/1/x', { text: 'hello' })
  const calls = await read('/desk/ai')
  expect(calls).toHaveLength(1000)
  expect([calls[0]?.path, calls[999]?.path]).toEqual(['/1000', '/1'])
  expectStatus(await call('DELETE', '/desk/ai'), 204)
  expect(await read('/desk/ai')).toEqual([])
  expect(await read('/desk/chat')).toHaveLength(1)
})

test('the page and the previews of messages escape what they show, and load nothing from other origins', async () => {
  const { origin, call, read } = await startTestServer()
  const link = {
    type: 'context',
    elements: [{ type: 'mrkdwn', text: '*Bold* <https://example.com/a?b=1|the link> <!channel>' }],
  }
  await call('POST', '/chat/1/x', {
    text: 't',
    blocks: [{ type: 'header', text: { type: 'plain_text', text: 'A <header>' } }, link],
  })
  await call('POST', '/chat/1/x', '<img src=x>')
  const content = { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text: 'Card text' }] }
  const actions = [{ type: 'Action.OpenUrl', title: 'Bad', url: 'javascript:alert(1)' }]
  const contentType = 'application/vnd.microsoft.card.adaptive'
  await call('POST', '/chat/2/x', { attachments: [{ contentType, content: { ...content, actions } }] })
  const page = await fetch(origin)
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*script-src 'self'; /)
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  const previews = (await read('/desk/chat')).map(({ id }) => call('GET', `/desk/chat/${id}/preview`))
  const [card, text, blocks] = await Promise.all(previews.map(async (preview) => (await preview).text()))
  expect(blocks).toContain('<h4>A &lt;header&gt;</h4>')
  expect(blocks).toContain('<a href="https://example.com/a?b=1" rel="noreferrer">the link</a>')
  expect(blocks).toContain('<mark>&lt;!channel&gt;</mark>')
  expect(text).toContain('&lt;img src=x&gt;')
  expect(card).toContain('Card text')
  expect(card).not.toContain('href="javascript')
  const policy = (await previews[0])?.headers.get('content-security-policy')
  expect(policy).toMatch(/^default-src 'none'; /)
  expect(policy).not.toContain('script-src')
  expectStatus(await call('GET', '/desk/chat/unknown/preview'), 404)
})

test('DSK-06 the previews show a message as its tool does: lists, line feeds, escapes and what is urgent', async () => {
  const { call, read } = await startTestServer()
  const message = {
    title: 'Escalated',
    body: '',
    url: 'https://app.example/1',
    sections: [{ label: 'What was tried', text: '1. Restarted *it*\n2. Compared the keys' }],
    button: { label: 'Pick up the session', isUrgent: true },
  }
  for (const tool of [1, 2] as const)
    await call('POST', `/chat/${tool}/x`, buildChatBody(tool, message as never))
  const [teams = '', slack = ''] = await Promise.all(
    (await read('/desk/chat')).map(async ({ id }) => (await call('GET', `/desk/chat/${id}/preview`)).text()),
  )
  expect(teams).toContain('<p>1. Restarted *it*</p>\n<p>2. Compared the keys</p>')
  expect(slack).toContain('1. Restarted *it*\n2. Compared the keys')
  expect(slack).toContain('.message p { white-space: pre-line; }')
  for (const text of [teams, slack]) expect(text).toContain('class="message urgent"')
  expect(slack).toContain('class="button danger"')
  // One message has each address once.
  expect([slack, teams].map((text) => text.split('href="https://app.example/1"').length - 1)).toEqual([1, 1])
})

test('the state counts the records of each service and the messages of the queue in each state', async () => {
  const { call, faults, origin, dashboard } = await startTestServer({
    api: 'http://127.0.0.1:1',
    createEscalation: async () => undefined,
  })
  await call('POST', '/chat/1/x', { text: 'hello' })
  const queue = new Client({ baseUrl: `${origin}/qstash`, token: secrets.qstashToken })
  await queue.publishJSON({ url: 'http://127.0.0.1:1/jobs', body: {}, delay: 3600 })
  faults.set({ service: 'psa', mode: 'hang' })
  dashboard.logs.add('{"status":200}')
  expect(await (await call('GET', '/desk/state')).json()).toMatchObject({
    clock: { offset_seconds: 0 },
    faults: [{ service: 'psa', mode: 'hang' }],
    queue: { scheduled: 1, delivering: 0, delivered: 0, failed: 0, dead: 0 },
    services: { chat: { count: 1 }, mail: { count: 0, newest: null } },
    logs: { count: 1, newest: '1' },
    api: 'http://127.0.0.1:1',
    demo: true,
  })
})

test('a trace lists the log lines and the records with its id, oldest first', async () => {
  const { call, origin, dashboard, read } = await startTestServer()
  const traceId = 'a'.repeat(32)
  const headers = { traceparent: `00-${traceId}-${'b'.repeat(16)}-01` }
  await fetch(`${origin}/chat/1/first`, { method: 'POST', headers, body: '{"text":"one"}' })
  await fetch(`${origin}/chat/2/second`, { method: 'POST', headers, body: '{"text":"two"}' })
  await call('POST', '/chat/1/other', { text: 'another trace' })
  for (const status of [200, 201]) dashboard.logs.add(JSON.stringify({ status, trace_id: traceId }))
  dashboard.logs.add('not JSON')
  expect(await (await call('GET', `/desk/traces/${traceId}`)).json()).toMatchObject({
    logs: [{ status: 200 }, { status: 201 }],
    records: [
      { service: 'chat', title: 'Slack /chat/1/first' },
      { service: 'chat', title: 'Teams /chat/2/second' },
    ],
  })
  expect(await read('/desk/logs')).toMatchObject([{ text: 'not JSON' }, { status: 201 }, { status: 200 }])
  expectStatus(await call('DELETE', '/desk/logs'), 204)
  expect(await read('/desk/logs')).toEqual([])
})

test.each([
  ['local/dashboard/page/app.ts', 200],
  ['local/dashboard/page/style.css', 200],
  ['client/client.ts', 200],
  ['local/settings.ts', 404],
  ['local/dashboard/page/../state.ts', 404],
  ['local/dashboard/page/%2e%2e/state.ts', 404],
  ['auth/tokens.ts', 404],
])(
  'of the source files, the page can only load its own and the typed client: %s is %i',
  async (path, status) => {
    const { port } = await startTestServer()
    // fetch would resolve the dots.
    const received = await new Promise((resolve) => {
      request({ port, path: `/desk/source/${path}` }, (response) =>
        resolve(response.resume().statusCode),
      ).end()
    })
    expect(received).toBe(status)
  },
)

test('the page is JSON for a request that accepts JSON', async () => {
  const { origin, call } = await startTestServer()
  await call('POST', '/chat/1/x', { text: 'hello' })
  const overview = await (await fetch(origin, { headers: { accept: 'application/json' } })).json()
  expect(overview).toMatchObject({
    clock: { offset_seconds: 0 },
    faults: [],
    mail: [],
    chat: [{ body: { text: 'hello' } }],
    queue: [],
  })
})

test('advancing the clock moves PostgreSQL first, then waits for the due messages and the messages that these publish', async () => {
  const order: string[] = []
  const moveClock = async (offsetMs: number) => void order.push(`moved ${offsetMs}`)
  // What is published after the response, as a Worker does in waitUntil.
  let effect: Promise<unknown> | undefined
  const finishEffects = async () => void (await effect)
  const { call, origin, read } = await startTestServer({ moveClock, finishEffects })
  const client = new Client({ baseUrl: `${origin}/qstash`, token: secrets.qstashToken })
  const followUp = () => client.publishJSON({ url, body: 'second' })
  const { url } = await startDestination([], async ({ body }) => {
    order.push(body)
    if (body === '"first"') effect = sleep(20).then(followUp)
  })
  await client.publishJSON({ url, body: 'first', delay: 30 })
  const response = await call('POST', '/desk/clock', { advance_seconds: 30.5 })
  const { now, offset_seconds } = (await response.json()) as { now: string; offset_seconds: number }
  expect(offset_seconds).toBe(30.5)
  expect(Math.abs(Date.parse(now) - Date.now() - 30_500)).toBeLessThan(1000)
  expect(order).toEqual(['moved 30500', '"first"', '"second"'])
  expect(await read('/desk/queue')).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }])
  expect(await (await call('POST', '/desk/clock', { advance_seconds: 10 })).json()).toMatchObject({
    offset_seconds: 40.5,
  })
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
  expect([response.status, await response.json()]).toEqual([
    201,
    { escalated: { problem_summary: 'Printer' } },
  ])
  expectStatus(await (await startTestServer()).call('POST', '/desk/demo/escalation', {}), 404)
})

test('the dashboard refuses requests from pages of other sites', async () => {
  const { port, origin, read } = await startTestServer()
  const fault = JSON.stringify({ service: 'chat1', mode: 'down' })
  const crossSite = { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' }, body: fault }
  expectStatus(await fetch(`${origin}/desk/faults`, crossSite), 403)
  const dnsRebindingStatus = new Promise((resolve) => {
    const headers = { host: 'evil.example' }
    request({ port, path: '/desk/faults', method: 'POST', headers }, (response) =>
      resolve(response.resume().statusCode),
    ).end(fault)
  })
  expect(await dnsRebindingStatus).toBe(403)
  expect(await read('/desk/faults')).toEqual([])
})
