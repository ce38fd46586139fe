import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { outboundGuard } from '../../lib/net/guard.ts'
import { createConnectWise } from '../../lib/psa/connectwise.ts'
import * as connectWiseRecords from '../../lib/psa/connectwise-wire.ts'
import { NoteWire } from '../../lib/psa/connectwise-wire.ts'
import { createHaloPsa } from '../../lib/psa/halopsa.ts'
import * as haloRecords from '../../lib/psa/halopsa-wire.ts'
import { createPsaHttp, type PsaHttp, type PsaRequest } from '../../lib/psa/http.ts'
import { PsaError, type TicketSearch } from '../../lib/psa/psa.ts'
import { findSameNote, sortNewestFirst, text, time } from '../../lib/psa/wire.ts'
import { startVendorServer } from '../support/vendor-server.ts'

const baseUrl = 'https://psa.example.com'
const search: TicketSearch = { boardIds: [], assignedTo: null, unassigned: false, words: [], page: 1, pageSize: 2 }

interface Call {
  call: string
  [parameter: string]: unknown
}
/** Return what a call of the provider's API was: its method, its path, its query, and the JSON of its body. */
function describeCall({ method = 'GET', url, body }: PsaRequest): Call {
  const { pathname, searchParams } = new URL(url)
  const isJson = body?.startsWith('{') || body?.startsWith('[')
  return {
    call: `${method} ${pathname.replace('/v4_6_release/apis/3.0', '')}`,
    ...Object.fromEntries(searchParams),
    ...(isJson ? { body: JSON.parse(body ?? '') } : {}),
  }
}
type Answer = (call: Call) => unknown

function createRecorder(answer: Answer) {
  const calls: Call[] = []
  const http: PsaHttp = async (request) => {
    const call = describeCall(request)
    calls.push(call)
    return answer(call)
  }
  return { calls, http }
}

describe('ConnectWise', () => {
  function openConnectWise(answer: Answer = () => []) {
    const { calls, http } = createRecorder(answer)
    const identity = { company_id: 'c', client_id: 'i' }
    return {
      calls,
      port: createConnectWise({ provider: 'connectwise', baseUrl, identity, secrets: { public_key: 'p', private_key: 's' } }, http),
    }
  }
  const fields = 'id,summary,board,status,priority,company,contact,owner,closedFlag,_info'
  const page = (conditions: string) => ({
    ...{ call: 'GET /service/tickets', conditions, orderBy: 'lastUpdated desc, id desc', fields, page: '1', pageSize: '2' },
  })

  it.each<[Partial<TicketSearch>, string]>([
    [{}, 'closedFlag=false'],
    [{ boardIds: ['1', '2'] }, 'closedFlag=false and board/id in (1,2)'],
    [{ assignedTo: { id: '7', identifier: 'ada' } }, 'closedFlag=false and (owner/identifier="ada" or resources contains "ada")'],
    [{ unassigned: true }, 'closedFlag=false and (owner=null and resources=null)'],
    [{ words: ['vpn', 'down'] }, 'closedFlag=false and summary contains "vpn" and summary contains "down"'],
    [{ words: ['4711'] }, 'closedFlag=false and (id in (4711) or summary contains "4711")'],
    [{ words: ['4711', 'vpn'] }, 'closedFlag=false and summary contains "4711" and summary contains "vpn"'],
    [{ words: ['vpn'] }, 'closedFlag=false and summary contains "vpn"'],
  ])('searches tickets by %j', async (changes, conditions) => {
    const { calls, port } = openConnectWise()
    expect(await port.searchTickets({ ...search, ...changes })).toEqual({ items: [], hasMore: false })
    expect(calls).toEqual([page(conditions)])
  })

  it.each([
    [[{ id: 9 }], true],
    [[], false],
  ])('looks for one ticket behind a full page: %j', async (next, hasMore) => {
    const { calls, port } = openConnectWise(({ fields: names }) => (names === 'id' ? next : [{ id: 1 }, { id: 2 }]))
    const result = await port.searchTickets({ ...search, page: 3 })
    expect([result.items.map(({ id }) => id), result.hasMore]).toEqual([['1', '2'], hasMore])
    expect(calls[1]).toMatchObject({ fields: 'id', page: '7', pageSize: '1' })
  })

  it('reads pages of 1,000 until one is not full, at most five', async () => {
    const full = Array.from({ length: 1000 }, (_, n) => ({ id: n + 1, name: 'b' }))
    const all = openConnectWise(() => full)
    expect(await all.port.listBoards()).toHaveLength(5000)
    expect(all.calls.map((call) => call.page)).toEqual(['1', '2', '3', '4', '5'])
    const two = openConnectWise((call) => (call.page === '1' ? full : full.slice(1)))
    expect(await two.port.listBoards()).toHaveLength(1999)
    expect(two.calls[0]).toMatchObject({ conditions: 'inactiveFlag=false', fields: 'id,name', orderBy: 'name asc', pageSize: '1000' })
  })

  it('lists the members that are active and complete', async () => {
    const { port } = openConnectWise(() => [
      { id: 1, identifier: 'ada', firstName: 'Ada', lastName: 'Lovelace', officeEmail: 'ada@example.com', inactiveFlag: false },
      { id: 2, identifier: 'bo' },
      { id: 3, identifier: 'cy', inactiveFlag: true },
      { id: 4 },
      { identifier: 'dee' },
    ])
    expect(await port.listMembers()).toEqual([
      { id: '1', identifier: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' },
      { id: '2', identifier: 'bo', name: 'bo', email: null },
    ])
  })

  it('searches companies by every word', async () => {
    const { calls, port } = openConnectWise(() => [{ id: 1, name: 'Contoso' }, { id: 2 }, { name: 'none' }])
    expect(await port.searchCompanies(['con', 'toso'])).toEqual([
      { id: '1', name: 'Contoso' },
      { id: '2', name: 'Company 2' },
    ])
    expect(calls).toEqual([
      {
        ...{ call: 'GET /company/companies', fields: 'id,name', orderBy: 'name asc', pageSize: '25' },
        conditions: 'deletedFlag=false and name contains "con" and name contains "toso"',
      },
    ])
  })

  describe('a context', () => {
    const ticket = { id: 7, summary: 's', company: { id: 21, name: 'Contoso' }, contact: { id: 31 }, closedFlag: true }
    const answers: Record<string, unknown> = {
      'GET /service/tickets/7': ticket,
      'GET /company/companies/21': { id: 21, phoneNumber: '1', addressLine1: 'a', city: 'b', state: 'c', zip: 'd' },
      'GET /company/contacts/31': {
        ...{ id: 31, firstName: 'Bo', lastName: null, title: 't' },
        communicationItems: [
          { communicationType: 'Email', value: 'first@example.com' },
          { communicationType: 'Email', value: 'default@example.com', defaultFlag: true },
          { communicationType: 'Phone', value: '2' },
          { communicationType: 'Phone', value: '3' },
        ],
      },
      'GET /service/tickets/7/configurations': Array.from({ length: 11 }, (_, n) => ({
        id: n + 1,
        deviceIdentifier: n === 0 ? null : `d${n}`,
      })),
      'GET /service/tickets/7/allNotes': Array.from({ length: 51 }, (_, n) => ({ id: n + 1, text: `n${n + 1}` })),
      'GET /service/tickets': [{ id: 8 }],
    }
    const answer: Answer = ({ call }) =>
      answers[call] ?? { id: 1, ...(call.endsWith('/3') ? { name: 'PC', osType: 'Windows', osInfo: null } : {}) }

    it('has the ticket, its company, its contact, ten devices, 50 notes and related tickets', async () => {
      const { calls, port } = openConnectWise(answer)
      const context = await port.getTicketContext('7')
      expect(context).toMatchObject({
        ticket: { id: '7', company_id: '21', contact_id: '31', is_closed: true },
        company: { id: '21', name: 'Company 21', phone: '1', address: 'a, b, c, d', website: null },
        contact: { id: '31', name: 'Bo', title: 't', email: 'default@example.com', phone: '2' },
        related_tickets: [{ id: '8' }],
        unavailable: [],
      })
      expect(context.configurations.map(({ name }) => name).slice(0, 4)).toEqual(['Configuration 1', 'd1', 'PC', 'd3'])
      expect([context.configurations.length, context.configurations[2]?.operating_system]).toEqual([10, 'Windows'])
      expect([context.notes.length, context.notes[0]?.id, context.notes.at(-1)?.id]).toEqual([50, '51', '2'])
      expect(calls.find(({ call }) => call === 'GET /service/tickets')).toMatchObject({
        ...{ conditions: 'company/id in (21) and id not in (7)', orderBy: 'lastUpdated desc, id desc', fields, pageSize: '10' },
      })
    })
    it('of a ticket without company and contact reads neither', async () => {
      const { calls, port } = openConnectWise(({ call }) => (call === 'GET /service/tickets/7' ? { id: 7 } : []))
      expect(await port.getTicketContext('7')).toMatchObject({ company: null, contact: null, related_tickets: [], unavailable: [] })
      expect(calls.map(({ call }) => call)).toEqual([
        'GET /service/tickets/7',
        'GET /service/tickets/7/configurations',
        'GET /service/tickets/7/allNotes',
      ])
    })
    it('names the parts that fail, and reads the notes of an old server', async () => {
      const { port } = openConnectWise((call) => {
        if (call.call.endsWith('/allNotes')) throw new PsaError('missing', 'm')
        if (call.call.endsWith('/notes')) return [{ id: 5, text: 'old' }]
        if (/configurations|contacts/.test(call.call)) throw new PsaError('down', 'd')
        return answer(call)
      })
      const { notes, contact, configurations, unavailable } = await port.getTicketContext('7')
      expect([notes.map(({ text: body }) => body), contact, configurations, unavailable]).toEqual([
        ['old'],
        null,
        [],
        ['contact', 'configurations'],
      ])
    })
    it.each([
      [new PsaError('down', 'd'), ['notes']],
      [new TypeError('a mistake'), 'a mistake'],
    ])('reads no other list of notes after %s', async (error, expected) => {
      const { calls, port } = openConnectWise((call) => {
        if (call.call.endsWith('/allNotes')) throw error
        return answer(call)
      })
      const outcome = await port.getTicketContext('7').then(
        ({ unavailable }) => unavailable,
        (thrown: Error) => thrown.message,
      )
      expect(outcome).toEqual(expected)
      expect(calls.map(({ call }) => call)).not.toContain('GET /service/tickets/7/notes')
    })
  })

  it.each([
    [
      'internal',
      { detailDescriptionFlag: false, internalAnalysisFlag: true, resolutionFlag: false, internalFlag: true, externalFlag: false },
    ],
    [
      'client',
      { detailDescriptionFlag: true, internalAnalysisFlag: false, resolutionFlag: false, internalFlag: false, externalFlag: true },
    ],
    [
      'resolution',
      { detailDescriptionFlag: false, internalAnalysisFlag: false, resolutionFlag: true, internalFlag: false, externalFlag: true },
    ],
  ] as const)('adds a note that is %s', async (visibility, flags) => {
    const { calls, port } = openConnectWise(() => ({ id: 9 }))
    expect(await port.addNote('7', { text: 't', visibility })).toBe('9')
    expect(calls).toEqual([{ call: 'POST /service/tickets/7/notes', body: { text: 't', ...flags, processNotifications: false } }])
  })

  it('changes the board before the status, and removes the owner with null', async () => {
    const { calls, port } = openConnectWise(() => ({ id: 7 }))
    await port.updateTicket('7', { statusId: '2', boardId: '1', memberId: null })
    await port.updateTicket('7', { memberId: '3' })
    const replace = (path: string, id: number | null) => ({ op: 'replace', path, value: id === null ? null : { id } })
    expect(calls.map(({ call, body }) => [call, body])).toEqual([
      ['PATCH /service/tickets/7', [replace('board', 1), replace('status', 2), replace('owner', null)]],
      ['PATCH /service/tickets/7', [replace('owner', 3)]],
    ])
  })

  it('creates a ticket whose summary has at most 100 characters', async () => {
    const { calls, port } = openConnectWise(() => ({ id: 9 }))
    const ticket = { summary: '😀'.repeat(101), description: 'd', companyId: '21', contactId: null, boardId: null, reference: 'r' }
    expect(await port.createTicket(ticket)).toBe('9')
    await port.createTicket({ ...ticket, summary: 's', contactId: '31', boardId: '1' })
    const body = { summary: '😀'.repeat(100), initialDescription: 'd', company: { id: 21 }, externalXRef: 'r' }
    expect(calls.map((call) => call.body)).toEqual([body, { ...body, summary: 's', contact: { id: 31 }, board: { id: 1 } }])
  })

  it('finds the ticket with exactly the reference', async () => {
    const { calls, port } = openConnectWise(() => [
      { id: 1, externalXRef: 'R' },
      { id: 2, externalXRef: 'r' },
    ])
    expect([await port.findTicket('r'), await port.findTicket('x')]).toEqual(['2', null])
    expect(calls[0]).toEqual({
      call: 'GET /service/tickets',
      conditions: 'externalXRef="r"',
      fields: 'id,externalXRef',
      orderBy: 'id asc',
      pageSize: '5',
    })
  })

  it('adds a time entry in hours of two decimals, without e-mails', async () => {
    const { calls, port } = openConnectWise(() => ({ id: 9 }))
    const entry = {
      ticketId: '7',
      memberId: '3',
      startedAt: '2026-11-23T09:00:00.123Z',
      minutes: 50,
      text: 't',
      visibility: 'internal',
      reference: 'r',
    } as const
    expect(await port.addTimeEntry(entry)).toBe('9')
    expect(calls).toEqual([
      {
        call: 'POST /time/entries',
        body: {
          ...{ chargeToId: 7, chargeToType: 'ServiceTicket', member: { id: 3 }, timeStart: '2026-11-23T09:00:00Z', actualHours: 0.83 },
          ...{ notes: 't', internalNotes: 'Reference r', addToDetailDescriptionFlag: false, addToInternalAnalysisFlag: true },
          ...{ addToResolutionFlag: false, emailResourceFlag: false, emailContactFlag: false, emailCcFlag: false },
        },
      },
    ])
  })

  it('finds the time entry with the reference in its internal notes', async () => {
    const { calls, port } = openConnectWise(() => [{ id: 1 }, { id: 2, internalNotes: 'Reference r' }])
    expect([await port.findTimeEntry('7', 'Reference r'), await port.findTimeEntry('7', 'x')]).toEqual(['2', null])
    expect(calls[0]).toMatchObject({
      conditions: 'chargeToId in (7) and chargeToType="ServiceTicket"',
      fields: 'id,internalNotes',
      orderBy: 'id desc',
    })
  })

  it.each([
    [{ id: 1, noteType: 'TimeEntry', text: 't', member: { name: 'Ada' }, internalAnalysisFlag: true }, ['time-1', 't', 'Ada', true, null]],
    [{ id: 1, member: { firstName: 'Ada', lastName: 'L' }, internalFlag: true }, ['1', '', 'Ada L', true, null]],
    [{ id: 1, member: { identifier: 'ada' }, createdBy: 'x' }, ['1', '', 'ada', false, null]],
    [{ id: 1, contact: { name: 'Bo' }, createdBy: 'x' }, ['1', '', 'Bo', false, null]],
    [{ id: 1, createdBy: 'cy', originalAuthor: 'x' }, ['1', '', 'cy', false, null]],
    [
      { id: 1, originalAuthor: 'dee', dateCreated: '2026-01-01T00:00:00Z', timeStart: '2026-01-02T00:00:00Z' },
      ['1', '', 'dee', false, '2026-01-01T00:00:00.000Z'],
    ],
    [
      { id: 1, _info: { dateEntered: '2026-01-03T00:00:00Z', sortByDate: '2026-01-04T00:00:00Z' } },
      ['1', '', null, false, '2026-01-03T00:00:00.000Z'],
    ],
    [
      { id: 1, _info: { sortByDate: '2026-01-04T00:00:00Z' }, timeStart: '2026-01-05T00:00:00Z' },
      ['1', '', null, false, '2026-01-04T00:00:00.000Z'],
    ],
    [
      { id: 1, _info: { lastUpdated: '2026-01-06T00:00:00Z' }, timeStart: '2026-01-05T00:00:00Z' },
      ['1', '', null, false, '2026-01-05T00:00:00.000Z'],
    ],
    [{ id: 1, _info: { lastUpdated: '2026-01-06T00:00:00Z' } }, ['1', '', null, false, '2026-01-06T00:00:00.000Z']],
  ])('reads the note %j', (wire, [id, body, author, internal, created_at]) => {
    expect(NoteWire.parse(wire)).toEqual({ id, text: body, author, internal, created_at })
  })

  it('reads the times and the state of a ticket', () => {
    const info = { lastUpdated: '2026-01-02T00:00:00Z', dateEntered: '2026-01-01T00:00:00Z' }
    const wire = {
      id: 7,
      summary: 's',
      initialDescription: 'd',
      closedFlag: true,
      _info: info,
      board: { id: 1, name: 'Desk' },
      type: { name: 'Network' },
    }
    expect(connectWiseRecords.toTicket(connectWiseRecords.TicketWire.parse(wire))).toEqual({
      ...{ id: '7', summary: 's', board: 'Desk', status: null, priority: null, company: null, contact: null, owner: null },
      ...{ updated_at: '2026-01-02T00:00:00.000Z', board_id: '1', company_id: null, contact_id: null, type: 'Network' },
      ...{ description: 'd', is_closed: true, created_at: '2026-01-01T00:00:00.000Z' },
    })
    expect(connectWiseRecords.toTicket(connectWiseRecords.TicketWire.parse({ id: 7 }))).toMatchObject({
      summary: '',
      description: null,
      created_at: null,
      is_closed: false,
    })
    expect(connectWiseRecords.StatusWire.parse({ id: 3, closedStatus: true })).toEqual({ id: '3', name: 'Status 3', is_closed: true })
    expect(connectWiseRecords.BoardWire.parse({ id: 3 })).toEqual({ id: '3', name: 'Board 3' })
  })
})

describe('HaloPSA', () => {
  let nextSecret = 0
  /** Open a connection with a secret of its own, because tokens are cached. */
  function openHalo(answer: Answer = () => [], tenant: string | null = null, secret = `s${nextSecret++}`) {
    const { calls, http } = createRecorder(
      (call) => answer(call) ?? (call.call === 'POST /auth/token' ? { access_token: 't', expires_in: 3600 } : []),
    )
    const port = createHaloPsa(
      { provider: 'halopsa', baseUrl: `${baseUrl}//`, identity: { client_id: 'i', tenant }, secrets: { client_secret: secret } },
      http,
    )
    return { calls, port, secret, listCalls: () => calls.map(({ call }) => call).filter((call) => call !== 'POST /auth/token') }
  }
  const tickets = (list: object[], count = list.length) => ({ tickets: list, record_count: count })

  it.each<[Partial<TicketSearch>, object]>([
    [{}, {}],
    [{ boardIds: ['1', '2'] }, { team: '1,2' }],
    [{ assignedTo: { id: '7', identifier: 'ada' } }, { agent_id: '7' }],
    [{ unassigned: true }, { agent_id: '1' }],
    [{ words: ['vpn', 'down'] }, { search: 'vpn down' }],
  ])('searches tickets by %j', async (changes, query) => {
    const { calls, port } = openHalo(({ call }) => (call === 'GET /api/Tickets' ? tickets([]) : undefined))
    expect(await port.searchTickets({ ...search, ...changes })).toEqual({ items: [], hasMore: false })
    expect(calls.find(({ call }) => call === 'GET /api/Tickets')).toEqual({
      ...{ call: 'GET /api/Tickets', pageinate: 'true', page_no: '1', page_size: '2', open_only: 'true' },
      ...{ order: 'lastactiondate', orderdesc: 'true', ...query },
    })
  })

  it.each([
    [2, 4, false],
    [2, 5, true],
  ])('has more than page %i of %i tickets: %s', async (page, count, hasMore) => {
    const { port } = openHalo(({ call }) => (call === 'GET /api/Tickets' ? tickets([], count) : undefined))
    expect((await port.searchTickets({ ...search, page })).hasMore).toBe(hasMore)
  })

  it('lists active teams and agents, without the agent of unassigned tickets', async () => {
    const { port } = openHalo(({ call }) => {
      if (call === 'GET /api/Team') return [{ id: 1, name: 'Desk' }, { id: 2 }, { id: 3, name: 'Old', inactive: true }]
      if (call === 'GET /api/Agent')
        return [
          { id: 1, name: 'Unassigned' },
          { id: 2, name: 'Ada', email: 'ada@example.com' },
          { id: 3, isdisabled: true },
          { id: 4, name: 'Bo' },
          { id: 5 },
        ]
      return undefined
    })
    expect(await port.listBoards()).toEqual([
      { id: '1', name: 'Desk' },
      { id: '2', name: 'Team 2' },
    ])
    expect(await port.listMembers()).toEqual([
      { id: '2', identifier: 'ada@example.com', name: 'Ada', email: 'ada@example.com' },
      { id: '4', identifier: 'Bo', name: 'Bo', email: null },
      { id: '5', identifier: '5', name: '5', email: null },
    ])
  })

  it.each([
    [[], undefined],
    [['con', 'toso'], 'con toso'],
  ])('searches clients by the words %j', async (words, searched) => {
    const { calls, port } = openHalo(({ call }) =>
      call === 'GET /api/Client' ? { clients: [{ id: 1 }, { id: 2, name: 'Contoso' }] } : undefined,
    )
    expect(await port.searchCompanies(words)).toEqual([
      { id: '1', name: 'Client 1' },
      { id: '2', name: 'Contoso' },
    ])
    const query = { call: 'GET /api/Client', pageinate: 'true', page_no: '1', page_size: '25', includeinactive: 'false', order: 'name' }
    expect(calls.at(-1)).toEqual(searched === undefined ? query : { ...query, search: searched })
  })

  it('gets one token for all calls, and another one when it is about to expire', async () => {
    const lasting = openHalo(({ call }) => (call === 'POST /auth/token' ? { access_token: 't', expires_in: 61 } : undefined), 'x&y')
    await lasting.port.checkCredentials()
    await lasting.port.checkCredentials()
    expect(lasting.calls.map(({ call, ...query }) => [call, query])).toEqual([
      ['POST /auth/token', { tenant: 'x&y' }],
      ['GET /api/Team', {}],
      ['GET /api/Team', {}],
    ])
    const short = openHalo(({ call }) => (call === 'POST /auth/token' ? { access_token: 't', expires_in: 60 } : undefined))
    await short.port.checkCredentials()
    await short.port.checkCredentials()
    expect(short.calls.map(({ call }) => call)).toEqual(['POST /auth/token', 'GET /api/Team', 'POST /auth/token', 'GET /api/Team'])
  })

  it.each([
    [new PsaError('auth', 'a', { status: 401 }), 4, 'a'],
    [new PsaError('auth', 'a', { status: 403 }), 1, 'a'],
    [new TypeError('a mistake'), 1, 'a mistake'],
  ])('repeats a call with another token only after a 401 of a cached one: %s', async (error, expectedCalls, message) => {
    let fails = false
    const { calls, port } = openHalo(({ call }) => {
      if (fails && call === 'GET /api/Team') throw error
      return undefined
    })
    await port.checkCredentials()
    calls.length = 0
    fails = true
    await expect(port.checkCredentials()).rejects.toThrow(message)
    expect(calls.map(({ call }) => call)).toEqual(
      ['GET /api/Team', 'POST /auth/token', 'GET /api/Team'].slice(0, expectedCalls === 4 ? 3 : 1),
    )
  })
  it('repeats no call after a 401 of a new token', async () => {
    const { port, listCalls } = openHalo(({ call }) => {
      if (call === 'GET /api/Team') throw new PsaError('auth', 'a', { status: 401 })
      return undefined
    })
    await expect(port.checkCredentials()).rejects.toThrow('a')
    expect(listCalls()).toEqual(['GET /api/Team'])
  })
  it.each([
    [new PsaError('invalid', 'i', { status: 400 }), { kind: 'auth', status: 400, message: 'The ticketing system refused the credentials' }],
    [new PsaError('auth', 'a', { status: 401 }), { kind: 'auth', status: 401, message: 'a' }],
    [new PsaError('down', 'd', { status: 500 }), { kind: 'down', status: 500, message: 'd' }],
  ])('takes a 400 of the token for refused credentials: %s', async (error, expected) => {
    const { port } = openHalo(({ call }) => {
      if (call === 'POST /auth/token') throw error
      return undefined
    })
    await expect(port.checkCredentials()).rejects.toMatchObject(expected)
  })

  describe('a context', () => {
    const ticket = { id: 7, summary: 's', client_id: 21, user_id: 31, status_id: 2, agent_id: 5, agent_name: 'Ada', hasbeenclosed: true }
    const answer: Answer = ({ call }) =>
      ({
        'GET /api/Tickets/7': ticket,
        'GET /api/Status': [{ id: 2, name: 'Open' }],
        'GET /api/Client/21': { id: 21, phonenumber: '1', main_site: { line1: 'a', line2: null, line3: 'c', postcode: 'd' } },
        'GET /api/Users/31': { id: 31, jobtitle: 't', emailaddress: 'bo@example.com' },
        'GET /api/Asset': {
          assets: [{ id: 1, key_field: 'PC', inventory_number: 'x', os: 'Windows' }, { id: 2, inventory_number: 'INV' }, { id: 3 }],
        },
        'GET /api/Actions': {
          actions: [
            { id: 1, note: 'old', datetime: '2026-01-01T00:00:00' },
            { id: 2, note_html: '<p>a &lt;b&gt;</p>c', hiddenfromuser: true, who: 'Ada', datetime: '2026-01-02T00:00:00' },
          ],
        },
        'GET /api/Tickets': tickets([{ id: 7 }, ...Array.from({ length: 11 }, (_, n) => ({ id: n + 10, status_id: n === 0 ? 2 : 9 }))]),
      })[call]

    it('has the ticket, its client, its user, its assets, its actions and ten other tickets of the client', async () => {
      const { calls, port } = openHalo(answer)
      const context = await port.getTicketContext('7')
      expect(context).toMatchObject({
        ticket: { id: '7', status: 'Open', owner: 'Ada', company_id: '21', contact_id: '31', is_closed: true },
        company: { id: '21', name: 'Client 21', phone: '1', address: 'a, c, d' },
        contact: { id: '31', name: 'User 31', title: 't', email: 'bo@example.com', phone: null },
        notes: [
          { id: '2', text: 'a <b>\nc', author: 'Ada', internal: true, created_at: '2026-01-02T00:00:00.000Z' },
          { id: '1', text: 'old', author: null, internal: false, created_at: '2026-01-01T00:00:00.000Z' },
        ],
        unavailable: [],
      })
      expect(context.configurations.map(({ name }) => name)).toEqual(['PC', 'INV', 'Asset 3'])
      expect(context.related_tickets.map(({ id, status }) => `${id} ${status}`)).toEqual([
        '10 Open',
        ...Array.from({ length: 9 }, (_, n) => `${n + 11} null`),
      ])
      const query = (name: string) => calls.find(({ call }) => call === `GET /api/${name}`)
      expect(query('Tickets')).toMatchObject({
        client_id: '21',
        pageinate: 'true',
        page_no: '1',
        page_size: '11',
        order: 'lastactiondate',
        orderdesc: 'true',
      })
      expect(query('Actions')).toMatchObject({ ticket_id: '7', excludesys: 'true', count: '50' })
      expect(query('Asset')).toMatchObject({ ticket_id: '7', pageinate: 'true', page_no: '1', page_size: '10' })
      expect([query('Client/21'), query('Users/31'), query('Tickets/7')]).toMatchObject(Array(3).fill({ includedetails: 'true' }))
    })
    it('of a ticket whose client and user are 0 reads neither', async () => {
      const { port, listCalls } = openHalo((call) =>
        call.call === 'GET /api/Tickets/7' ? { ...ticket, client_id: 0, user_id: 0 } : answer(call),
      )
      expect(await port.getTicketContext('7')).toMatchObject({ company: null, contact: null, related_tickets: [] })
      expect(listCalls().sort()).toEqual(['GET /api/Actions', 'GET /api/Asset', 'GET /api/Status', 'GET /api/Tickets/7'])
    })
    it.each([
      [new PsaError('down', 'd'), { status: null }],
      [new TypeError('a mistake'), 'a mistake'],
    ])('has no status name when the statuses fail with %s', async (error, expected) => {
      const { port } = openHalo((call) => {
        if (call.call === 'GET /api/Status') throw error
        return answer(call)
      })
      const outcome = await port.getTicket('7').catch((thrown: Error) => thrown.message)
      expect(outcome).toEqual(typeof expected === 'string' ? expected : expect.objectContaining(expected))
    })
  })

  it.each([
    ['internal', 'Private Note', 'a &lt;b&gt;<br>c', true],
    ['client', 'Public Note', 'a &lt;b&gt;<br>c', false],
    ['resolution', 'Public Note', 'Resolution:<br>a &lt;b&gt;<br>c', false],
  ] as const)('adds a note that is %s', async (visibility, outcome, note_html, hiddenfromuser) => {
    const { calls, port } = openHalo(({ call }) => (call === 'POST /api/Actions' ? [{ id: 9 }] : undefined))
    expect(await port.addNote('7', { text: 'a <b>\nc', visibility })).toBe('9')
    expect(calls.at(-1)?.body).toEqual([{ ticket_id: 7, outcome, note_html, hiddenfromuser, sendemail: false }])
  })

  it.each([
    [{ statusId: '2' }, { status_id: 2 }],
    [{ boardId: '3' }, { team_id: 3 }],
    [{ memberId: '4' }, { agent_id: 4 }],
    [{ memberId: null }, { agent_id: 1 }],
    [{}, {}],
  ])('changes a ticket by %j, after it was read', async (change, body) => {
    const { calls, port, listCalls } = openHalo(({ call }) => (/Tickets/.test(call) ? { id: 7 } : undefined))
    expect(await port.updateTicket('7', change)).toMatchObject({ id: '7' })
    expect(calls.find(({ call }) => call === 'POST /api/Tickets')?.body).toEqual([{ id: 7, ...body }])
    expect(listCalls().filter((call) => call !== 'GET /api/Status')).toEqual([
      'GET /api/Tickets/7',
      'POST /api/Tickets',
      'GET /api/Tickets/7',
    ])
  })

  it('creates a ticket, with its user and its team if they are known', async () => {
    const { calls, port } = openHalo(({ call }) => (call === 'POST /api/Tickets' ? { id: 9 } : undefined))
    const ticket = { summary: 's', description: 'a\nb', companyId: '21', contactId: null, boardId: null, reference: 'r' }
    expect(await port.createTicket(ticket)).toBe('9')
    await port.createTicket({ ...ticket, contactId: '31', boardId: '1' })
    const body = { summary: 's', details_html: 'a<br>b', client_id: 21, third_party_id_string: 'r' }
    expect(calls.flatMap((call) => (call.call === 'POST /api/Tickets' ? [call.body] : []))).toEqual([
      [body],
      [{ ...body, user_id: 31, team_id: 1 }],
    ])
  })

  it('finds the ticket and the time entry with the reference', async () => {
    const { calls, port } = openHalo(({ call }) =>
      call === 'GET /api/Tickets'
        ? tickets([
            { id: 1, third_party_id_string: 'R' },
            { id: 2, third_party_id_string: 'r' },
          ])
        : call === 'GET /api/Actions'
          ? {
              actions: [
                { id: 3, note: 'x' },
                { id: 4, note: 'done, Reference r' },
              ],
            }
          : undefined,
    )
    expect([
      await port.findTicket('r'),
      await port.findTicket('x'),
      await port.findTimeEntry('7', 'Reference r'),
      await port.findTimeEntry('7', 'y'),
    ]).toEqual(['2', null, '4', null])
    expect(calls.find(({ call }) => call === 'GET /api/Tickets')).toMatchObject({ third_party_id_string: 'r', count: '50' })
    expect(calls.find(({ call }) => call === 'GET /api/Actions')).toMatchObject({ ticket_id: '7', excludesys: 'true', count: '1000' })
  })

  it('adds a time entry in hours, with its end and its reference', async () => {
    const { calls, port } = openHalo(({ call }) => (call === 'POST /api/Actions' ? [{ id: 9 }] : undefined))
    const entry = {
      ticketId: '7',
      memberId: '3',
      startedAt: '2026-11-23T09:00:00.000Z',
      minutes: 90,
      text: 't',
      visibility: 'client',
      reference: 'r',
    } as const
    expect(await port.addTimeEntry(entry)).toBe('9')
    expect(calls.at(-1)?.body).toEqual([
      {
        ...{ ticket_id: 7, outcome: 'Public Note', note_html: 't<br><br>Reference r', hiddenfromuser: false, sendemail: false },
        ...{
          who_agentid: 3,
          timetaken: 1.5,
          actionarrivaldate: '2026-11-23T09:00:00.000Z',
          actioncompletiondate: '2026-11-23T10:30:00.000Z',
        },
      },
    ])
  })

  it('reads a ticket without an owner, and one without a status', () => {
    const read = (wire: object) => haloRecords.toTicket(haloRecords.TicketWire.parse(wire), new Map([['2', 'Open']]))
    expect(read({ id: 7, agent_id: 1, agent_name: 'Unassigned', status_id: 2, priority: { name: 'High' } })).toMatchObject({
      owner: null,
      status: 'Open',
      priority: 'High',
    })
    expect(read({ id: 7, agent_name: 'Ada' })).toMatchObject({ owner: 'Ada', status: null, priority: null, summary: '', is_closed: false })
    expect(haloRecords.StatusWire.parse({ id: 3 })).toEqual({ id: '3', name: 'Status 3', is_closed: null })
    expect(haloRecords.Action.parse({ id: 1 })).toMatchObject({ text: '', internal: false })
  })
})

describe('a value of a provider', () => {
  it.each([
    ['2026-01-01T00:00:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00-0100', '2026-01-01T01:00:00.000Z'],
    [`2026-01-01T00:00:00.${'0'.repeat(19)}`, '2026-01-01T00:00:00.000Z'],
    [`2026-01-01T00:00:00.${'0'.repeat(20)}`, null],
    ['soon', null],
    [0, null],
    [undefined, null],
  ])('is the time %j: %j', (value, expected) => expect(time.parse(value)).toBe(expected))
  it.each([
    [' a\0 ', 'a'],
    [0, '0'],
    ['', null],
    [' ', null],
    [null, null],
    [undefined, null],
    [{}, null],
  ])('is the text %j: %j', (value, expected) => expect(text.parse(value)).toBe(expected))

  it('sorts notes by time, then by number, and those without a time last', () => {
    const note = (id: string, created_at: string | null) => ({ id, created_at })
    const notes = [note('9', null), note('2', '2026-01-01'), note('10', '2026-01-01'), note('1', '2026-01-02'), note('11', null)]
    expect(sortNewestFirst(notes).map(({ id }) => id)).toEqual(['1', '10', '2', '11', '9'])
  })
  it.each([
    ['2026-01-01T00:00:00.000Z', '1'],
    ['2025-12-31T23:59:59.999Z', null],
    [null, '1'],
  ])('finds a note with the same words of %s', (created_at, id) => {
    const note = { id: '1', text: 'It *works*\r\nnow.', author: null, internal: true, created_at }
    expect(findSameNote([note], { text: 'It works now', since: '2026-01-01T00:00:00.000Z' })).toBe(id)
    expect(findSameNote([note], { text: 'It works not', since: '2026-01-01T00:00:00.000Z' })).toBeNull()
  })
})

describe('a call of the ticketing system', async () => {
  const vendor = await startVendorServer()
  afterAll(vendor.close)
  beforeEach(() => {
    vendor.requests.length = 0
  })
  const guard = outboundGuard({ resolve: async () => [] }, { allowedOrigin: vendor.origin })
  const call = (request: Partial<PsaRequest> = {}) => createPsaHttp(vendor.origin, guard)({ url: `${vendor.origin}/x`, ...request })

  it.each([
    [401, 'auth', 'The ticketing system refused the credentials'],
    [403, 'auth', 'The ticketing system refused the credentials'],
    [404, 'missing', 'The ticketing system has no such record'],
    [429, 'rate_limit', 'The ticketing system limits our calls; try again later'],
    [302, 'down', 'The ticketing system returned 302'],
    [400, 'invalid', 'The ticketing system returned 400'],
    [499, 'invalid', 'The ticketing system returned 499'],
    [500, 'down', 'The ticketing system returned 500'],
  ])('that is answered with %i fails as %s', async (status, kind, message) => {
    vendor.answer = () => ({ status, headers: { 'retry-after': '5' } })
    await expect(call()).rejects.toMatchObject({ kind, message, status, retryAfterSeconds: status === 429 ? 5 : undefined })
  })
  it.each([
    ['', null],
    [' \n', null],
    ['{"a":1}', { a: 1 }],
  ])('returns the JSON of %j', async (body, json) => {
    vendor.answer = () => ({ body })
    expect(await call()).toEqual(json)
  })
  it('sends its method, its headers and its body', async () => {
    vendor.answer = () => ({})
    await call({ method: 'PATCH', headers: { clientid: 'i' }, body: '{}' })
    await call()
    expect(vendor.requests.map(({ method, headers, body }) => [method, headers.accept, headers.clientid, body])).toEqual([
      ['PATCH', 'application/json', 'i', '{}'],
      ['GET', 'application/json', undefined, ''],
    ])
  })
  it('fails for another answer than JSON, and without a connection', async () => {
    vendor.answer = () => ({ body: '<html>' })
    await expect(call()).rejects.toMatchObject({ kind: 'down', message: 'The ticketing system did not answer with JSON' })
    vendor.answer = () => null
    await expect(call()).rejects.toMatchObject({ kind: 'down', message: 'The connection to the ticketing system failed' })
  })
  it('is not made to an address that the guard refuses', async () => {
    const refused = createPsaHttp('https://localhost', guard)({ url: `${vendor.origin}/x` })
    await expect(refused).rejects.toMatchObject({ kind: 'invalid', status: null })
    expect(vendor.requests).toEqual([])
  })
})
