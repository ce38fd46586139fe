// @module-tag behaviour
import { afterAll, beforeEach, expect, it } from 'vitest'
import { forTicket } from '#rules/release.ts'
import { newTicket, ticketSearch } from '#test/support/psa-recorder.ts'
import { type Answers, answerBy, startVendorServer } from '#test/support/vendor-server.ts'
import { createPsaOpener } from '#vendors/psa/open.ts'

// What users of other clients of ConnectWise reported, see test/reports.tsv.

const vendor = await startVendorServer()
afterAll(vendor.close)
beforeEach(() => {
  vendor.requests.length = 0
})
const root = '/v4_6_release/apis/3.0'
const at = (answers: Answers) => {
  vendor.answer = answerBy(
    Object.fromEntries(
      Object.entries(answers).map(([key, answer]) => [key.replace(' ', ` ${root}`), answer]),
    ),
  )
  return createPsaOpener({ findRefusal: async () => null })({
    provider: 'connectwise',
    baseUrl: vendor.origin,
    identity: { company_id: 'c', client_id: 'i' },
    secrets: { public_key: 'public', private_key: 'private-1' },
  })
}
const fail = (status: number, body: unknown, headers = {}) => ({ status, body, headers })
const invalid = (message: string, errors: object[] = []) =>
  fail(400, { code: 'InvalidObject', message, errors })
const note = forTicket('internal', 'a')
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'held',
    (error: unknown) => error,
  )
const query = (path: string) => new URLSearchParams(path.split('?')[1])
const ticket = { id: 7, summary: 'VPN', company: { id: 21, name: 'Contoso' } }

const cases: Record<string, () => Promise<void>> = {
  async 'sgtoj/PSConnectWise#2 keeps to the largest page that a server takes'() {
    const members = Array.from({ length: 130 }, (_, n) => ({ id: n + 1, identifier: `m${n + 1}` }))
    const port = at({
      'GET /system/members': ({ path }) => {
        const [size, page] = [Number(query(path).get('pageSize')), Number(query(path).get('page'))]
        if (size > 100)
          return invalid('pageSize object is invalid', [
            {
              code: 'OutOfRange',
              message: 'The field pageSize must be between 1 and 100.',
              field: 'pageSize',
            },
          ])
        return { body: members.slice((page - 1) * size, page * size) }
      },
    })
    expect(await port.listMembers()).toHaveLength(130)
  },
  async 'sgtoj/PSConnectWise#39 lists nothing twice when a server ignores the number of the page'() {
    const members = Array.from({ length: 100 }, (_, n) => ({ id: n + 1, identifier: `m${n + 1}` }))
    const port = at({ 'GET /system/members': { body: members } })
    expect(await port.listMembers()).toHaveLength(100)
    expect(vendor.requests.length).toBeLessThan(3)
  },
  async 'reads on when a server cuts pages without a word'() {
    const members = Array.from({ length: 130 }, (_, n) => ({ id: n + 1, identifier: `m${n + 1}` }))
    const port = at({
      'GET /system/members': ({ path }) => {
        const [size, page] = [
          Math.min(100, Number(query(path).get('pageSize'))),
          Number(query(path).get('page')),
        ]
        return { body: members.slice((page - 1) * size, page * size) }
      },
    })
    expect(await port.listMembers()).toHaveLength(130)
  },
  async 'LabtechConsulting/ConnectWise-Manage-Powershell#12 says where a note is displayed'() {
    const port = at({ 'POST /service/tickets/7/notes': { body: { id: 1 } } })
    for (const visibility of ['internal', 'client', 'resolution'] as const)
      await port.addNote('7', forTicket(visibility as 'internal', 'a'))
    const flags = ['detailDescriptionFlag', 'internalAnalysisFlag', 'resolutionFlag']
    for (const { body } of vendor.requests)
      expect(flags.filter((flag) => JSON.parse(body)[flag] === true)).toHaveLength(1)
  },
  async 'adamhancock/n8n-nodes-msp-ai#9 passes on what a refused ticket lacks'() {
    const port = at({
      'POST /service/tickets': fail(500, {
        code: 'ConnectWiseApi',
        message: 'The service was not able to process your request.',
      }),
    })
    expect(await refusal(port.createTicket(newTicket))).toMatchObject({
      kind: 'down',
      message: expect.stringContaining('not able to process your request'),
    })
  },
  async 'christaylorcodes/ConnectWiseManageAPI#30 names the required field'() {
    const port = at({
      'POST /service/tickets/7/notes': invalid('configuration object is invalid', [
        { code: 'MissingRequiredField', message: 'id or deviceIdentifier is required.', field: 'id' },
      ]),
    })
    expect(await refusal(port.addNote('7', note))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('id or deviceIdentifier is required'),
    })
  },
  async 'WYRE-AI/connectwise-manage-mcp#5 reads the notes of a server without allNotes'() {
    const port = at({
      'GET /service/tickets/7': { body: ticket },
      'GET /company/companies/21': { body: { id: 21 } },
      'GET /service/tickets/7/allNotes': fail(405, {
        message: 'The requested resource does not support GET',
      }),
      'GET /service/tickets/7/notes': { body: [{ id: 3, text: 'Cable changed' }] },
      'GET /service/tickets/7/configurations': { body: [] },
      'GET /service/tickets': { body: [] },
    })
    expect(await port.getTicketContext('7')).toMatchObject({ notes: [{ id: '3' }], unavailable: [] })
  },
  async 'christaylorcodes/ConnectWiseManageAPI#18 tells refused keys from a missing permission'() {
    const port = at({
      'GET /system/info': fail(401, { code: 'ConnectWiseApi', message: 'UserNotAuthenticated' }),
    })
    expect(await refusal(port.checkCredentials())).toMatchObject({
      kind: 'auth',
      message: expect.stringContaining('UserNotAuthenticated'),
    })
  },
  async 'LabtechConsulting/ConnectWise-Manage-Powershell#17 shows a plain text that is no JSON'() {
    const text = 'Cannot route. Codebase/company is invalid.'
    const port = at({ 'GET /system/info': fail(404, text, { 'content-type': 'text/plain' }) })
    expect(await refusal(port.checkCredentials())).toMatchObject({
      message: expect.stringMatching(/(?=.*Cannot route)(?!.*no such record)/),
    })
  },
  async 'KerkhoffTechnologies/django-connectwise#203 reads a ticket without a status'() {
    const port = at({ 'GET /service/tickets/7': { body: { ...ticket, status: null } } })
    expect(await port.getTicket('7')).toMatchObject({ id: '7', status: null })
  },
  async 'KerkhoffTechnologies/django-connectwise#164 reads a ticket without a company'() {
    const port = at({
      'GET /service/tickets/7': { body: { id: 7, summary: 'VPN', company: null } },
      'GET /service/tickets/7/*': { body: [] },
    })
    expect(await port.getTicketContext('7')).toMatchObject({ company: null, unavailable: [] })
  },
  async 'KerkhoffTechnologies/django-connectwise#88 finds a time entry behind one without an id'() {
    const port = at({
      'GET /time/entries': { body: [{ internalNotes: null }, { id: 5, internalNotes: 'Reference sf-2' }] },
    })
    expect(await port.findTimeEntry('7', 'sf-2')).toMatchObject({ id: '5' })
  },
  async 'LabtechConsulting/ConnectWise-Manage-Powershell#13 finds a ticket that is no service ticket'() {
    const port = at({
      'GET /service/tickets/7': fail(404, { code: 'NotFound', message: 'Ticket 7 not found' }),
      'GET /project/tickets/7': { body: ticket },
    })
    expect(await port.getTicket('7')).toMatchObject({ id: '7' })
  },
  async 'LabtechConsulting/ConnectWise-Manage-Powershell#4 names a condition that a server does not know'() {
    const port = at({
      'GET /company/companies': fail(400, {
        code: 'ApiFindCondition',
        message: 'deletedFlag is not a recognized name.',
      }),
    })
    expect(await refusal(port.searchCompanies(['a']))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('deletedFlag is not a recognized name'),
    })
  },
  async 'christaylorcodes/ConnectWiseManageAPI#1 says which page of a list the server could not write'() {
    const port = at({
      'GET /system/members': fail(500, {
        code: 'ConnectWiseApi',
        message: 'String was not recognized as a valid Boolean.',
      }),
    })
    expect(await refusal(port.listMembers())).toMatchObject({
      message: expect.stringContaining('not recognized as a valid Boolean'),
    })
  },
  async 'HealthITAU/pyconnectwise#41 waits as long as the proxy of the vendor says'() {
    const page = '<!DOCTYPE html><html><title>Error 1015</title><p>You are being rate limited</p></html>'
    const port = at({ 'POST /service/tickets/7/notes': fail(429, page, { 'retry-after': '37' }) })
    expect(await refusal(port.addNote('7', note))).toMatchObject({
      kind: 'rate_limit',
      retryAfterSeconds: 37,
    })
  },
  async 'WYRE-AI/connectwise-manage-mcp#84 mails a note only when it should'() {
    const port = at({ 'POST /service/tickets/7/notes': { body: { id: 1 } } })
    await port.addNote('7', note)
    await port.addNote('7', forTicket('internal', 'b'), 'maya@contoso.example')
    expect(vendor.requests.map(({ body }) => JSON.parse(body).processNotifications)).toEqual([false, true])
  },
  async 'PipedreamHQ/pipedream#16016 takes the default of several addresses'() {
    const port = at({
      'GET /service/tickets/7': {
        body: { id: 7, contact: { id: 3 }, automaticEmailContactFlag: true, contactEmailAddress: null },
      },
      'GET /company/contacts/3': {
        body: {
          id: 3,
          firstName: 'Maya',
          communicationItems: [
            { communicationType: 'Email', value: 'old@contoso.example', defaultFlag: false },
            { communicationType: 'Email', value: 'maya@contoso.example', defaultFlag: true },
          ],
        },
      },
    })
    expect(await port.findRecipient('7')).toMatchObject({ recipient: { address: 'maya@contoso.example' } })
  },
  async 'joshuamsmith/ConnectPyse#13 lists no ticket of somebody whose name contains mine'() {
    const port = at({
      'GET /service/tickets': {
        body: [
          { id: 1, owner: { identifier: 'jan' } },
          { id: 2, resources: 'bob, Jan' },
          { id: 3, owner: { identifier: 'bob' }, resources: 'janet' },
        ],
      },
    })
    const { items } = await port.searchTickets({
      ...ticketSearch,
      pageSize: 25,
      assignedTo: { id: '1', identifier: 'jan' },
    })
    expect(items.map(({ id }) => id)).toEqual(['1', '2'])
  },
  async 'nautobot/nautobot-app-ssot#945 shows the other devices when one was deleted meanwhile'() {
    const port = at({
      'GET /service/tickets/7': { body: { id: 7 } },
      'GET /service/tickets/7/configurations': {
        body: [
          { id: 1, deviceIdentifier: 'PC-1' },
          { id: 2, deviceIdentifier: 'PC-2' },
        ],
      },
      'GET /company/configurations/1': { body: { id: 1, name: 'PC-1', osInfo: 'Windows' } },
      'GET /service/tickets/7/allNotes': { body: [] },
    })
    expect(await port.getTicketContext('7')).toMatchObject({
      configurations: [
        { id: '1', operating_system: 'Windows' },
        { id: '2', name: 'PC-2', operating_system: null },
      ],
      unavailable: [],
    })
  },
  async 'tier2tickets/feedback#66 finds the ticket that an attempt without an answer has created'() {
    const port = at({
      'GET /service/tickets': {
        body: [
          { id: 8, externalXRef: 'other' },
          { id: '9', externalXRef: 'sf-1' },
        ],
      },
    })
    expect(await port.findTicket('sf-1')).toBe('9')
    expect(query(vendor.requests[0]?.path ?? '').get('conditions')).toBe('externalXRef="sf-1"')
  },
  async 'DeskDirector/UserVoice#704 offers no client that was merged into another'() {
    await at({ 'GET /company/companies': { body: [] } }).searchCompanies(['a'])
    expect(query(vendor.requests[0]?.path ?? '').get('conditions')).toContain('deletedFlag=false')
  },
  async 'singer-io/tap-freshdesk#18 tells a ticket that the keys may not read from a missing one'() {
    const port = at({
      'GET /service/tickets/7': fail(403, { message: 'You do not have access to this ticket.' }),
    })
    expect(await refusal(port.getTicket('7'))).toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('You do not have access to this ticket'),
    })
  },
  async 'DeskDirector/UserVoice#654 tells a missing permission from refused keys'() {
    const port = at({
      'GET /service/boards': fail(403, {
        code: 'SecurityError',
        message: 'You do not have security permission to perform this action.',
      }),
    })
    expect(await refusal(port.listBoards())).toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('You do not have security permission'),
    })
  },
}

it.each(Object.entries(cases))('%s', async (_, check) => check())
