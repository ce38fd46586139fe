// @module-tag behaviour
import { afterAll, beforeEach, expect, it } from 'vitest'
import { forTicket } from '#rules/release.ts'
import { newTicket, ticketSearch } from '#test/support/psa-recorder.ts'
import { type Answers, answerBy, startVendorServer } from '#test/support/vendor-server.ts'
import { parseHaloTickets } from '#vendors/psa/callbacks.ts'
import { toHaloSite, toTokenUrl } from '#vendors/psa/halopsa-address.ts'
import { createPsaOpener } from '#vendors/psa/open.ts'

// What users of other clients of HaloPSA reported, see test/reports.tsv.

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
let clients = 0
const at = (answers: Answers) => {
  vendor.answer = answerBy({
    'POST /auth/token': { body: { access_token: 't', expires_in: '3600' } },
    'GET /api/Status': { body: [] },
    ...answers,
  })
  return createPsaOpener({ findRefusal: async () => null })({
    provider: 'halopsa',
    baseUrl: vendor.origin,
    // A token is kept by the client.
    identity: { client_id: `c${++clients}`, tenant: null, auth_url: null },
    secrets: { client_secret: 'secret-1' },
  })
}
const note = forTicket('internal', 'a')
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'held',
    (error: unknown) => error,
  )

const cases: Record<string, () => Promise<void>> = {
  async 'homotechsual/HaloAPI#90 goes on after a page that the server cut'() {
    const tickets = Array.from({ length: 50 }, (_, n) => ({ id: n + 1 }))
    const port = at({ 'GET /api/Tickets': { body: { record_count: 717, tickets } } })
    expect(await port.searchTickets({ ...ticketSearch, pageSize: 100 })).toMatchObject({ hasMore: true })
  },
  async 'homotechsual/HaloAPI#19 says that the client is not known'() {
    const port = at({ 'POST /auth/token': { status: 401, body: { error: 'invalid_client' } } })
    expect(await refusal(port.checkCredentials())).toMatchObject({
      kind: 'auth',
      message: expect.stringContaining('invalid_client'),
    })
  },
  async 'homotechsual/HaloAPI#32 tries a write again that fails now and then'() {
    const body = {
      ClassName: 'System.InvalidOperationException',
      Message: 'Operation is not valid due to the current state of the object.',
    }
    const port = at({ 'POST /api/Actions': { status: 500, body } })
    expect(await refusal(port.addNote('7', note))).toMatchObject({
      kind: 'down',
      message: expect.stringContaining('Operation is not valid due to the current state'),
    })
  },
  async 'CyberDrain/CIPP#106 says that the action is not permitted, and blames no key'() {
    const body = 'You do not have access to this Action at the moment'
    const port = at({ 'POST /api/Actions': { status: 400, body: JSON.stringify(body) } })
    expect(await refusal(port.addNote('7', note))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(body),
    })
  },
  async 'CyberDrain/CIPP#393 says why a ticket takes no note'() {
    const body = [{ message: 'This ticket is closed and cannot be updated.' }]
    const port = at({ 'POST /api/Actions': { status: 400, body } })
    expect(await refusal(port.addNote('7', note))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('This ticket is closed'),
    })
  },
  async 'KelvinTegelaar/CIPP#1951 takes the addresses as the vendor shows them'() {
    expect([
      toHaloSite('https://a.halopsa.com/api'),
      toTokenUrl('https://a.halopsa.com/api', 'https://a.halopsa.com/auth'),
      toTokenUrl('https://a.halopsa.com/api', null),
    ]).toEqual([
      'https://a.halopsa.com',
      'https://a.halopsa.com/auth/token',
      'https://a.halopsa.com/auth/token',
    ])
  },
  async 'n8n-io/n8n#12560 names the fields that a new record needs'() {
    const body = JSON.stringify('The following fields are required: Category, Ticket Type.')
    const port = at({ 'POST /api/Tickets': { status: 400, body } })
    expect(await refusal(port.createTicket(newTicket))).toMatchObject({
      message: expect.stringContaining('fields are required: Category, Ticket Type'),
    })
  },
  async 'NangoHQ/nango#5919 reads a batch of events'() {
    const event = { id: 'a', event: 'Ticket Updated', object_id: null, ticket: { id: 7 } }
    expect(parseHaloTickets([event, { ...event, ticket: null, object_id: '8' }, 'x'])).toEqual(['7', '8'])
  },
  async 'homotechsual/HaloAPI#88 names itself in each call'() {
    await at({ 'GET /api/Team': { body: [] } }).listBoards()
    for (const { headers } of vendor.requests) expect(headers['user-agent']).toMatch(/^SupportFlow/)
  },
  async 'KelvinTegelaar/PowerShellWarrantyReports#51 learns the window from the sentence'() {
    const body = 'Rate Limit Reached - 300 Requests per rolling 5 minute window'
    const port = at({ 'POST /api/Actions': { status: 429, body: JSON.stringify(body) } })
    expect(await refusal(port.addNote('7', note))).toMatchObject({
      kind: 'rate_limit',
      retryAfterSeconds: 300,
    })
  },
  async 'homotechsual/HaloAPI#31 makes no further call of the request after a limit'() {
    const port = at({ 'GET /api/Team': { status: 429, headers: { 'retry-after': '30' } } })
    expect(await refusal(port.listBoards())).toMatchObject({ retryAfterSeconds: 30 })
    const calls = vendor.requests.length
    expect(await refusal(port.listMembers())).toMatchObject({ kind: 'rate_limit' })
    expect(vendor.requests).toHaveLength(calls)
  },
  async 'homotechsual/HaloAPI#66 ends a note that is refused without a word'() {
    const port = at({ 'POST /api/Actions': { status: 400 } })
    expect(await refusal(port.addNote('7', note))).toMatchObject({
      kind: 'invalid',
      message: 'The ticketing system returned 400',
    })
  },
  async 'homotechsual/HaloAPI#21 sends a list and reads the answer as a record or a list'() {
    for (const body of [{ id: 9 }, [{ id: '9' }]]) {
      const port = at({ 'POST /api/Tickets': { body } })
      expect(await port.createTicket(newTicket)).toBe('9')
      expect(JSON.parse(vendor.requests.at(-1)?.body ?? '')).toHaveLength(1)
    }
  },
  async 'homotechsual/HaloAPI#37 lists clients without a name'() {
    const port = at({
      'GET /api/Client': { body: { record_count: 2, clients: [{ id: 5 }, { id: 6, name: 'A' }] } },
    })
    expect(await port.searchCompanies([])).toEqual([
      { id: '5', name: 'Client 5' },
      { id: '6', name: 'A' },
    ])
  },
  async 'KelvinTegelaar/CIPP-API#1596 says that the ticket was deleted'() {
    expect(await refusal(at({}).getTicket('7'))).toMatchObject({ kind: 'missing', status: 404 })
  },
  async 'microsoft/PowerPlatformConnectors#1105 shows no tags in the description of a ticket'() {
    const details = '<p>VPN is <b>down</b> &amp; slow</p><p>since a &lt; b</p>'
    const port = at({ 'GET /api/Tickets/7': { body: { id: 7, details } } })
    expect((await port.getTicket('7')).description).toMatch(/^VPN is down & slow\s+since a < b$/)
    const plain = { id: 7, details: 'Ping <server> fails, a < b' }
    expect((await at({ 'GET /api/Tickets/7': { body: plain } }).getTicket('7')).description).toBe(
      plain.details,
    )
  },
  async 'zammad/zammad#4527 keeps the lines of a note that is sent and read as HTML'() {
    const port = at({ 'POST /api/Actions': { body: [{ id: 9 }] } })
    await port.addNote('7', forTicket('internal', 'one\ntwo <b>'))
    const [{ note_html }] = JSON.parse(vendor.requests.at(-1)?.body ?? '')
    expect(note_html).toBe('one<br>two &lt;b&gt;')
    const read = at({ 'GET /api/Actions': { body: { actions: [{ id: 9, note_html }] } } })
    expect(await read.findNote('7', { text: 'one\ntwo <b>', since: '2020-01-01T00:00:00Z' })).toBe('9')
  },
  async 'reads a list that stands in an object, and an object without one'() {
    const port = at({
      'GET /api/Team': { body: { record_count: 1, teams: [{ id: 1, name: 'A' }] } },
      'GET /api/Client': { body: [{ id: 5, name: 'B' }] },
    })
    expect(await port.listBoards()).toMatchObject([{ id: '1' }])
    expect(await port.searchCompanies([])).toMatchObject([{ id: '5' }])
  },
}

it.each(Object.entries(cases))('%s', async (_, check) => check())
